"""Holds the regions of logs against maps and allocators, and writes docs/reference/log-regions.md.

python benches/log_regions FOLDER
python benches/log_regions --page | --check

FOLDER has the logs, *.log. --page writes the page again from the figures of the last run; --check
does not, and exits with 1 if it is another one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import page
from check import check_folder
from machine import commit
from results import read_results, write_results

RAW = Path(__file__).resolve().parents[2] / "docs" / "reference" / "log-regions.csv"
PAGE = RAW.with_suffix(".md")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.page or options.check):
        if options.folder is None or not options.folder.is_dir():
            parser.error("give the folder with the logs")
        logs = check_folder(options.folder)
        write_results(RAW, {"provenance": {"commit": commit()}, "logs": logs})
    built = page.markdown(read_results(RAW))
    if options.check:
        return int(PAGE.read_text(encoding="utf-8") != built)
    PAGE.write_text(built, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
