"""The share of runs that went well, with its confidence interval."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row

CONFIDENCE = 0.95


class Share(Row):
    """The runs that went well, of all perturbed ones. The interval is Wilson's, at 95 %: of the
    runs that the model makes, it holds the true share in 19 of 20 cases. It says nothing of how
    well the model is like the program."""

    runs: int = figure("Perturbed runs.")
    good: int = figure("Those that went well.", heading="runs that go well")
    low: float = figure("Lower end of Wilson's 95 % interval of the share.", most=1, digits=4)
    high: float = figure("Upper end of that interval.", most=1, digits=4)

    @property
    def text(self) -> str:
        """ "988 of 1,000 perturbed runs (97.9 to 99.3 %)"."""
        return f"{self.good:,} of {self.runs:,} perturbed runs ({self.between})"

    @property
    def between(self) -> str:
        return f"{100 * self.low:.1f} to {100 * self.high:.1f} %"


def share(good: int, runs: int) -> Share:
    """There is at least one run."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    part, weight = good / runs, z * z / runs
    middle = (part + weight / 2) / (1 + weight)
    reach = z * sqrt(part * (1 - part) / runs + weight / runs / 4) / (1 + weight)
    low = 0.0 if good == 0 else middle - reach
    high = 1.0 if good == runs else middle + reach
    return Share(runs=runs, good=good, low=low, high=high)
