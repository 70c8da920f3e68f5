# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows has to compile, and the documentation itself to build without a warning."""
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOG = ROOT / "Sources/HeadwayClient/HeadwayClient.docc"
MODULES = ROOT / ".build/debug/Modules"
STRICT = ["-swift-version", "6", "-warnings-as-errors"]


def snippets():
    """The code of the articles and of the README, each file of it as it stands there."""
    found = {}
    for page in [*sorted(CATALOG.glob("*.md")), ROOT / "README.md"]:
        for number, code in enumerate(re.findall(r"^```swift\n(.*?)^```", page.read_text(), re.S | re.M), 1):
            found[f"{page.stem}-{number}.swift"] = code
    return found


def run(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return [] if done.returncode == 0 else done.stdout.splitlines()


def snippets_compile():
    with tempfile.TemporaryDirectory() as folder:
        problems = run("swiftc", "-emit-module", "-parse-as-library", "-module-name", "SwiftUI", *STRICT,
                       "-emit-module-path", f"{folder}/SwiftUI.swiftmodule", "Tests/Snippets/SwiftUI.swift")
        pages = {}
        for name, code in snippets().items():
            # What stands outside a function is a program of its own, in a function here.
            if not re.search(r"^(@|final |struct |import )", code, re.M):
                lines = "".join(f"    {line}\n" for line in code.splitlines())
                code = ("import Foundation\nimport HeadwayClient\nimport ProgressProtocol\n\n"
                        f"func shown{len(pages)}(url: URL) async throws {{\n{lines}}}\n")
            elif "URL" in code and "import Foundation" not in code:
                code = "import Foundation\n" + code
            path = Path(folder) / name
            path.write_text(code)
            pages[name] = str(path)
        return problems or run("swiftc", "-typecheck", "-parse-as-library", *STRICT, "-I", folder, "-I", str(MODULES),
                               *pages.values())


def catalog_builds():
    with tempfile.TemporaryDirectory() as folder:
        target = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
        triple = re.search(r'"triple": "([^"]+)"', target)[1]
        problems = run("swift-symbolgraph-extract", "-module-name", "HeadwayClient", "-I", str(MODULES), "-target", triple,
                       "-minimum-access-level", "public", "-output-dir", folder)
        return problems or run("docc", "convert", str(CATALOG), "--additional-symbol-graph-dir", folder,
                               "--fallback-display-name", "HeadwayClient", "--fallback-bundle-identifier",
                               "org.headway.client", "--output-path", f"{folder}/HeadwayClient.doccarchive",
                               "--warnings-as-errors")
