"""Published, predicted and simulated throughput by rank.

The simulation has a processor for each chip's table, found from its best rank; the model's
constants come from all ranks. Errors are of the other ranks. The order of two ranks of one table is
right when both differ in the published direction: two that come out equal are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.guess import predicted_throughput
from heapscope.forecast.predict.wifi_table import METRICS, WifiRow, ranks
from heapscope_studies.conclusion import concluded
from heapscope_studies.result import Cell, Column, Plot, Series, Table
from heapscope_studies.wifi_path.measured import BEFORE, SENT, Link
from heapscope_studies.wifi_ranks.errors import METRIC_NAMES

TCP = ("tcp_tx", "tcp_rx")
UDP = ("udp_tx", "udp_rx")
#: The last column of a row that its chip's processor is found from.
INPUT = "input"

_KBIT_MS = 8.192  # of 1 KB at 1 Mbit/s

Speed = Callable[[WifiRow, str], float]


@dataclass(frozen=True)
class Pairs:
    right: int
    total: int

    def __str__(self) -> str:
        return f"{self.right} of {self.total}"

    @property
    def guessed(self) -> bool:
        """Whether a coin would have put as many pairs in order."""
        return 2 * self.right <= self.total


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """Figures of the ranks that are not inputs. Errors are in percent of the published figures,
    with no sign; `ratios`: simulated to predicted."""

    simulated: np.ndarray
    predicted: np.ndarray
    ratios: np.ndarray
    order: Pairs  # simulated, against published
    order_predicted: Pairs
    agree: Pairs  # simulated, against predicted


def predictions() -> dict[tuple[str, str], float]:
    """By rank and metric, Mbit/s: the model with its shipped constants, which know every rank."""
    constants = read_constants()
    results = [(row, metric) for row in ranks() for metric in METRICS]
    guesses = predicted_throughput(
        [(row.knobs, metric) for row, metric in results],
        constants.names,
        constants.throughput,
        constants.widths,
    )
    return {
        (row.id, metric): guess.mbps()
        for (row, metric), guess in zip(results, guesses, strict=True)
    }


def in_order(rows: Sequence[WifiRow], metrics: Sequence[str], ours: Speed, theirs: Speed) -> Pairs:
    right = total = 0
    for a, b in combinations(rows, 2):
        if a.knobs.group != b.knobs.group:
            continue
        for metric in metrics:
            truth = theirs(a, metric) - theirs(b, metric)
            if truth:
                total += 1
                right += truth * (ours(a, metric) - ours(b, metric)) > 0
    return Pairs(right, total)


def opinion(link: Link, metrics: Sequence[str], simulated: Speed | None = None) -> Opinion:
    """`simulated`: instead of the link's own throughputs."""
    reported = predictions()
    ours = simulated or link.mbit

    def predicted(row: WifiRow, metric: str) -> float:
        return reported[row.id, metric]

    def published(row: WifiRow, metric: str) -> float:
        return row.throughput[metric]

    cases = [(r, metric) for r in ranks() if not link.is_input(r) for metric in metrics]
    truth = np.array([published(*case) for case in cases])
    simulation = np.array([ours(*case) for case in cases])
    model = np.array([predicted(*case) for case in cases])
    return Opinion(
        simulated=np.abs(simulation / truth - 1) * 100,
        predicted=np.abs(model / truth - 1) * 100,
        ratios=simulation / model,
        order=in_order(ranks(), metrics, ours, published),
        order_predicted=in_order(ranks(), metrics, predicted, published),
        agree=in_order(ranks(), metrics, ours, predicted),
    )


def opinions(link: Link) -> dict[str, Opinion]:
    groups = {metric: (metric,) for metric in METRICS} | {"tcp": TCP, "udp": UDP, "all": METRICS}
    return {name: opinion(link, metrics) for name, metrics in groups.items()}


def senders(link: Link) -> tuple[Opinion, Opinion]:
    """UDP that is sent by one that asks for a buffer first, and by iperf with the processor's time
    before the buffers."""
    before = opinion(link, (SENT,), lambda row, _: link.sent(row, BEFORE))
    return opinion(link, (SENT,), link.asking), before


# ---- what is shown ------------------------------------------------------------------------------

_NAMES = {**METRIC_NAMES, "tcp": "TCP", "udp": "UDP", "all": "all"}


