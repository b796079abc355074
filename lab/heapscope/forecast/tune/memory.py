"""The memory that is left, of predict's sum of parts, as a quantity of a space.

A part hangs on some knobs, on one in most cases: what each value of the knob makes of it is asked
of predict's own table. Frames hang on two: a window asks for them, and a number of buffers limits
them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from heapscope.config.value import Value
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_states import (
    DRAM,
    IRAM,
    PSRAM,
    FreeBand,
    MemoryModel,
)
from heapscope.forecast.predict.memory_use import use_of
from heapscope.forecast.predict.part_table import BEYOND, PartRow, parts_in
from heapscope.forecast.tune.options import TOGETHER, as_number, as_tx, built_values
from heapscope.forecast.tune.quantity import Quantity, band_above
from heapscope.forecast.tune.space import Array, Choice, Larger, Space

FREE = "free"
#: Parts that are as many as a window asks for, but no more than there are buffers; the name that
#: formulas have for that number.
_FRAMES = {
    "dynamic-tx": ("tcp_snd_buf", "tx", "tx_frames"),
    "dynamic-rx": ("tcp_wnd", "dynamic_rx", "rx_frames"),
}
_WINDOW, _MAILBOX = "tcp_wnd", "LWIP_TCP_RECVMBOX_SIZE"
_MOST = 1 << 10  # frames, more than all windows ask for
_KIB = 1024

#: The values that each knob may have.
Values = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True, kw_only=True, eq=False)
class LeftMemory:
    """`now`: what the configuration of the model is taken to be."""

    model: MemoryModel
    now: Choice
    _known: dict[Hashable, FreeBand] = field(default_factory=dict, repr=False)

    def free(self, choice: Choice) -> FreeBand:
        """Bytes that a choice leaves when everything is at work."""
        key = frozenset(choice.items())
        if key not in self._known:
            self._known[key] = self._at(choice).free_dram(self.model.busiest)
        return self._known[key]

    def elsewhere(self, choice: Choice) -> dict[str, float]:
        """KB of the other memories that a choice leaves: medians."""
        free = self._at(choice).free(self.model.busiest)
        return {place: free[place].median / _KIB for place in (IRAM, PSRAM)}

    @property
    def moves_together(self) -> bool:
        """Code that options move into IRAM may go on into memory that is heap otherwise."""
        chip, minor = self.model.scene.config.chip, self.model.scene.minor
        parts = [part for part in parts_in(chip, minor) if part.component == BEYOND]
        return any(part.counted(self.model.scene) for part in parts)

    def larger(self, values: Values) -> Iterator[Larger]:
        """Minus the frames of each part that hangs on two knobs: the larger of minus what the
        window asks for and minus what the buffers allow."""
        for name, (window, buffers, _) in _FRAMES.items():
            yield Larger(
                name=name,
                knobs=(window, buffers),
                of=(
                    {value: -self._frames_of(name, window, value) for value in values[window]},
                    {value: -_allowed(value) for value in values[buffers]},
                ),
            )

    def quantity(self, space: Space, *, median: bool) -> Quantity:
        """The memory, KB, less than nothing: minus its median, or minus the lower end of its band.
        Sums: bytes of each part that hangs on a knob, of the others by kind of figure, and 1."""
        fit, model = memory_fit(), self._at(self.now)
        state = model.own[-1].model.busiest if model.own else model.busiest
        values = {knob.name: knob.values for knob in space.knobs}
        by_knob, hang = self._hang(values, state)
        kinds = {each.id: each.kind for each in hang}
        index = {name: number for number, name in enumerate(kinds)}
        every, origin = self._every(model, state)
        rest = [(kind, size) for name, (kind, size) in every.items() if name not in kinds]
        width = len(index) + len(fit.names)
        to_names = np.zeros((width, len(fit.names)))
        for name, number in index.items():
            to_names[number, fit.names.index(kinds[name])] = 1.0
        to_names[len(index) :] = np.eye(len(fit.names))
        covariance = np.zeros((width + 1, width + 1))
        covariance[:-1, :-1] = to_names @ fit.covariance @ to_names.T
        for name, number in index.items():
            covariance[number, number] += (fit.own[kinds[name]] * fit.factor(kinds[name])) ** 2
        use = use_of(rest, () if model.own else model.more(state))
        constant = np.zeros(width + 1)
        constant[len(index) : -1] = fit.row(use.features) / _KIB
        sizes = model.sizes(state, DRAM, kinds)
        for name, number in index.items():
            before = origin.get(name, 0.0)
            has = 0.0 if name in _FRAMES else sizes.get(name, ("", 0.0))[1]
            constant[number] = (has - before) / _KIB
        weights = np.append(to_names @ fit.mean, 1.0)
        larger = {}
        for each in hang:
            if each.id in _FRAMES:
                larger[each.id] = np.zeros(width + 1)
                larger[each.id][index[each.id]] = -float(each.size(model.at(state).scene)) / _KIB
        reach, variance = model.widths(model.busiest)
        built = Quantity(
            name=FREE,
            constant=constant,
            parts={
                knob: {
                    value: self._step(sizes, by_knob[knob], knob, value, state, index, width)
                    for value in of
                }
                for knob, of in values.items()
            },
            larger=larger,
            cost=band_above(
                weights,
                covariance,
                0.0 if median else reach * sqrt(variance + fit.own_variance(use.squares)) / _KIB,
                0.0 if median else reach,
            ),
            scale=100.0,
        )
        # what no option changes is what is missing to the present median
        only = {knob: (value,) for knob, value in self.now.items()}
        at = constant.copy()
        for one in self.larger(only):
            at += larger.get(one.name, 0.0) * one.value(self.now)
        constant[-1] = -self.free(self.now).median / _KIB - float(weights @ at)
        return built

    def _every(
        self, model: MemoryModel, state: str
    ) -> tuple[dict[str, tuple[str, float]], dict[str, float]]:
        """Kind and bytes of all parts; where the user's board was measured, what is more than in
        its configuration, and that configuration's bytes."""
        every = model.sizes(state, DRAM)
        if not model.own:
            return every, {}
        own = model.own[-1].model.sizes(state, DRAM)
        kinds = {name: kind for name, (kind, _) in (own | every).items()}
        more = {
            name: (kind, every.get(name, ("", 0.0))[1] - own.get(name, ("", 0.0))[1])
            for name, kind in kinds.items()
        }
        return more, {name: size for name, (_, size) in own.items()}

    def _step(
        self,
        now: Mapping[str, tuple[str, float]],
        names: frozenset[str],
        knob: str,
        value: Hashable,
        state: str,
        index: Mapping[str, int],
        width: int,
    ) -> Array:
        step = np.zeros(width + 1)
        if names and value != self.now.get(knob):
            then = self._at({**self.now, knob: value}).sizes(state, DRAM, names)
            for name in names:
                more = then.get(name, ("", 0.0))[1] - now.get(name, ("", 0.0))[1]
                step[index[name]] = more / _KIB
        return step

    def _hang(
        self, values: Values, state: str
    ) -> tuple[dict[str, frozenset[str]], tuple[PartRow, ...]]:
        """Parts that hang on each knob alone, and all that hang on any."""
        chip = self.model.scene.config.chip
        options = {
            knob: {name for value in of for name in self._built(knob, value)}
            for knob, of in values.items()
        }
        result: dict[str, set[str]] = {knob: set() for knob in values}
        parts: dict[str, PartRow] = {}
        requested = self._at(self.now).options_read(state)
        for part in parts_in(chip, self.model.scene.minor):
            knobs = [
                knob for knob, names in options.items() if names & requested.get(part.id, set())
            ]
            if part.id in _FRAMES:
                most = self._unlimited(part.id)
                if any(each.place != DRAM for each in most.held(state, {part.id})):
                    continue  # PSRAM holds them
            if not knobs:
                continue
            parts[part.id] = part
            # code behind the end of IRAM does not add up over the options that move it
            beyond = part.component == BEYOND and TOGETHER in values
            knobs = [TOGETHER] if beyond else [each for each in knobs if each != TOGETHER]
            for knob in knobs if part.id not in _FRAMES else ():
                result[knob].add(part.id)
        return {knob: frozenset(names) for knob, names in result.items()}, tuple(parts.values())

    def _unlimited(self, part: str, **values: Hashable) -> MemoryModel:
        """With no limit of the buffers that hold a part's frames."""
        buffers = _FRAMES[part][1]
        most = ("dynamic", _MOST) if buffers == "tx" else 0
        return self._at({**self.now, **values, buffers: most})

    def _frames_of(self, part: str, window: str, value: Hashable) -> float:
        """Frames that a window asks for."""
        model = self._unlimited(part, **{window: value})
        scene = model.at(model.busiest).scene
        return float(scene.name(_FRAMES[part][2]))

    def _at(self, choice: Choice) -> MemoryModel:
        scene = replace(self.model.scene, instead=self._values(choice), _names={})
        return self.model.at_scene(scene)

    def _values(self, choice: Choice) -> dict[str, Value]:
        built: dict[str, Value] = {}
        for knob, value in choice.items():
            built.update(self._built(knob, value))
        return built

    def _built(self, knob: str, value: Hashable) -> dict[str, Value]:
        """The options that a build has with this value of a knob: a mailbox grows with its window,
        as the advice beside the answer says, unless it is too small as it is."""
        built = dict(built_values(self.model.scene.config.chip, knob, value))
        if knob == _WINDOW and value != self.now.get(knob):
            scene = self.model.scene
            before, after = (
                (as_number(one) or 0) // scene.number("LWIP_TCP_MSS", 1440) + 2
                for one in (self.now.get(knob), value)
            )
            if before <= scene.number(_MAILBOX, 6) < after:
                built[_MAILBOX] = after
        return built


def _allowed(value: Hashable) -> float:
    """Frames that a number of buffers allows; static ones hold none of their own."""
    if isinstance(value, tuple):
        kind, count = as_tx(value)
        return float(count) if kind == "dynamic" else 0.0
    return float(as_number(value) or _MOST)
