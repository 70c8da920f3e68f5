# SPDX-License-Identifier: Apache-2.0
"""Senders that do at random what they may, side by side."""
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

from patience import PATIENCE


def play(senders, seconds, is_enough, sender):
    """Each does again and again what `sender` makes of its dice, for so long and until it is enough.

    A machine on which little comes about gets more time. What one raises ends them all.
    """
    seed = int(os.environ.get("HEADWAY_SEED") or random.randrange(1 << 32))
    print(f"HEADWAY_SEED={seed}")
    end = time.monotonic() + seconds
    last = end + 2 * PATIENCE
    failed = []

    def run(number):
        step = sender(random.Random(seed + number))
        try:
            while not failed and (time.monotonic() < end or not is_enough() and time.monotonic() < last):
                step()
        except BaseException:
            failed.append(number)
            raise

    with ThreadPoolExecutor(senders) as pool:
        for each in [pool.submit(run, number) for number in range(senders)]:
            each.result()
