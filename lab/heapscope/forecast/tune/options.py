"""Knobs of the search as options of a configuration, their ranges, and the rules between them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from heapscope.config.config import Config
from heapscope.config.expression import names
from heapscope.config.rules import Check, Rule, all_rules
from heapscope.config.value import Value
from heapscope.forecast.predict.wifi_table import Knobs
from heapscope.forecast.tune.space import Choice, Knob, KnobRule

_STATIC_RX = "ESP_WIFI_STATIC_RX_BUFFER_NUM"
_DYNAMIC_RX = "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM"
_TX = {
    "dynamic": ("ESP_WIFI_DYNAMIC_TX_BUFFER", "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM"),
    "static": ("ESP_WIFI_STATIC_TX_BUFFER", "ESP_WIFI_STATIC_TX_BUFFER_NUM"),
}
_AMPDU_RX, _BA_WIN = "ESP_WIFI_AMPDU_RX_ENABLED", "ESP_WIFI_RX_BA_WIN"
_SWITCHES = {
    "wifi_iram": "ESP_WIFI_IRAM_OPT",
    "wifi_rx_iram": "ESP_WIFI_RX_IRAM_OPT",
    "lwip_iram": "LWIP_IRAM_OPTIMIZATION",
}
_NUMBERS = {
    "static_rx": _STATIC_RX,
    "dynamic_rx": _DYNAMIC_RX,
    "tcp_snd_buf": "LWIP_TCP_SND_BUF_DEFAULT",
    "tcp_wnd": "LWIP_TCP_WND_DEFAULT",
}
_ICACHE = {"esp32s2": (8, 16), "esp32s3": (16, 32)}
AMPDU_OFF = 0  # the value of rx_ba_win that stands for it

#: In the order in which they are shown.
LABELS = {
    "static_rx": "static RX buffers",
    "dynamic_rx": "dynamic RX buffers",
    "tx": "TX buffers",
    "rx_ba_win": "RX block-ack window",
    "tcp_snd_buf": "TCP send buffer",
    "tcp_wnd": "TCP window",
    "wifi_iram": "Wi-Fi code in IRAM",
    "wifi_rx_iram": "Wi-Fi RX code in IRAM",
    "lwip_iram": "lwIP code in IRAM",
    "icache_kb": "instruction cache",
}
KNOBS = tuple(LABELS)
SWITCHES = tuple(_SWITCHES)
#: A knob that stands for some others at once, where memory does not add up over them: its values
#: are pairs of theirs, name and value.
TOGETHER = "together"


def as_tx(value: Hashable) -> tuple[str, int]:
    """Kind and number of the TX buffers."""
    if not isinstance(value, tuple):
        raise TypeError(f"{value!r} is not a value of tx")
    kind, count = value
    return str(kind), int(count)


def as_number(value: Hashable) -> int:
    """The number of any knob except a cache or tx: bools are 0 and 1."""
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not a number")
    return int(value)


def as_pairs(name: str, value: Hashable) -> tuple[tuple[str, Hashable], ...]:
    """The knobs that TOGETHER stands for, with their values; of any other knob none."""
    return value if name == TOGETHER and isinstance(value, tuple) else ()


def changed(knobs: Knobs, name: str, value: Hashable) -> Knobs:
    """With one knob of the search at another value."""
    for each, own in as_pairs(name, value):
        knobs = changed(knobs, each, own)
    if name == "tx":
        kind, count = as_tx(value)
        return replace(knobs, tx_static=kind == "static", tx_buffers=count)
    return knobs if name == TOGETHER else replace(knobs, **{name: value})  # type: ignore[arg-type]


def choice_of(knobs: Knobs) -> dict[str, Hashable]:
    """The knobs of a configuration as values of the search."""
    built: dict[str, Hashable] = {
        name: getattr(knobs, name) for name in KNOBS if name not in ("tx", "icache_kb")
    }
    built["tx"] = ("static" if knobs.tx_static else "dynamic", knobs.tx_buffers)
    if knobs.chip in _ICACHE:
        built["icache_kb"] = knobs.icache_kb
    return {name: built[name] for name in KNOBS if name in built}


def option_values(chip: str, name: str, value: Hashable) -> dict[str, Value]:
    """The form of a knob's value in an sdkconfig."""
    if name == "tx":
        kind, count = as_tx(value)
        switch, number = _TX[kind]
        return {switch: True, number: count}
    if name == "rx_ba_win":
        if value == AMPDU_OFF:
            return {_AMPDU_RX: False}
        return {_AMPDU_RX: True, _BA_WIN: value}  # type: ignore[dict-item]
    if name == "icache_kb":
        return {f"{chip.upper()}_INSTRUCTION_CACHE_{value}KB": True}
    if name == TOGETHER:
        return {_SWITCHES[each]: own for each, own in as_pairs(name, value)}  # type: ignore[misc]
    return {{**_NUMBERS, **_SWITCHES}[name]: value}  # type: ignore[dict-item]


