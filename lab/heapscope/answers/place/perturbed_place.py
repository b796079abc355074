"""A placement on perturbed runs: the share in which it does what it did with the recorded one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heapscope.answers.place.find import Way
from heapscope.answers.place.question import PlaceQuestion
from heapscope.answers.place.trial import PlaceTrials
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import size
from heapscope.native.reader import NativeReader
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns, Push
from heapscope.simulation.jitter.share import Share, share


class PerturbedPlacement(Row):
    """How perturbed runs of the trace go under the best placement."""

    jitter: Jitter = figure("How the runs were perturbed.")
    varied: tuple[str, ...] = figure("The differences from run to run, in sentences.")
    held: Share = figure(
        "The runs in which it holds: the need fits at every moment; or, where the aim is free "
        "memory, more of it is free than without the rules. No more requests fail than without "
        "them."
    )
    least: int = figure(
        "The least that a run gives: the largest block at the worst moment, or the free memory "
        "that the rules add, which can be less than 0.",
        "B",
        least=None,
    )
    middle: int = figure("The median of the same.", "B", least=None)

    def sentences(self, need: str) -> Iterator[str]:
        """`need`: in words; empty: the aim is free memory."""
        if need:
            yield (
                f"{need} fit in {self.held.text}; the largest block is {size(self.least)} in the "
                f"worst of them and {size(self.middle)} in the median."
            )
        else:
            less = "less" if self.least < 0 else "more"
            yield (
                f"The rules leave more free in {self.held.text}: {size(self.middle)} more in the "
                f"median, and {size(abs(self.least))} {less} in the worst of them."
            )


def perturbed_placement(
    question: PlaceQuestion,
    best: Way,
    jitter: Jitter,
    push: Push,
    done: Callable[[], None],
) -> PerturbedPlacement:
    """`push`: the whole trace. Each run is replayed with the rules and without. InputError: events
    are missing in the trace."""
    need = question.wish.need
    good = 0
    figures: list[int] = []
    with PerturbedRuns(push, jitter) as runs:
        for number in range(jitter.runs):

            def play(reader: NativeReader, number: int = number) -> None:
                runs.play(reader, number)

            trials = PlaceTrials(
                question.recording, question.layout, need=need, tried=done, play=play
            )
            none = trials.run(question.text(()))
            outcome = trials.run(best.text)
            shown = question.figure(outcome) - (0 if need else question.figure(none))
            figures.append(max(0, shown) if need else shown)
            enough = shown >= need.size if need is not None else shown > 0
            good += enough and outcome.failures <= none.failures
        varied = runs.varied
    ranked = sorted(figures)
    return PerturbedPlacement(
        jitter=jitter,
        varied=varied,
        held=share(good, jitter.runs),
        least=ranked[0],
        middle=ranked[len(ranked) // 2],
    )
