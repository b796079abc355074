"""The demo: a real TLS client beside a real script engine on an ESP32, under two SDK versions.

Runs the commands that a user would type, each shown before its output. `make demo` calls this.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from heapscope.cli.app import app

TRACE = "workloads/captured/demo.hst.zst"
#: A firmware with Wi-Fi and TLS links about this much .data and .bss.
STATIC_DRAM = "46816"
#: What mbedTLS asks for in one piece: 16 KB of record, and its header.
NEED = "16717"

MEMORY = ["--chip", "esp32", "--static-dram", STATIC_DRAM, "--need", NEED]

NEXT = f"""\
Next:
  heapscope info {TRACE}
  heapscope replay {TRACE} --chip esp32 --allocator idf-5.5+light   # with heap poisoning
  heapscope replay {TRACE} --pool 256KB                     # one heap instead of five regions
  heapscope import text YOUR_EVENTS.txt -o T.hst                   # your own program
  heapscope replay T.hst --boot-log YOUR_BOOT.txt --need {NEED}     # your own board
"""


def run(console: Console, *arguments: str) -> None:
    console.print(Text("$ heapscope " + " ".join(arguments), style="bold cyan"), soft_wrap=True)
    console.file.flush()
    app(list(arguments), standalone_mode=False)
    console.print()


def main() -> int:
    os.chdir(Path(__file__).parents[2])
    console = Console()
    run(console, "info", TRACE)
    for version in ("4.2", "5.5"):
        run(console, "replay", TRACE, "--idf", version, *MEMORY)
    run(console, "compare", TRACE, "--idf", "4.2", "--idf", "5.5", *MEMORY)
    console.print(Text(NEXT), soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
