"""`python -m heapscope_studies.memory_parts.reaction`: does each option that costs memory react?

    RELEASE, OPTION ...  only these, such as 5.5.5 or LWIP_TCP_MSL
    --all                prints every pair, not only those that do not react

`options.csv` has the options that the guides and the published figures name, with the value that
takes less. For each release and chip, the release's own program tells whether the option is there,
and whether a file can set it. Two files that differ in its line alone are read as a user's, and
some state must have more of the right memory with the lean value.
"""

from __future__ import annotations

import csv
import functools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from heapscope.base.errors import InputError
from heapscope.config.config import settle
from heapscope.config.kconfig.names import name_in
from heapscope.config.kconfig.table import RELEASES, OptionTable, chips_of, option_table
from heapscope.config.kconfig.values import OptionValues, UserValues
from heapscope.config.read_file import ConfigFile
from heapscope.forecast.predict.chip_memory import chip_memory
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MEMORIES, MemoryModel
from heapscope.forecast.predict.part_table import BOOT, LINKS, minor_number
from heapscope.memory.layout.chips import chip_names, load_chip
from heapscope_studies.data_file import PACKAGE

#: The first release whose options are asked about.
FIRST = "4.2.5"
_FILE = PACKAGE / "data" / "memory_parts" / "options.csv"
#: Connections: so many that the limits of lwIP can be felt.
_DEMAND = Demand(tcp=12, udp=20, tls=1)
_ANY = "any"
_RTC = "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP"
_PSRAM = "SPIRAM"


@dataclass(frozen=True, kw_only=True)
class OptionRow:
    """`lean`: the value that takes less memory; "less": the smaller number. `heavy`: the member of
    the choice that takes more. `memory`: which one has more then; on chips without IRAM of its own
    it is DRAM. `chips`: those on which it takes memory; `needs`: lines without
    which the option cannot be set, or takes none; `until`: the last release in which it takes
    memory by itself, "" for all."""

    option: str
    lean: str
    memory: str
    heavy: str
    guide: bool
    chips: tuple[str, ...]
    needs: Mapping[str, str]
    until: str


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """`gain`: by how many bytes the lean value leaves more, in the state where that is the most."""

    option: str
    name: str
    release: str
    chip: str
    heavy: str
    lean: str
    gain: float

    @property
    def reacts(self) -> bool:
        return self.gain >= 1


@functools.cache
def option_rows() -> tuple[OptionRow, ...]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            OptionRow(
                option=row["option"],
                lean=row["lean"],
                memory=row["memory"],
                heavy=row["heavy"],
                guide=bool(row["guide"]),
                chips=tuple(row["chips"].split()) or chip_names(),
                needs=dict(each.split("=") for each in row["needs"].split()),
                until=row["until"],
            )
            for row in csv.DictReader(file)
        )


def releases() -> tuple[str, ...]:
    return RELEASES[RELEASES.index(FIRST) :]


def chips_in(release: str) -> tuple[str, ...]:
    """Those whose memory is known under the release."""
    idf = ".".join(release.split("-")[0].split(".")[:2])
    known = set(chip_names())
    return tuple(chip for chip in chips_of(release) if chip in known and _has_layout(chip, idf))


def _has_layout(chip: str, idf: str) -> bool:
    try:
        return bool(load_chip(chip).layout(idf=idf, static_dram=0, static_iram=0).regions)
    except InputError:
        return False


def reactions(release: str, chip: str, rows: Sequence[OptionRow] = ()) -> Iterator[Reaction]:
    """For every row whose option the release has on the chip, and lets a file set. The heaps of
    ESP-IDF 4.3 have no RTC memory on the ESP32-S3, whatever the option says."""
    table = option_table(release, chip)
    minor = _model({}, table).scene.minor
    has_rtc = chip_memory(chip, minor).rtc > 0
    for row in rows or option_rows():
        name = name_in(table, row.option)
        if name is None or chip not in row.chips or (row.option == _RTC and not has_rtc):
            continue
        if row.until and minor > minor_number(row.until):
            continue
        pair = _values(row, name, table)
        if pair is not None:
            yield _reaction(row, name, table, *pair)


def _user(lines: Mapping[str, str], table: OptionTable) -> OptionValues:
    picked = {
        table.symbols[name].choice: name
        for name, value in lines.items()
        if value == "y" and table.symbols[name].choice
    }
    return OptionValues(table, UserValues(values=lines, picked=picked))


