# SPDX-License-Identifier: Apache-2.0
"""Whatever is sent behind whatever: the server lives, and a file that it says it has is what was sent."""
import json
import os
import random
import threading
import time

from mixes import Mix
from patience import PATIENCE
from uploads import digest

SECONDS, SENDERS = 8, 4


def test_requests_of_all_kinds_behind_each_other_confuse_nobody(fresh):
    seed = int(os.environ.get("HEADWAY_SEED") or random.randrange(1 << 32))
    headway, wrong, checked, answers = fresh(), [], [], []
    end = time.monotonic() + SECONDS
    last = end + 2 * PATIENCE

    def is_enough():
        return {b"200", b"201", b"400", b"503"} <= set(answers) and len(checked) > 10

    def send(number):
        dice = random.Random(seed + number)
        # A machine on which little comes about gets more time.
        while time.monotonic() < end or not is_enough() and time.monotonic() < last:
            mix = Mix(dice, headway.port)
            got = mix.play(headway.port).split(b"HTTP/1.1 ")[1:]
            answers.extend(answer[:3] for answer in got)
            for answer in got:
                made = stored(answer)
                if made and made["name"] in mix.files:
                    checked.append(made)
                    if made["digest"] != digest(mix.files[made["name"]]):
                        wrong.append(made)

    threads = [threading.Thread(target=send, args=[number]) for number in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"HEADWAY_SEED={seed}")
    assert headway.api("GET", "transfers").status == 200
    assert not wrong, wrong[0]
    assert is_enough(), (set(answers), len(checked))


def stored(answer):
    """The transfer that it says it has made; None when it says something else, or not all of it came."""
    if not answer.startswith(b"201"):
        return None
    try:
        return json.loads(answer.split(b"\r\n\r\n", 1)[1])
    except (IndexError, ValueError):
        return None
