"""The work that the system does beside a trace, as --load names it: wifi,ble,tcp=2,udp=1,tls=2."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_states import BUSY, MemoryModel
from heapscope.forecast.predict.part_table import APP_MAIN, BLE, LINKS, LOAD, NET, WIFI
from heapscope.forecast.predict.system_layout import SystemMemory
from heapscope.forecast.predict.tenants import system_tasks
from heapscope.trace.all_names import read_all_names
from heapscope.trace.metadata import SOURCE, recorded_facts

NO_LOAD, _TRACED = "none", "traced"
_COUNTS = ("tcp", "udp", "tls")
_MOST = 253  # connections, as for predict
_RADIOS = (*LINKS, NET)
#: By whether there is a network, and Bluetooth.
_STATES = {
    (False, False): APP_MAIN,
    (True, False): LOAD,
    (False, True): BLE,
    (True, True): BUSY,
}
#: The source that a trace names where it was recorded on a chip.
_CHIP_SOURCES = ("device", "esp-idf-log")


@dataclass(frozen=True, kw_only=True)
class SystemLoad:
    """`state`: in which the system is. `traced`: its blocks but those of start-up are in the trace;
    what it links is not. `network`: "wifi", or "net" for any other; "": none."""

    state: str
    demand: Demand
    traced: bool = False
    network: str = ""

    @property
    def works(self) -> bool:
        """The system does something beside the trace."""
        return self.state != APP_MAIN

    def memory(self, model: MemoryModel) -> SystemMemory:
        """`model`: with the demand of this load. InputError: the configuration does not have it."""
        chip, has_wifi = model.scene.config.chip, WIFI in model.states
        if self.network and has_wifi != (self.network == "wifi"):
            other = "wifi" if has_wifi else NET
            raise InputError(
                f"--load {self.network}: the network of the {chip} in this configuration is "
                f"{'Wi-Fi' if has_wifi else 'not Wi-Fi'}",
                remedy=f"give {other} in its place",
            )
        if self.state in (BLE, BUSY) and BLE not in model.states:
            raise InputError(
                f"--load ble: the configuration of the {chip} has none",
                remedy="leave ble out, or switch it on in the sdkconfig",
            )
        if self.traced:
            return SystemMemory(model=model.at(self.state), state=APP_MAIN)
        return SystemMemory(model=model, state=self.state)


def busiest_memory(model: MemoryModel, *, traced: bool) -> SystemMemory:
    """With everything at work that the configuration has, as predict's headline counts it."""
    load = SystemLoad(state=model.busiest, demand=model.scene.demand, traced=traced)
    return load.memory(model)


def parse_load(text: str) -> SystemLoad:
    """InputError: the text names no load."""
    words = [word.strip() for word in text.split(",")]
    if words == [NO_LOAD]:
        return SystemLoad(state=APP_MAIN, demand=Demand())
    radios, counts, traced = set(), {}, False
    for word in words:
        name, equals, number = word.partition("=")
        known(printable(name), (*_RADIOS, *_COUNTS, _TRACED, NO_LOAD), noun="--load")
        if name in _COUNTS and number.isascii() and number.isdigit() and int(number) <= _MOST:
            counts[name] = int(number)
        elif name in _RADIOS and not equals:
            radios.add(name)
        elif name == _TRACED and not equals:
            traced = True
        else:
            raise InputError(
                f"--load: '{printable(word)}' cannot stand there",
                remedy=f"give wifi (or net), ble, tcp=N, udp=N and tls=N (0 to {_MOST}), and "
                f"{_TRACED}, with commas; or {NO_LOAD} alone",
            )
    network = next((name for name in ("wifi", NET) if name in radios), "")
    if counts and not network:
        raise InputError(
            "--load: connections without wifi", remedy=f"give --load wifi,{printable(text)}"
        )
    state = _STATES[bool(network), "ble" in radios]
    return SystemLoad(state=state, demand=Demand(**counts), traced=traced, network=network)


def twice(trace: Path, *, remedy: str) -> tuple[str, ...]:
    """A note where a trace seems to hold the blocks itself. InputError: it cannot be read."""
    names = read_all_names(trace).tasks
    called = set[str]().union(*(names.called(index) for index in names.known))
    result = called & system_tasks()
    text = f"tasks of the system: {', '.join(sorted(result))}"
    if not result and recorded_facts(trace).get(SOURCE) in _CHIP_SOURCES:
        text = "what was allocated on a chip"
    elif not result:
        return ()
    return (
        f"the trace has {text}. If it has the blocks of Wi-Fi, lwIP or Bluetooth, they count "
        f"twice here: {remedy} counts the trace's own alone",
    )