def built_values(chip: str, name: str, value: Hashable) -> dict[str, Value]:
    """The same, with the other members of its choice off."""
    built = option_values(chip, name, value)
    others = [switch for switch, _ in _TX.values()] if name == "tx" else []
    if name == "icache_kb":
        others = [f"{chip.upper()}_INSTRUCTION_CACHE_{size}KB" for size in _ICACHE[chip]]
    return dict.fromkeys(others, False) | built


def knob_of(option: str) -> str:
    """The knob that an option belongs to; "": none."""
    if option in KNOBS:
        return option
    for name, each in {**_NUMBERS, **_SWITCHES}.items():
        if each == option:
            return name
    if option in (_AMPDU_RX, _BA_WIN):
        return "rx_ba_win"
    if any(option in pair for pair in _TX.values()):
        return "tx"
    return "icache_kb" if "_INSTRUCTION_CACHE_" in option and option.endswith("KB") else ""


def label(name: str, value: Hashable) -> str:
    """A value as people read it."""
    if name == "tx":
        kind, count = as_tx(value)
        return f"{count} {kind}"
    if name == "rx_ba_win" and value == AMPDU_OFF:
        return "AMPDU off"
    if name == "dynamic_rx" and value == 0:
        return "no limit"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value} KB" if name == "icache_kb" else f"{value:,}"


def values_label(name: str, values: Sequence[Hashable]) -> str:
    """The values of a search as people read them: "4 to 16", "AMPDU off, 6 to 32"."""
    if name == "tx":
        pairs = [as_tx(value) for value in values]
        kinds = dict.fromkeys(kind for kind, _ in pairs)
        counts = {kind: [count for other, count in pairs if other == kind] for kind in kinds}
        return ", ".join(f"{_span(list(map(str, of)))} {kind}" for kind, of in counts.items())
    shown = [label(name, value) for value in values]
    numbers = [each for each in shown if each[0].isdigit()]
    return ", ".join(filter(None, (*(e for e in shown if e not in numbers), _span(numbers))))


def _span(numbers: Sequence[str]) -> str:
    return " to ".join(dict.fromkeys((numbers[0], numbers[-1]))) if numbers else ""


def out_of_range(config: Config, values: Mapping[str, Value]) -> list[str]:
    """The numbers that Kconfig does not take, each with its range."""
    results = []
    then = config.changed_to(values)
    for name, value in values.items():
        bounds = then.bounds(name)
        if bounds is not None and isinstance(value, int) and not bounds[0] <= value <= bounds[1]:
            results.append(f"CONFIG_{name}={value}: {bounds[0]}..{bounds[1]}")
    return results


class Overlay:
    """A configuration with some options at other values, as config/'s checks ask for them. Defaults
    that hang on those options stay: whoever finds a choice checks it as a whole."""

    def __init__(self, config: Config, values: Mapping[str, Value]) -> None:
        self._config = config
        self._values = values

    def value(self, name: str) -> Value | None:
        if name in self._values:
            return self._values[name]
        for member, (switch, _) in _TX.items():  # one of the two is y, and says what the other is
            other = _TX["static" if member == "dynamic" else "dynamic"][0]
            if name == switch and other in self._values:
                return not self._values[other]
        return self._config.value(name)

    def given(self, name: str) -> bool:
        return name in self._values or self._config.given(name)

    def changed(self, name: str) -> bool:
        if name in self._values:
            return self._values[name] != self._config.default(name)
        return self._config.changed(name)


@dataclass(frozen=True, kw_only=True)
class RuleCheck:
    """One check of a hard rule, and the knobs that it is about."""

    rule: Rule
    check: Check
    knobs: tuple[str, ...]
    config: Config

    @cached_property
    def name(self) -> str:
        return self.rule.id

    def allows(self, *values: Hashable) -> bool:
        options: dict[str, Value] = {}
        for knob, value in zip(self.knobs, values, strict=True):
            options.update(option_values(self.config.chip, knob, value))
        return self.check.broken(Overlay(self.config, options)) is not True


def rules_between(config: Config, knobs: Iterable[Knob]) -> Iterator[KnobRule]:
    """Every hard rule that is about a knob."""
    present = {knob.name for knob in knobs}
    for rule in all_rules():
        for check in rule.checks if rule.hard else ():
            if not check.counts_in(config.sdk):
                continue
            about = {knob_of(name) for each in (check.when, check.must) for name in names(each)}
            mine = tuple(name for name in KNOBS if name in about & present)
            if mine:
                checked = RuleCheck(rule=rule, check=check, knobs=mine, config=config)
                yield KnobRule(name=rule.id, knobs=mine, allows=checked.allows)


def broken_rules(config: Config) -> list[Rule]:
    """Hard rules that a whole configuration breaks."""
    return [
        rule
        for rule in all_rules()
        if rule.hard
        and any(check.counts_in(config.sdk) and check.broken(config) for check in rule.checks)
    ]


def with_choice(config: Config, choice: Choice) -> Config:
    values: dict[str, Value] = {}
    for name, value in choice.items():
        values.update(option_values(config.chip, name, value))
    return config.changed_to(values)
