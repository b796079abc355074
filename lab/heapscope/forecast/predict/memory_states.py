"""Free memory of a configuration as the chip's memory less the sum of its parts, state by state.

    boot          the chip's memory, less code and data of an empty program and of what is linked
    app_main      less what start-up allocates; from here on RTC memory counts, as malloc has it
    wifi_started  less what Wi-Fi, lwIP and the event loop take to start
    connected     less what an association takes
    load          less what connections hold when all their buffers are full
    ble           app_main, less what Bluetooth takes
    provisioning  connected, less Bluetooth and a session of provisioning

A chip or a configuration without Wi-Fi has no wifi_started; connected is its other network, with
lwIP and the event loop.

The use of an empty program was measured with the default options. A configuration differs from it
by the parts that its options add or leave out.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import sqrt

from heapscope.config.config import Config
from heapscope.forecast.predict.chip_memory import ChipMemory, chip_memory, empty_static
from heapscope.forecast.predict.config_knobs import NET_OPTIONS, WIFI_OPTIONS
from heapscope.forecast.predict.held_part import Held, held_part
from heapscope.forecast.predict.iram_beyond import code_beyond
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_scene import BLE_WORKS, MemoryScene, QueriedValues, host_of
from heapscope.forecast.predict.memory_use import MemoryUse, use_of
from heapscope.forecast.predict.part_place import KINDS
from heapscope.forecast.predict.part_table import (
    APP_MAIN,
    BLE,
    BOOT,
    CONNECTED,
    LOAD,
    NET,
    PROVISIONING,
    STATES,
    WIFI,
    Minor,
    code_parts,
    parts_in,
)
from heapscope.memory.layout.boot_log import BootLog
from heapscope.memory.layout.chips import load_chip

MEMORIES = KINDS
DRAM, IRAM, PSRAM = MEMORIES

#: Everything that the configuration has at the same time: load, and Bluetooth beside it.
BUSY = "busy"

#: The states whose parts are held in a state, and what is linked in it besides.
_HELD: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    BOOT: ((), ()),
    APP_MAIN: ((APP_MAIN,), ()),
    WIFI: ((APP_MAIN, WIFI), ("wifi",)),
    CONNECTED: ((APP_MAIN, WIFI, CONNECTED), ("wifi",)),
    LOAD: ((APP_MAIN, WIFI, CONNECTED, LOAD), ("wifi",)),
    BLE: ((APP_MAIN, BLE), ("ble",)),
    PROVISIONING: ((APP_MAIN, WIFI, BLE, PROVISIONING), ("wifi", "ble")),
    BUSY: ((APP_MAIN, WIFI, CONNECTED, LOAD, BLE), ("wifi", "ble")),
}
#: Bytes that are learned, for code and data that nobody knows. BOTH is what two radios share.
_WIFI_MORE, _BLE_MORE, _BOTH_MORE = "more of wifi", "more of ble", "more of both"
MORE = (_WIFI_MORE, _BLE_MORE, _BOTH_MORE)
_LINK_MORE = {"wifi": _WIFI_MORE, "ble": _BLE_MORE}
#: One standard deviation of a figure that a user read from a board, bytes.
_OWN_ERROR = 2500.0
#: Half of an 80 % band of normal errors, in standard deviations.
_REACH = 1.2816


@dataclass(frozen=True, kw_only=True)
class FreeBand:
    """Free bytes of one memory, and half of the band that is to hold 80 %. Below 0: so much is
    missing, and it does not fit."""

    median: float
    half_80: float


def group_of(state: str, place: str) -> str:
    """Which of the fit's spreads and bands is that of a state."""
    groups = {BUSY: PROVISIONING, CONNECTED: WIFI, LOAD: WIFI}
    return IRAM if place == IRAM else groups.get(state, state)


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnMemory:
    """The bytes that the user's own board had free at the busiest, bytes, in a configuration."""

    model: MemoryModel
    free: float


