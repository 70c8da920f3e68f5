# SPDX-License-Identifier: Apache-2.0
"""Whatever is sent behind whatever: the server lives, and a file that it says it has is what was sent."""
import json

from mixes import Mix
from side_by_side import play
from uploads import digest


def test_requests_of_all_kinds_behind_each_other_confuse_nobody(fresh):
    headway, checked, answers = fresh(), [], []

    def is_enough():
        return {b"200", b"201", b"400", b"503"} <= set(answers) and len(checked) > 10

    def sender(dice):
        def step():
            mix = Mix(dice, headway.port)
            got = mix.play(headway.port).split(b"HTTP/1.1 ")[1:]
            answers.extend(answer[:3] for answer in got)
            for answer in got:
                made = stored(answer)
                if made and made["name"] in mix.files:
                    checked.append(made)
                    assert made["digest"] == digest(mix.files[made["name"]]), made
        return step

    play(4, 8, is_enough, sender)
    assert headway.api("GET", "transfers").status == 200
    assert is_enough(), (set(answers), len(checked))


def stored(answer):
    """The transfer that it says it has made; None when it says something else, or not all of it came."""
    if not answer.startswith(b"201"):
        return None
    try:
        return json.loads(answer.split(b"\r\n\r\n", 1)[1])
    except (IndexError, ValueError):
        return None
