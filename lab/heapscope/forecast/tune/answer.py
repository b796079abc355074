"""The result of a question of tune, which is its JSON document too."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Document, Row
from heapscope.config.config import line_of, table_of
from heapscope.config.value import Value
from heapscope.forecast.predict.environment import Environment
from heapscope.forecast.tune.domain import SearchedKnob
from heapscope.forecast.tune.goals import PREFERENCES, Goal
from heapscope.forecast.tune.options import LABELS, label, option_values
from heapscope.forecast.tune.tls import TlsChoice
from heapscope.forecast.tune.trades import TuneTrade, values_of
from heapscope.forecast.tune.wifi import WifiFigures


class Candidate(WifiFigures):
    """A configuration and the figures that are predicted of it."""

    choice: Mapping[str, Hashable] = figure("The value of each knob.", hidden=True)

    @property
    @computed("The value of each knob in words.")
    def knobs(self) -> dict[str, str]:
        return {name: label(name, value) for name, value in self.choice.items()}


class GoalResult(Goal):
    """A goal and the amount of it that there is."""

    value: float = figure(
        "The amount of the best configuration; without one, that of the nearest. It is at the "
        "bound that counts.",
        least=None,
        digits=4,
    )
    gain_without: float | None = figure(
        "The gain of the preferred without this goal; null: it was not asked for.",
        least=None,
        digits=4,
    )

    @property
    @computed("The preferred would be better without this goal.")
    def binds(self) -> bool:
        return bool(self.gain_without and self.gain_without > 0)


class ChangedKnob(Row):
    """A knob that is not as it was."""

    knob: str = figure("The name of the knob.")
    old: Hashable = figure("The present value.", hidden=True)
    new: Hashable = figure("The value of the best configuration.", hidden=True)
    effect: dict[str, float] = figure(
        "The medians of the best less those of the best with this knob alone put back: Mbit/s by "
        "throughput; free, and iram and psram, the other memories, in KB.",
        least=None,
        digits=4,
    )
    breaks_if_put_back: tuple[str, ...] = figure("Hard rules that then fail.")

    @property
    @computed("The name of the knob in words.")
    def label(self) -> str:
        return LABELS[self.knob]

    @property
    @computed("The present value.")
    def before(self) -> str:
        return label(self.knob, self.old)

    @property
    @computed("The value of the best configuration.")
    def after(self) -> str:
        return label(self.knob, self.new)


class Alternative(Row):
    """The best configuration that leaves one knob alone."""

    kept: str = figure("The knob that is left alone.")
    best: Candidate = figure("The configuration.")
    loss: float = figure("The loss of the preferred, in its unit.", digits=4)


class FrontPoint(Row):
    """A configuration than which no other has more of both, at the bound that counts."""

    free_kb: float = figure("The available memory.", "KB", least=None, digits=4)
    value: float = figure("The throughput of the front.", "Mbit/s", least=None, digits=4)
    best: Candidate = figure("The configuration.")


class Relaxation(Row):
    """The least by which the goals have to give way."""

    share: float = figure(
        "The share by which all goals give way at once: throughputs are divided by 1 + share, "
        "memory is less by this share.",
        digits=4,
    )
    best: Candidate = figure("The configuration that has these amounts.")
    amounts: dict[str, float] = figure(
        "The amount that is left of each goal.", least=None, digits=4
    )
    alone: dict[str, float | None] = figure(
        "The most of each goal with all others kept; null: they cannot be kept.",
        least=None,
        digits=4,
    )


@dataclass(frozen=True, kw_only=True)
class Companion:
    """An option that is not in the models but should follow the others."""

    option: str
    value: Value
    reason: str


class TuneTrace(Row):
    """The trace that must fit, and its replays."""

    trace: str = figure("The file of the trace.")
    fits_from_kb: float = figure(
        "The available memory from which the trace survives, in the answer's configuration beside "
        "its system's blocks; without an answer, in the present one.",
        "KB",
        least=None,
    )
    replays: int = figure("Replays that the answer took.", "replays", least=1)
    needs: tuple[RequestRow, ...] = figure("The requests that fit at every moment, too.")
    refused: int = figure("Configurations that the replay refused and a cut took out.")
    minimum_free: int | None = figure(
        "The least that malloc had free in the accepted replay; null: none was accepted.", "B"
    )
    largest_min: int | None = figure(
        "The least that the largest block ever was in the accepted replay; null: none was "
        "accepted.",
        "B",
        least=None,
    )


class TuneResult(Document):
    """The best configuration that has all that is needed, or how much less would do. Throughputs
    are in Mbit/s, memory is in KB (1024 bytes); figures are predictions."""

    VERB = "tune"
    VERSION = 1
    main_table = "changes"

    chip: str = figure("The chip of the configuration.")
    sdk: str = figure("The ESP-IDF version whose rules, ranges and defaults count.")
    psram: str = figure("The kind of the PSRAM.", choices=("none", "quad", "octal"))
    prefer: str = figure("The figure that there is most of.", choices=PREFERENCES)
    environment: Environment = figure("The place where the device will be.")
    median: bool = figure("Goals are held at the median.", hidden=True)
    model: str = figure(
        'The file of the constants: "optimal" is by these.', default="data/wifi/model.json"
    )
    programmes: int = figure("Linear programmes that were solved.", "programmes", default=0)
    domain: tuple[SearchedKnob, ...] = figure(
        "The options that were searched. Every other one stays as it is, but for trades.",
        default=(),
    )
    no_configuration_above: float | None = figure(
        "The proven bound of the preferred: no configuration of the domain has more; null: it is "
        "speed, or there is no answer.",
        least=None,
        digits=4,
        default=None,
    )
    equal_within: float | None = figure(
        "Configurations with so much less of the preferred are as good, in its unit: of them the "
        "best changes the fewest options; null: it is speed, or there is no answer.",
        digits=4,
        default=None,
    )
    now: Candidate = figure("The present configuration.")
    best: Candidate | None = figure("The best configuration; null: none has all that is needed.")
    goals: tuple[GoalResult, ...] = figure("The goals.")
    changes: tuple[ChangedKnob, ...] = figure("The knobs that change.", default=())
    trades: tuple[TuneTrade, ...] = figure(
        "Options that give memory back for something that no model weighs: those that the answer "
        "has, and those on offer.",
        default=(),
    )
    companions: tuple[Companion, ...] = figure(
        "Options that should follow the knobs.", hidden=True, default=()
    )
    alternatives: tuple[Alternative, ...] = figure(
        "For each changed knob, the best configuration that leaves it alone.", default=()
    )
    front_metric: str = figure(
        "The throughput of the front; empty: no front was asked for.", default=""
    )
    front: tuple[FrontPoint, ...] = figure(
        "The front from the most memory to the fastest, at bound_used.", default=()
    )
    relaxation: Relaxation | None = figure(
        "The least by which the goals have to give way; null: all of them are met.", default=None
    )
    replay: TuneTrace | None = figure("With --trace: the trace; null: none.", default=None)
    tls: TlsChoice | None = figure(
        "With --tls: the modes, by predicted memory; best asks nothing of the peer.", default=None
    )
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the answer.", default=())

    @property
    @computed(
        "The bound at which goals are held and the preferred is counted.",
        choices=("lower_80", "median"),
    )
    def bound_used(self) -> str:
        return "median" if self.median else "lower_80"

    @property
    def traded(self) -> tuple[TuneTrade, ...]:
        """The trades that the answer has."""
        return tuple(each for each in self.trades if each.taken)

    @property
    @computed("There is a configuration that has all that is needed.")
    def feasible(self) -> bool:
        return self.best is not None

    @property
    @computed("Lines for sdkconfig.defaults.", pattern="^CONFIG_[A-Z0-9_]+=")
    def options(self) -> tuple[str, ...]:
        values = self.option_values().items()
        return tuple(filter(None, (self.line(name, value) for name, value in values)))

    def line(self, name: str, value: Value) -> str:
        """The line of sdkconfig.defaults, in the SDK's own name; "": it has no such option."""
        return line_of(table_of(self.chip, self.sdk), name, value)

    def option_values(self) -> dict[str, Value]:
        """Every option that changes, by its name; companions included."""
        built: dict[str, Value] = {}
        for each in self.changes:
            before = option_values(self.chip, each.knob, each.old)
            after = option_values(self.chip, each.knob, each.new)
            built |= {name: value for name, value in after.items() if before.get(name) != value}
        built |= self.tls.lines if self.tls is not None else {}
        built |= values_of(self.traded)
        return built | {each.option: each.value for each in self.companions}