def _values(
    row: OptionRow, name: str, table: OptionTable
) -> tuple[dict[str, str], dict[str, str]] | None:
    """The lines of both files; None: no file can bring both values about."""
    needs = {name_in(table, need) or need: value for need, value in row.needs.items()}
    if _PSRAM in needs.keys() - table.symbols.keys():
        return None
    needs = {need: value for need, value in needs.items() if need in table.symbols}
    plain = _user(needs, table)
    pair = _pair(row, name, plain) if plain.can_set(name) else None
    if pair is None:
        return None
    heavy, lean = ({**needs, **lines} for lines in pair)
    return (heavy, lean) if _holds(heavy, table) and _holds(lean, table) else None


def _holds(lines: Mapping[str, str], table: OptionTable) -> bool:
    values = _user(lines, table)
    return all(values.text(name) == value for name, value in lines.items())


def _pair(
    row: OptionRow, name: str, plain: OptionValues
) -> tuple[dict[str, str], dict[str, str]] | None:
    table = plain.table
    if table.symbols[name].kind == "bool":
        if row.heavy:
            other = name_in(table, row.heavy)
            if other is None:
                return None
            mine, others = {name: "y"}, {other: "y"}
            return (others, mine) if row.lean == "y" else (mine, others)
        lean = row.lean if row.lean != _ANY else "n"
        return {name: "n" if lean == "y" else "y"}, {name: lean}
    default = int(plain.text(name) or "0", 0)
    low, high = plain.range_of(name) or (0, 1 << 12)
    less = max(low, default // 2)
    if less == default:
        less, default = default, min(high, 2 * default or high)
    return ({name: str(default)}, {name: str(less)}) if less < default else None


def _reaction(
    row: OptionRow,
    name: str,
    table: OptionTable,
    heavy: Mapping[str, str],
    lean: Mapping[str, str],
) -> Reaction:
    before, after = (_model(lines, table) for lines in (heavy, lean))
    places = {"iram": (IRAM if table.chip == "esp32" else DRAM,), _ANY: MEMORIES, BOOT: (DRAM,)}
    wanted = places.get(row.memory, (row.memory,))
    gains = [_gain(before, after, before.busiest, after.busiest, wanted)]
    for one, other in ((before, after), (before.linking(*LINKS), after.linking(*LINKS))):
        gains += [
            _gain(one, other, state, state, wanted) for state in one.states if state in other.states
        ]
        if row.memory == BOOT:
            gains = [_gain(one, other, BOOT, BOOT, wanted)]
    gain = max(gains, key=abs)
    return Reaction(
        option=row.option,
        name=name,
        release=table.release,
        chip=table.chip,
        heavy=" ".join(f"{key}={value}" for key, value in heavy.items()),
        lean=" ".join(f"{key}={value}" for key, value in lean.items()),
        gain=abs(gain) if row.lean == _ANY else gain,
    )


def _gain(
    before: MemoryModel, after: MemoryModel, one: str, other: str, places: Sequence[str]
) -> float:
    """The largest change of one of the memories."""
    less, more = before.free(one), after.free(other)
    return max((more[place].median - less[place].median for place in places), key=abs)


def _model(lines: Mapping[str, str], table: OptionTable) -> MemoryModel:
    """The model that predict makes of a user's file."""
    kinds = {name: table.symbols[name].kind for name in lines}
    text = "".join(
        f"CONFIG_{name}={int(value, 0):#x}\n"
        if kinds[name] == "hex"
        else f"CONFIG_{name}={value}\n"
        for name, value in lines.items()
    )
    file = ConfigFile(name="sdkconfig.defaults", text=text)
    config = settle((file,), chip=table.chip, sdk=table.release)
    minor = minor_of_config(config, table.release)
    return MemoryModel(scene=MemoryScene(config=config, minor=minor, demand=_DEMAND))


def main(arguments: Sequence[str]) -> int:
    wanted = [each for each in arguments if each in RELEASES] or releases()
    rows = [row for row in option_rows() if row.option in arguments]
    requested = {row.option: row.guide for row in option_rows()}
    silent = 0
    seen: set[str] = set()
    for release in wanted:
        counts = {True: [0, 0], False: [0, 0]}
        for chip in chips_in(release):
            for each in reactions(release, chip, rows):
                seen.add(each.option)
                count = counts[requested[each.option]]
                count[0] += each.reacts
                count[1] += 1
                silent += not each.reacts
                if not each.reacts or "--all" in arguments:
                    print(
                        f"  {release:<10}{chip:<9}{each.gain:>9,.0f}  {each.heavy} -> {each.lean}"
                    )
        (guide, of_guide), (other, of_other) = counts[True], counts[False]
        print(
            f"{release}: {guide} of {of_guide} pairs of chip and option of the guides react, "
            f"{other} of {of_other} of other options"
        )
    for name in sorted(requested.keys() - seen):
        print(f"  no release has it, or lets a file set it: {name}")
    return 1 if silent else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
