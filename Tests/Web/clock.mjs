// SPDX-License-Identifier: Apache-2.0

/** A clock that stands still until a test lets time pass; `random` is what chance always says. */
export function standingClock({ random = 1 } = {}) {
  let now = 1_000_000;
  let timers = [];
  const clock = {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => { timers = timers.filter((other) => other !== timer); };
    },
    random: () => random,
  };
  /** Lets time pass, from one timer that is due to the next; who walks along may do something after each. */
  function* steps(ms) {
    const end = now + ms;
    for (;;) {
      const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      timers = timers.filter((timer) => timer !== next);
      now = next.at;
      next.act();
      yield;
    }
    now = end;
  }
  return { clock, steps };
}
