"""lab/heapscope/data/memory/rests.csv, summed up from empty.csv and built.csv beside it and from
the parts of each program's default build."""

from __future__ import annotations

import csv
import io

from pages import make

from heapscope.forecast.predict.chip_memory import measured_rests


def table() -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("chip", "sdk", "dram", "iram", "doubt", "source"))
    for rest in measured_rests():
        iram = "" if rest.iram is None else round(rest.iram, 3)
        sdk = ".".join(map(str, rest.minor))
        rows.writerow((rest.chip, sdk, round(rest.dram, 3), iram, rest.doubt, rest.source))
    return text.getvalue()


if __name__ == "__main__":
    make("lab/heapscope/data/memory/rests.csv", table())
