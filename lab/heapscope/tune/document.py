"""The rows of tune's JSON documents."""

from __future__ import annotations

from heapscope.predict.environment import Environment
from heapscope.rows.figure import figure
from heapscope.rows.row import Document, Row
from heapscope.tune.needs import PREFERENCES, SPEED


class FiguresRow(Row):
    """The throughputs and the available memory of a configuration."""

    tcp_tx: float = figure("TCP sent.", "Mbit/s", least=None)
    tcp_rx: float = figure("TCP received.", "Mbit/s", least=None)
    udp_tx: float = figure("UDP sent.", "Mbit/s", least=None)
    udp_rx: float = figure("UDP received.", "Mbit/s", least=None)
    free: float = figure("The available memory.", "KB", least=None)


class EffectRow(Row):
    """The medians of the best configuration less those of the best with one knob put back."""

    free: float = figure("The difference in available memory.", "KB", least=None)
    tcp_tx: float = figure("The difference in TCP sent.", "Mbit/s", least=None)
    tcp_rx: float = figure("The difference in TCP received.", "Mbit/s", least=None)
    udp_tx: float = figure("The difference in UDP sent.", "Mbit/s", least=None)
    udp_rx: float = figure("The difference in UDP received.", "Mbit/s", least=None)


class CandidateRow(Row):
    """A configuration and the figures that are predicted of it."""

    knobs: dict[str, str] = figure("The value of each knob in words.")
    median: FiguresRow = figure("The medians.")
    low_80: FiguresRow = figure("The lower bounds of the 80 % bands.")
    high_80: FiguresRow = figure("The upper bounds of the 80 % bands.")


class NeedResultRow(Row):
    """A need and the amount of it that there is."""

    target: str = figure("The name of the need.")
    amount: float = figure("The amount that is needed.", least=None)
    unit: str = figure("The unit of the amount.")
    value: float | None = figure(
        "The amount of the best configuration; without one, that of the nearest.", least=None
    )
    binds: bool = figure("The preferred would be better without this need.")
    goal_gain_without: float | None = figure(
        "The gain of the preferred without this need; null: it was not asked for.", least=None
    )


class ChangedKnobRow(Row):
    """A knob that is not as it was."""

    knob: str = figure("The name of the knob.")
    label: str = figure("The name of the knob in words.")
    before: str = figure("The present value.")
    after: str = figure("The value of the best configuration.")
    effect: EffectRow = figure(
        "The medians of the best less those of the best with this knob alone put back."
    )
    breaks_if_put_back: tuple[str, ...] = figure("Hard rules that then fail.")


class AlternativeRow(Row):
    """The best configuration that leaves one knob alone."""

    kept: str = figure("The knob that is left alone.")
    loss: float = figure("The loss of the preferred.")
    best: CandidateRow = figure("The configuration.")


class FrontPointRow(Row):
    """A configuration than which no other has more of both."""

    free_kb: float = figure("The available memory.", "KB", least=None)
    value: float = figure("The throughput of the front.", "Mbit/s", least=None)
    best: CandidateRow = figure("The configuration.")


class RelaxationRow(Row):
    """The least by which the needs have to give way."""

    share: float = figure(
        "The share by which all needs give way at once: throughputs are divided by 1 + share, "
        "memory is less by this share."
    )
    amounts: dict[str, float] = figure("The amount that is left of each need.", least=None)
    alone: dict[str, float | None] = figure(
        "The most of each need with all others kept; null: they cannot be kept.", least=None
    )
    best: CandidateRow = figure("The configuration that has these amounts.")


class TuneTrace(Row):
    """The trace that must fit, and its replays."""

    trace: str = figure("The file of the trace.")
    fits_from_kb: float = figure(
        "The available memory from which the trace survives.", "KB", least=None
    )
    replays: int = figure("Replays that the answer took.", "replays", least=1)
    refused: int = figure("Configurations that the replay refused and a cut took out.")
    largest_min: int | None = figure(
        "The least that the largest block ever was in the accepted replay; null: none was "
        "accepted.",
        "B",
        least=None,
    )