def figures(result: Mapping[str, Opinion]) -> dict[str, dict[str, float]]:
    return {
        f"wifi_{name}": {
            "simulated_median_pct": rounded(np.median(result[name].simulated)),
            "simulated_p90_pct": rounded(np.percentile(result[name].simulated, 90)),
            "predicted_median_pct": rounded(np.median(result[name].predicted)),
            "ratio_median": rounded(np.median(result[name].ratios)),
            "pairs_right": result[name].order.right,
            "pairs_right_predicted": result[name].order_predicted.right,
            "pairs_agree": result[name].agree.right,
            "pairs": result[name].order.total,
        }
        for name in ("tcp", "udp", "udp_tx", "udp_rx", "all")
    }


def findings(link: Link, result: Mapping[str, Opinion]) -> Iterator[str]:
    tcp, udp = result["tcp"], result["udp"]
    alike = read_constants().measured["new_table"]["median_pct"]
    yield (
        f"TCP: lwIP's windows, a round trip of {_round_trip(link):g} ms behind the access point "
        f"and one processor a table, found from its best rank, give the order of {tcp.order} pairs "
        f"of ranks and an error of {np.median(tcp.simulated):.0f} % in the median; the throughput "
        f"model, whose constants know every rank, {tcp.order_predicted} and "
        f"{np.median(tcp.predicted):.0f} %. The two agree on the order of {tcp.agree}. Where the "
        f"model, too, knows a table by its best rank only, it is off by {alike:.0f} % (all four "
        "throughputs): "
        + concluded(
            alike < np.median(tcp.simulated),
            "it is the better one, and stays what predicts.",
            "the simulated link is as good there.",
        )
    )
    yield (
        concluded(
            udp.order.guessed,
            f"UDP is a miss: the order of {udp.order} pairs",
            f"UDP: the order of {udp.order} pairs",
        )
        + f", {np.median(udp.simulated):.0f} % (the model {udp.order_predicted}, "
        f"{np.median(udp.predicted):.0f} %). "
        + concluded(
            udp.order.guessed,
            "On the simulated link a few buffers keep the processor busy, so that nearly all "
            "ranks with aggregation come out alike.",
            "More pairs are in order than by guessing.",
        )
    )
    sent, received, every = (result[name] for name in ("udp_tx", "udp_rx", "all"))
    asking, before = senders(link)
    yield (
        f"UDP that is sent, with ESP-IDF's iperf as it is: {sent.order} pairs are in order, "
        f"{np.median(sent.simulated):.0f} % in the median. It sleeps from 1 to 64 ms when it finds "
        "no buffer. A sender that asks for a buffer first puts "
        f"{asking.order} in order, {np.median(asking.simulated):.0f} %. One choice is published "
        "nowhere: here the processor's time of a frame lies behind the driver's buffers. Before "
        f"them the same sender puts {before.order} in order, {np.median(before.simulated):.0f} %."
    )
    yield (
        f"UDP that is received has the receiver as it was: {received.order} pairs, "
        f"{np.median(received.simulated):.0f} %. A mailbox and a reader's task made it worse: "
        "under a flood they throw away what real devices deliver, and the study tells neither its "
        f"flood nor its mailboxes. All four throughputs: {np.median(every.simulated):.1f} % in the "
        "median."
    )


def _round_trip(link: Link) -> float:
    return 2 * link.settings["delay_us"] / 1000


def _model_trip(limit: str) -> float:
    """Milliseconds, from the model's constant of a window: KB for each Mbit/s."""
    constants = read_constants()
    at = constants.names.index(f"limit.{limit}")
    return float(np.exp(constants.throughput.theta[at])) * _KBIT_MS


def tables(link: Link, result: Mapping[str, Opinion]) -> Iterator[Table]:
    yield Table(
        key="second_opinion",
        title="Simulated and predicted throughput against published, ranks that are no input",
        columns=(
            Column(key="metric", heading="Metric", name=True),
            Column(key="simulated", heading="simulated: median error", unit="%", digits=1),
            Column(key="simulated_90", heading="nine in ten", unit="%", digits=1),
            Column(key="predicted", heading="predicted: median error", unit="%", digits=1),
            Column(key="predicted_90", heading="nine in ten", unit="%", digits=1),
            Column(key="ratio", heading="simulated to predicted", ratio=True),
            Column(key="order", heading="order right: simulated", name=True),
            Column(key="order_predicted", heading="predicted", name=True),
            Column(key="agree", heading="agree with each other", name=True),
        ),
        rows=tuple(_opinion_row(_NAMES[name], one) for name, one in result.items()),
        notes=(
            "simulated: the processor's time of a frame is found from each table's best rank, for "
            "each metric; predicted: with the shipped constants, which were fitted to all ranks",
            "order: pairs of ranks of one table, the best ones too; equal ones are not right",
        ),
    )
    yield _delays(link)
    yield _ranks(link)


