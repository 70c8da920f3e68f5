# SPDX-License-Identifier: Apache-2.0
"""What a file is called."""
import urllib.parse

from fault_table import fault
from faults.sample import has_failed, is_whole
from scripted_origin import head, whole

BODY = b"abc"


def name(world, path, *lines, **more):
    transfer = world.run(world.serve(path, whole(BODY, *lines)), **more)
    is_whole(world, transfer, BODY)
    stored = world.folder / "data/files" / transfer["name"]
    assert stored.parent == world.folder / "data/files" and stored.read_bytes() == BODY
    return transfer["name"]


@fault("C86")
def letters_beyond_ascii(world):
    transfer = world.run(world.serve("/" + urllib.parse.quote("テスト 資料.pdf"), whole(BODY)))
    assert transfer["name"] == "テスト 資料.pdf"
    disposition = world.headway.request("GET", "/api/v1/" + transfer["href"]).headers["Content-Disposition"]
    assert disposition.isascii() and 'filename="' in disposition
    assert urllib.parse.unquote(disposition.split("filename*=UTF-8''")[1]) == "テスト 資料.pdf"


@fault("C87")
def content_disposition(world):
    def called(field, path="/cd/last.bin"):
        return name(world, path, f"Content-Disposition: {field}")
    encoded = "filename*=UTF-8''%E3%83%86%E3%82%B9%E3%83%88.pdf"
    assert called(f'attachment; filename="x.pdf"; {encoded}') == "テスト.pdf"
    assert called("attachment; filename=\"broken.pdf\"; filename*=UTF-8''%E3%8.pdf") == "broken.pdf"
    assert called("attachment; filename=\"sjis.pdf\"; filename*=Shift_JIS''%83e.pdf") == "sjis.pdf"
    assert called("attachment", "/cd/segment.bin") == "segment.bin"
    assert called("attachment", "/cd/") == "download"


@fault("C88")
def percent_codes_are_decoded_once(world):
    assert name(world, "/A%20B%2B1.txt") == "A B+1.txt"
    assert name(world, "/100%25.txt") == "100%.txt"


@fault("C89")
def a_blank_in_a_link(world):
    url = world.serve("/Please%20Try%20This.rar", whole(BODY)).replace("%20", " ")
    transfer = world.run(url)
    is_whole(world, transfer, BODY)
    assert transfer["name"] == "Please Try This.rar"
    assert world.origin.asked_for("/Please%20Try%20This.rar")


@fault("C90")
def a_name_that_is_too_long(world):
    stem = "中" * 90
    for number in range(3):
        stored = name(world, "/" + urllib.parse.quote(stem + ".tar.gz"))
        assert len(stored.encode()) <= 255 and stored.endswith(".tar.gz")
        assert stored.startswith("中" * 60) and ("(" in stored) == (number > 0)


@fault("C92")
def separators_that_are_encoded(world):
    assert name(world, "/d/a%5Cb%2Fc.ext") == "a_b_c.ext"


@fault("C96")
def names_that_lead_out_of_the_folder(world):
    above = sorted(p.name for p in world.folder.iterdir())
    for number, hostile in enumerate(["../../x", "/etc/x", "..\\..\\x", "..", ".", "", "CON", ".bashrc", "-rf",
                                      "a\u202egnp.exe", "a" * 400]):
        stored = name(world, f"/hostile-{number}.bin", f'Content-Disposition: attachment; filename="{hostile}"')
        assert stored and "/" not in stored and "\\" not in stored and stored[0] not in ".-"
        assert "\u202e" not in stored and stored != "CON"
    assert sorted(p.name for p in world.folder.iterdir()) == above
