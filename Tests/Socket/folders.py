# SPDX-License-Identifier: Apache-2.0
"""What lies in a data folder."""


def parts(data):
    return list((data / "parts").iterdir())


def files(data):
    return {p.name for p in (data / "files").iterdir()}