def _opinion_row(name: str, one: Opinion) -> tuple[Cell, ...]:
    return (
        name,
        rounded(np.median(one.simulated)),
        rounded(np.percentile(one.simulated, 90)),
        rounded(np.median(one.predicted)),
        rounded(np.percentile(one.predicted, 90)),
        rounded(np.median(one.ratios)),
        str(one.order),
        str(one.order_predicted),
        str(one.agree),
    )


def _delays(link: Link) -> Table:
    used = link.settings["delay_us"]
    tried = {delay: lambda row, metric, d=delay: link.delays[d][row.id][metric]
             for delay in link.delays} | {used: partial(link.mbit, code=None)}  # fmt: skip
    result = {delay: opinion(link, TCP, speed) for delay, speed in sorted(tried.items())}
    return Table(
        key="delays",
        title="TCP with other delays behind the access point",
        columns=(
            Column(key="round_trip", heading="round trip", unit="ms", digits=1),
            Column(key="median", heading="median error", unit="%", digits=1),
            Column(key="p90", heading="nine in ten", unit="%", digits=1),
            Column(key="order", heading="order right", name=True),
        ),
        rows=tuple(
            (
                2 * delay / 1000,
                rounded(np.median(one.simulated)),
                rounded(np.percentile(one.simulated, 90)),
                str(one.order),
            )
            for delay, one in result.items()
        ),
        notes=(
            f"{_round_trip(link):g} ms is used throughout: the one figure of the link chosen by "
            f"these ranks' published throughputs; the processors are found anew for each",
            "all ranks of a table have the processor of the best one here, wherever their code is",
            f"the throughput model's constants say {_model_trip('send_window'):.1f} ms to send and "
            f"{_model_trip('receive_window'):.1f} to receive, air and processor included",
        ),
    )


def _ranks(link: Link) -> Table:
    reported = predictions()
    return Table(
        key="throughput",
        title="Throughput by rank: published, predicted, simulated",
        columns=(
            Column(key="rank", heading="Rank", name=True),
            *(
                column
                for metric in METRICS
                for column in _columns(metric, wide=not metric.startswith("tcp"))
            ),
            Column(key="role", heading="", name=True),
        ),
        rows=tuple(
            (
                row.id,
                *(cell for metric in METRICS for cell in _cells(link, reported, row, metric)),
                INPUT if link.is_input(row) else "",
            )
            for row in ranks()
        ),
        notes=("input: the rank whose published throughputs its table's processor is found from",),
    )


def _columns(metric: str, *, wide: bool) -> Iterator[Column]:
    name = METRIC_NAMES[metric]
    for side, heading in (
        ("published", name),
        ("predicted", "pre- dicted"),
        ("simulated", "simu- lated"),
    ):
        yield Column(key=f"{metric}_{side}", heading=heading, unit="Mbit/s", digits=1, wide=wide)
    yield Column(
        key=f"{metric}_difference", heading="diff.", unit="Mbit/s", digits=1, signed=True, wide=wide
    )


def _cells(
    link: Link, reported: Mapping[tuple[str, str], float], row: WifiRow, metric: str
) -> tuple[float, ...]:
    published, simulated = row.throughput[metric], link.mbit(row, metric)
    return (
        published,
        round(reported[row.id, metric], 2),
        round(simulated, 2),
        round(simulated - published, 2) + 0.0,
    )


def plots(link: Link) -> Iterator[Plot]:
    reported = predictions()
    x = tuple(float(number) for number in range(len(ranks())))
    for metric in METRICS:
        yield Plot(
            key=f"{metric}_by_rank",
            title=f"{METRIC_NAMES[metric]} by rank: published, predicted, simulated",
            x_heading="rank",
            x_labels=tuple(row.id for row in ranks()),
            y_heading="throughput",
            y_unit="Mbit/s",
            series=(
                Series(
                    name="simulated",
                    x=x,
                    y=tuple(link.mbit(row, metric) for row in ranks()),
                    points=True,
                ),
                Series(
                    name="predicted",
                    x=x,
                    y=tuple(round(reported[row.id, metric], 2) for row in ranks()),
                    points=True,
                ),
                Series(
                    name="published",
                    x=x,
                    y=tuple(row.throughput[metric] for row in ranks()),
                    points=True,
                    beside="simulated",
                ),
            ),
        )


def rounded(value: float | np.floating[object]) -> float:  # type: ignore[type-var]
    return round(float(value), 2)
