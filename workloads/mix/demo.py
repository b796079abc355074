"""The demo: a real TLS client beside a real script engine on an ESP32, under two SDK versions.

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

TRACE = "workloads/captured/demo.hst.zst"
#: A firmware with Wi-Fi and TLS links about this much .data and .bss.
STATIC_DRAM = "46816"
#: What mbedTLS asks for in one piece: 16 KB of record, and its header.
NEED = "16717"

MEMORY = ["--chip", "esp32", "--static-dram", STATIC_DRAM, "--need", NEED]
VERSIONS = ("4.2", "5.5")

NEXT = f"""\
  heapscope info {TRACE}
  heapscope replay {TRACE} --chip esp32 --allocator idf-5.5+light
  heapscope replay {TRACE} --pool 256KB
  heapscope import text YOUR_EVENTS.txt -o T.hst
  heapscope replay T.hst --boot-log YOUR_BOOT.txt --need {NEED}
"""


def run(console: Console, *arguments: str, json_file: str = "") -> None:
    """`json_file` is written besides and not shown: the demo's own wish."""
    console.print(Text("$ heapscope " + " ".join(arguments), style="bold cyan"), soft_wrap=True)
    console.file.flush()
    hidden = ["--json", json_file] if json_file else []
    subprocess.run([sys.executable, "-m", "heapscope", *arguments, *hidden], check=True)
    console.print()


def compare(console: Console) -> list[str]:
    """Shows both versions side by side; returns what that means, in sentences."""
    versions = [word for version in VERSIONS for word in ("--idf", version)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "compare.json"
        run(console, "compare", TRACE, *versions, *MEMORY, json_file=str(file))
        sentences: list[str] = json.loads(file.read_text(encoding="utf-8"))["conclusion"]
    return sentences


def main() -> int:
    os.chdir(Path(__file__).parents[2])
    console = Console()
    run(console, "info", TRACE)
    for version in VERSIONS:
        run(console, "replay", TRACE, "--idf", version, *MEMORY)
    answer = compare(console)
    console.print(Text("The answer: " + " ".join(answer), style="bold"))
    console.print(Text(f"\nNext:\n{NEXT}", style=""), soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