class TlsVariantRow(Row):
    """A mode of TLS, for all sessions at their peak."""

    name: str = figure("The mode in words.")
    options: tuple[str, ...] = figure("Lines that make it; none: it is so already.")
    internal_bytes: int = figure("The memory that it takes in the chip.", "B", least=None)
    psram_bytes: int = figure("The memory that it takes in PSRAM.", "B", least=None)
    longest_buffer_bytes: int = figure(
        "The memory that must be there in one piece.", "B", least=None
    )
    asks: tuple[str, ...] = figure("The needs that it has of the program.")
    asks_peer: str = figure("The need that it has of the other side; empty: there is none.")


class TlsChoiceRow(Row):
    """The modes of TLS."""

    sessions: int = figure("The sessions at the same time.", least=1)
    now: TlsVariantRow = figure("The mode of the present configuration.")
    best: TlsVariantRow = figure("The mode with the least memory that asks nothing of the peer.")
    others: tuple[TlsVariantRow, ...] = figure("The other modes, the one with the least first.")


class TuneDocument(Document):
    """The best configuration that has all that is needed, or how much less would do. Throughputs
    are in Mbit/s, memory is in KB (1024 bytes); figures are predictions."""

    VERB = "tune"

    chip: str = figure("The chip of the configuration.")
    sdk: str = figure("The ESP-IDF version whose rules, ranges and defaults count.")
    psram: str = figure("The kind of the PSRAM.", choices=("none", "quad", "octal"))
    prefer: str = figure("The figure that there is most of.", choices=PREFERENCES)
    environment: Environment = figure("The place where the device will be.")
    bound_used: str = figure(
        "The bound at which needs are held and the preferred is counted.",
        choices=("lower_80", "median"),
    )
    feasible: bool = figure("There is a configuration that has all that is needed.")
    model: str = figure('The file of the constants: "optimal" is by these.')
    programmes: int = figure("Mixed-integer programmes that were solved.", "programmes")
    no_configuration_above: float | None = figure(
        "The proven bound of the preferred; null: it is speed, or there is no answer.", least=None
    )
    now: CandidateRow = figure("The present configuration.")
    best: CandidateRow | None = figure("The best configuration; null: none has all that is needed.")
    needs: tuple[NeedResultRow, ...] = figure("The needs.")
    changes: tuple[ChangedKnobRow, ...] = figure("The knobs that change.")
    options: tuple[str, ...] = figure(
        "Lines for sdkconfig.defaults.", pattern="^CONFIG_[A-Z0-9_]+="
    )
    alternatives: tuple[AlternativeRow, ...] = figure(
        "For each changed knob, the best configuration that leaves it alone."
    )
    front_metric: str = figure("The throughput of the front; empty: no front was asked for.")
    front: tuple[FrontPointRow, ...] = figure(
        "The front from the most memory to the fastest, at bound_used."
    )
    relaxation: RelaxationRow | None = figure(
        "The least by which the needs have to give way; null: all of them are met."
    )
    replay: TuneTrace | None = figure("With --trace: the trace; null: there was none.")
    tls: TlsChoiceRow | None = figure(
        "With --tls: the modes, by predicted memory; best asks nothing of the peer."
    )
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the answer.")


class RankGainRow(Row):
    """A published configuration and the best one that takes no more memory."""

    rank: str = figure("The published configuration.")
    label: str = figure("The name that it has in its table.")
    group: str = figure("The chip and the PSRAM.")
    refused: tuple[str, ...] = figure("The reasons why no build takes it as published.")
    projected: dict[str, str] | None = figure(
        "The value of each knob that then stands for it; null: it is taken as published."
    )
    direction: str = figure(
        "The figure that was made most of.", choices=(SPEED, "tcp_tx", "tcp_rx")
    )
    predicted: FiguresRow = figure("The medians of the published configuration.")
    best: dict[str, str] = figure("The value of each knob of the best configuration.")
    best_predicted: FiguresRow = figure("The medians of the best configuration.")
    gain_pct: dict[str, float] = figure("The gain of each throughput.", "%", least=None)
    gain_free_kb: float = figure("The gain of available memory.", "KB", least=None)
    gained: bool = figure("A throughput is better by more than the solver's tolerance.")
    proven_none: bool = figure("By the solver's bound nothing is better.")
    spare_pct: float = figure(
        "The part of its time per bit, all throughputs added up, that the bound is below it.",
        "%",
        least=None,
    )
