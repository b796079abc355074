"""The demo: a real TLS client, a script engine and an application on one ESP32, from its boot log,
under the SDK version it was built with and two later ones.

Runs the commands that a user would type, each shown before its output, and ends with the answer in
a sentence. `make demo` calls this.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

TRACE = "studies/workloads/captured/mix_gateway.hst.zst"
#: The boot log of the board it runs on, and the firmware: where its heap begins, what is not heap.
BOOT_LOG = "studies/workloads/mix/boot.txt"
FIRMWARE = "studies/workloads/static/firmware.elf"
#: mbedTLS asks for this many bytes in one piece: 16 KB of record, and its header.
NEED = "16717"

MEMORY = ["--boot-log", BOOT_LOG, "--elf", FIRMWARE, "--need", NEED]
VERSIONS = ("4.2", "4.3.2", "5.5")

#: The page with all three versions.
REPORT = "build/report.html"

NEXT = f"""\
  heapscope replay {TRACE}
  heapscope replay {TRACE} --boot-log {BOOT_LOG} --idf 5.5 --need {NEED}
  heapscope report {TRACE} --boot-log {BOOT_LOG} --idf 4.3.2 --need {NEED} -o report.html
  heapscope leaks {TRACE} --begin "closed 1" --end "closed 5"
  heapscope compare studies/workloads/captured/demo.hst.zst --chip esp32 --idf 4.2 --idf 5.5
  heapscope import YOUR_EVENTS.txt -o T.hst
  heapscope replay T.hst --boot-log YOUR_BOOT.txt --need {NEED}
"""


def run(console: Console, *arguments: str, json_file: str = "") -> None:
    """`json_file` is written besides and not shown: the demo's own wish."""
    console.print(Text("$ heapscope " + " ".join(arguments), style="bold cyan"), soft_wrap=True)
    console.file.flush()
    hidden = ["--json", json_file] if json_file else []
    subprocess.run([sys.executable, "-m", "heapscope", *arguments, *hidden], check=True)
    console.print()


def compare(console: Console, older: str, newer: str) -> str:
    """Shows both versions side by side; returns the most important of what that means."""
    versions = ["--idf", older, "--idf", newer]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "compare.json"
        run(console, "compare", TRACE, *versions, *MEMORY, json_file=str(file))
        conclusion: list[str] = json.loads(file.read_text(encoding="utf-8"))["conclusion"]
    return conclusion[0]


def main() -> int:
    os.chdir(Path(__file__).parents[3])
    console = Console()
    run(console, "replay", TRACE)
    run(console, "replay", TRACE, *MEMORY)
    built_with, *later = VERSIONS
    answer = [compare(console, built_with, version) for version in later]
    Path(REPORT).parent.mkdir(exist_ok=True)
    versions = [part for version in VERSIONS for part in ("--idf", version)]
    run(console, "report", TRACE, *versions, *MEMORY, "-o", REPORT)
    console.print(Text("The answer: " + " ".join(answer), style="bold"))
    console.print(Text(f"\nNext:\n{NEXT}", style=""), soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