@dataclass(frozen=True, kw_only=True, eq=False)
class MemoryModel:
    """A configuration, ready to be asked about its memory. A file of its build tells bytes of all
    code and data, `static_dram` and `static_iram`, and the radios and networks that are `linked`;
    `boot`: the heap's own regions, where an image tells them; `unlike`: what the file contradicts
    in the configuration, in sentences; `built`: what the file is of, where that is another."""

    scene: MemoryScene
    static_dram: int | None = None
    static_iram: int | None = None
    boot: BootLog | None = None
    unlike: tuple[str, ...] = ()
    linked: frozenset[str] | None = None
    built: MemoryModel | None = None
    own: tuple[OwnMemory, ...] = ()

    @property
    def states(self) -> tuple[str, ...]:
        """The states that the chip and the configuration can have."""
        wifi, ble = self._radios
        has = {WIFI: wifi, CONNECTED: self._network, BLE: ble, PROVISIONING: wifi and ble}
        return tuple(state for state in STATES if has.get(state, True))

    @property
    def busiest(self) -> str:
        """The state in which everything that the configuration has is at work."""
        return BUSY if self._radios[1] else LOAD

    def of(self, config: Config) -> MemoryModel:
        """The same program with another configuration."""
        return replace(self.at_scene(replace(self.scene, config=config, _names={})), own=())

    def at_scene(self, scene: MemoryScene) -> MemoryModel:
        """The same program in another scene: code and data are those of a file of its build, but
        for the parts that differ."""
        return replace(self, scene=scene, built=self.built or self)

    def linking(self, *links: str) -> MemoryModel:
        """The same with these linked in every state."""
        return replace(self, scene=self.scene.linking(links))

    def at(self, state: str) -> MemoryModel:
        """The same with what is linked in a state linked in every state."""
        works = self._works(state)
        marks = (BLE_WORKS,) if "ble" in works else ()
        file = (self.linked or frozenset()) & {"wifi", NET}  # start-up makes a task for them
        return self.linking(*file.union(self.scene.links, works, marks))

    def _works(self, state: str) -> tuple[str, ...]:
        """The radios and networks that are at work in a state, and are linked therefore."""
        links = _HELD[state][1]
        if "wifi" in links and not self._radios[0]:
            net = (NET,) if self._network else ()
            return (*net, *(link for link in links if link != "wifi"))
        return links

    @property
    def _radios(self) -> tuple[bool, bool]:
        scene = self.scene
        config, off = scene.config, scene.value("ESP_WIFI_ENABLED") is False
        wifi = config.chip not in _NO_WIFI and not off and not config.lacks(*WIFI_OPTIONS)
        ble = bool(scene.name("controller") or host_of(scene))
        return wifi and self._has("wifi"), ble and self._has("ble")

    @property
    def _network(self) -> bool:
        return self._has(NET, "wifi") and not self.scene.config.lacks(*NET_OPTIONS)

    def _has(self, *links: str) -> bool:
        """On is not linked: a file of the build tells which it is, and so does the user."""
        return self.linked is None or not self.linked.union(self.scene.links).isdisjoint(links)

    def held(self, state: str, only: Collection[str] | None = None) -> list[Held]:
        """The parts that are held in a state, static ones included; of these alone."""
        if only is not None and state not in self._known_held:
            return self._list_held(state, only)
        if state not in self._known_held:
            self._known_held[state] = self._list_held(state, None)
        return [each for each in self._known_held[state] if only is None or each.part.id in only]

    @functools.cached_property
    def _known_held(self) -> dict[str, list[Held]]:
        return {}  # a changed copy of the model has its own

    def _list_held(self, state: str, only: Collection[str] | None) -> list[Held]:
        whens, scene = _HELD[state][0], self._scene(state)
        built = []
        for part in parts_in(scene.config.chip, scene.minor):
            if only is not None and part.id not in only:
                continue
            if part.state != BOOT and part.state not in whens:
                continue
            if not part.is_linked(scene.links):
                continue
            count = part.counted(scene)
            if count:
                built.append(held_part(part, scene, count))
        return built

    def _scene(self, state: str) -> MemoryScene:
        beyond = functools.partial(self._beyond, state)
        return replace(self.at(state).scene, beyond=beyond, _names={})

    def _beyond(self, state: str) -> tuple[float, float]:
        """The code linked in a state that lies behind IRAM, as code_beyond has it."""
        fit, codes = memory_fit(), code_parts(self.scene.config.chip, self.scene.minor)
        use = use_of(self.sizes(state, IRAM, codes).values())
        cache = self.scene.memory.iram - self.all_cores_memory.iram  # of the second core: no code
        left = self.constant(BOOT, IRAM)[0] - use.taken(fit) - cache
        deviation = sqrt(self.base_variance(BOOT, IRAM) + use.variance(fit))
        return code_beyond(-left, deviation * fit.reach[IRAM] / _REACH)

    def options_read(self, state: str) -> dict[str, frozenset[str]]:
        """By part that can be held in a state, the options that it asks for here."""
        whens, scene = _HELD[state][0], self.at(state).scene
        built = {}
        for part in parts_in(scene.config.chip, scene.minor):
            if part.state in (BOOT, *whens) and part.is_linked(scene.links):
                requested = QueriedValues(scene.instead)
                own = replace(scene, instead=requested)
                own = self.at_scene(own)._scene(state)
                count = part.counted(own)
                held_part(part, own, count)
                built[part.id] = frozenset(requested.names)
        return built

    def free(self, state: str) -> dict[str, FreeBand]:
        """By memory."""
        psram = -sum(each.taken for each in self.held(state) if each.place == PSRAM)
        built = {DRAM: self.free_dram(state), IRAM: self._predicted(state, IRAM)}
        size, doubt = self.scene.psram_size
        built[PSRAM] = FreeBand(median=psram + size, half_80=max(doubt, -psram))
        return built

    def free_dram(self, state: str) -> FreeBand:
        return self._moved(self._predicted(state, DRAM), state)

    def _predicted(self, state: str, place: str) -> FreeBand:
        fit, group = memory_fit(), group_of(state, place)
        constant, use = self.constant(state, place)[0], self.use(state, place)
        if place == IRAM and self.scene.config.chip != "esp32":
            return FreeBand(median=0.0, half_80=0.0)
        deviation = sqrt(self.base_variance(state, place) + use.variance(fit))
        return FreeBand(median=constant - use.taken(fit), half_80=fit.reach[group] * deviation)

    def base_variance(self, state: str, place: str) -> float:
        """The variance that does not hang on options: empty programs, and how programs differ."""
        reported = self.known(place) is not None and state == BOOT
        spread = 0.0 if reported else memory_fit().spread[group_of(state, place)]
        return self.constant(state, place)[1] ** 2 + spread**2

    def _moved(self, free: FreeBand, state: str) -> FreeBand:
        """By what the user's own board has more than predicted. At the busiest the band is that of
        a measurement, and of the options that differ from the last measured configuration's."""
        if not self.own:
            return free
        more = [each.free - each.model._predicted(at, DRAM).median for each, at in self._own_at]
        half = free.half_80
        if state == self.busiest:
            each, at = self._own_at[-1]
            reach, variance = self.widths(state)
            half = reach * sqrt(variance + each.model.change(self, at).variance(memory_fit()))
        return FreeBand(median=free.median + sum(more) / len(more), half_80=half)

    def widths(self, state: str) -> tuple[float, float]:
        """Half of an 80 % band in standard deviations, and the variance of what does not hang on
        options: of DRAM."""
        if self.own and state == self.busiest:
            return memory_fit().reach["difference"], _OWN_ERROR**2 / len(self.own)
        return memory_fit().reach[group_of(state, DRAM)], self.base_variance(state, DRAM)

    @property
    def _own_at(self) -> list[tuple[OwnMemory, str]]:
        return [(each, each.model.busiest) for each in self.own]

    def known(self, place: str) -> int | None:
        """Bytes of code and data, where they are known."""
        return {DRAM: self.static_dram, IRAM: self.static_iram}.get(place)

    def constant(self, state: str, place: str) -> tuple[float, float]:
        """Free bytes before what hangs on options, with one standard deviation."""
        left, known = self.before_code(state, place), self.known(place)
        return self.less_empty(left, place) if known is None else (left - known, 0.0)

    def before_code(self, state: str, place: str) -> float:
        """Free bytes of the chip before any firmware takes of them."""
        memory = self.scene.memory
        more = memory.rtc if state != BOOT else 0
        return float(memory.dram + more if place == DRAM else memory.iram)

    @property
    def all_cores_memory(self) -> ChipMemory:
        """The chip's memory in a default build, which empty programs were measured with."""
        return chip_memory(self.scene.config.chip, self.scene.minor)

    @property
    def unexplained(self) -> float:
        """Bytes of code and data in DRAM that no part tells of: of an empty program, or of the file
        that tells the static use. A library has in it what its options move."""
        config, static = self.scene.config, load_chip(self.scene.config.chip).data.static
        known, memory = self.known(DRAM), self.all_cores_memory.dram
        if known is None:
            taken = memory - self.less_empty(memory, DRAM)[0]
            held: Iterable[Held] = default_statics(config.chip, self.scene.minor, DRAM)
        else:
            taken, held = known, (each for each in self.held(self.busiest) if each.static)
        elsewhere = static.code_elsewhere if static is not None else 0
        return taken + elsewhere - sum(each.bytes for each in held if each.is_whole)

    def less_empty(
        self,
        left: float,
        place: str,
        without: frozenset[str] = frozenset(),
        widths: tuple[float, float] | None = None,
    ) -> tuple[float, float]:
        """Less what an empty program takes. `without`, `widths`: as for empty_static."""
        empty = empty_static(self.scene.config.chip, self.scene.minor, without, widths)
        own = empty.dram if place == DRAM else empty.iram
        return left - own, empty.doubt if own else 0.0

    def before_parts(self, state: str, place: str) -> float:
        """Free bytes before any part that the configuration holds is taken off."""
        scene = self.scene
        if place == PSRAM:
            return float(scene.psram_size[0])
        if place == IRAM and scene.config.chip != "esp32":
            return 0.0
        fit, free = memory_fit(), self.constant(state, place)[0]
        if self.known(place) is None:  # an empty program has the parts of a default build in it
            config = scene.config
            default = default_statics(config.chip, scene.minor, place)
            free += sum(each.bytes for each in default)
        return free - (sum(map(fit.factor, self.more(state))) if place == DRAM else 0)

    def sizes(
        self, state: str, place: str, only: Collection[str] | None = None
    ) -> dict[str, tuple[str, float]]:
        """By part, its kind and bytes: of static parts what is not in an empty program's default
        build, or not in the build where the static use is known."""
        held = [each for each in self.held(state, only) if each.place == place]
        sizes = {each.part.id: (each.part.kind, each.taken) for each in held if not each.static}
        before: Iterable[Held] = default_statics(self.scene.config.chip, self.scene.minor, place)
        if self.known(place) is not None:
            built = (self.built or self).held(state, only)
            before = [
                each for each in built if each.static and each.place == place and not each.is_ruled
            ]
        wanted = [each for each in before if only is None or each.part.id in only]
        return sizes | _steps(wanted, [each for each in held if each.static])

    def use(self, state: str, place: str) -> MemoryUse:
        return use_of(self.sizes(state, place).values(), self.more(state) if place == DRAM else ())

    def more(self, state: str) -> tuple[str, ...]:
        links = self._works(state) if self.known(DRAM) is None else ()
        more = tuple(name for link, name in _LINK_MORE.items() if link in links)
        return (*more, _BOTH_MORE) if len(more) == len(_LINK_MORE) else more

    def change(
        self, other: MemoryModel, state: str, only: Collection[str] | None = None
    ) -> MemoryUse:
        """DRAM that `other` takes more than this: parts that both hold alike take no part in it."""
        return self.changes(other, state, only)[DRAM]

    def changes(
        self, other: MemoryModel, state: str, only: Collection[str] | None = None
    ) -> dict[str, MemoryUse]:
        """The same of each memory."""
        here, there = (model.held(state, only) for model in (self, other))
        steps = {
            place: _steps(
                *([each for each in held if each.place == place] for held in (here, there))
            )
            for place in MEMORIES
        }
        return {place: use_of(each.values()) for place, each in steps.items()}

    def ground(self, other: MemoryModel, state: str) -> float:
        """DRAM that the chip gives to `other` more than to this: by cores, and by RTC memory."""
        return other.before_code(state, DRAM) - self.before_code(state, DRAM)

    def difference(
        self, other: MemoryModel, state: str, only: Collection[str] | None = None
    ) -> FreeBand:
        """DRAM that `other` leaves more than this. `only`: parts that can differ."""
        fit, ground = memory_fit(), self.ground(other, state)
        use = self.change(other, state, only)
        # a chip's map is known to the byte, and no difference has a band of 0
        half = fit.difference_half(use.variance(fit) or float(bool(ground)), state)
        return FreeBand(median=ground - use.taken(fit), half_80=half)


def _steps(before: Iterable[Held], after: Iterable[Held]) -> dict[str, tuple[str, float]]:
    """By part that differs, its kind and by how much it takes more."""
    sizes: dict[str, float] = {}
    kinds = {}
    for sign, side in ((-1, before), (1, after)):
        for each in side:
            kinds[each.part.id] = each.part.kind
            sizes[each.part.id] = sizes.get(each.part.id, 0.0) + sign * each.taken
    return {name: (kinds[name], size) for name, size in sizes.items() if size}


@functools.lru_cache(maxsize=64)
def default_statics(chip: str, minor: Minor, place: str) -> tuple[Held, ...]:
    """The static parts that an empty program has in a default build of the first release."""
    config = Config(chip=chip, sdk=f"{minor[0]}.{minor[1]}")
    model = MemoryModel(scene=MemoryScene(config=config, minor=minor))
    return tuple(each for each in model.held(BOOT) if each.place == place)


_NO_WIFI = ("esp32h2", "esp32h21", "esp32h4", "esp32p4")
