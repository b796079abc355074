"""A plan: one combined set of changes, replayed together, and tested on perturbed runs."""

from __future__ import annotations

from heapscope.answers.why.change import Change
from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.simulation.jitter.runs import Jitter
from heapscope.simulation.jitter.share import Share

#: How a plan keeps a need: it fits after every event, it is reserved at start-up, or it does not.
KEPT = ("fits", "reserved", "short")


class PlannedRequest(RequestRow):
    """A --need, with a plan."""

    how: str = figure(
        "Whether it fits after every event; or a block of its size is reserved at start-up; or it "
        "does not.",
        choices=KEPT,
        heading="with the plan",
    )
    short_events: int = figure(
        "Events after which it does not fit with the plan.", heading="events without room then"
    )
    short_before: int = figure("Those without the plan.", heading="events without room now")
    minimum_margin: int | None = figure(
        "Smallest largest_allocatable minus size with the plan; null: it is reserved.",
        "B",
        "smallest margin then",
        least=None,
    )


class Plan(Row):
    """Changes that were replayed together. `outcome` of each is that of it and all before it."""

    number: int = figure("From 1, the best first.", least=1, heading="Plan")
    changes: tuple[Change, ...] = figure(
        "In the order in which they were added.", entries=(1, None)
    )
    failures: int = figure("Requests that fail with all of them.", heading="failures then")
    ended: int = figure("Failures that they end.", least=None, heading="failures ended")
    given_up: int = figure("Bytes of RAM that they cost.", "B", "bytes")
    cost: int = figure("The sum of the changes' costs.", "B", "cost")
    minimum_free: int = figure("Lowest free bytes for malloc then.", "B", "minimum free then")
    needs: tuple[PlannedRequest, ...] = figure("One for each --need.", default=())
    runs: Share | None = figure(
        "The perturbed runs in which no request fails and each need fits after every event; null: "
        "none were made."
    )
    runs_before: Share | None = figure("The same without the plan; null: none were made.")
    helps: int | None = figure(
        "The perturbed runs in which fewer requests fail than without it or more needs always fit, "
        "and none of the two is worse; or all is well on both sides; null: none were made.",
        heading="runs that it helps in",
    )
    lines: tuple[str, ...] = figure("Lines for an sdkconfig.defaults.")
    patch: str = figure("They as a patch of the sdkconfig that was given; empty: none was.")
    rules: tuple[str, ...] = figure("The file that --place means, line by line.")
    steps: tuple[str, ...] = figure("The plan in words, a step each.")


class PlanAnswer(Row):
    """The plans that were found, and what is known of them."""

    plans: tuple[Plan, ...] = figure("The best first; empty: nothing that was tried helps.")
    tried: int = figure("Replays of the whole trace that the search took.")
    failures: int = figure("Requests that fail without a plan.")
    jitter: Jitter | None = figure("How runs were perturbed; null: they were not.")
    varied: tuple[str, ...] = figure("The differences from run to run, in sentences.")
    predicted: tuple[KnobOffer, ...] = figure(
        "Options of the SDK that are predicted to give the memory of the best plan, and were not "
        "replayed."
    )
    answer: tuple[str, ...] = figure("The answer for people.")
