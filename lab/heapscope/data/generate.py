"""Makes the chip files of data/chips out of data/facts: python -m heapscope.data.generate"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

__all__ = ["chip_toml", "chips"]

Row = dict[str, str]

HEAD = """\
# The {title}'s memory as ESP-IDF gives it to the heap.
#
# Made by `python -m heapscope.data.generate` from lab/heapscope/data/facts; a test keeps it so.
# Neighbouring regions of one type are merged, as heap_caps_init does at start-up. Capabilities
# stand in three priorities. `option`: only in builds with it; `on = false`: in no default build.
"""

LIMIT = """\
# heap_caps_malloc refuses larger requests at once: HEAP_SIZE_MAX, which is the window of PSRAM
# (components/heap/heap_private.h, SOC_MAX_CONTIGUOUS_RAM_SIZE of soc.h).
"""
NO_LIMIT = "# HEAP_SIZE_MAX is not known for certain and not applied.\n"

ROM = """\
# The ROM holds the allocator (ESP_ROM_HAS_HEAP_TLSF of components/esp_rom/{chip}/esp_rom_caps.h),
# and CONFIG_HEAP_TLSF_USE_ROM_IMPL uses it by default. It was not compared with the model.
"""

ORDERS = {
    "map": "the list is in the order of the map",
    "size": "the list is sorted by ascending size, equal sizes in the order of the map",
}

# The static and start-up use of the ESP32's default firmware (facts/esp32-default.toml).
DERIVED = """\
# ---- the regions of a firmware of which nothing is known ----------------------------------------
# There is no published minimal firmware of this chip. Its regions are the map, less what is
# reserved, less the static use: code, then data, from `base` on. Static and start-up use are those
# of the ESP32's minimal firmware, as assumptions. `code_elsewhere`: bytes of code before `base`.
[default]
source = "the memory map of the {title}; uses of a minimal ESP32 firmware assumed"
startup_use = 15504
startup_source = "as measured on an ESP32"
static = {{ base = {base}, code_elsewhere = {elsewhere}, iram = 45740, dram = 12792 }}
"""


def chips() -> tuple[str, ...]:
    return tuple(row["chip"] for row in _facts("chips"))


def chip_toml(name: str) -> str:
    """The text of data/chips/NAME.toml."""
    chip = next(row for row in _facts("chips") if row["chip"] == name)
    return "\n".join(_parts(chip)) + "\n"


def _parts(chip: Row) -> Iterator[str]:
    name, title = chip["chip"], chip["title"]
    limit = int(chip["request_max"], 16)
    yield HEAD.format(title=title)
    yield (
        f'schema = 2\nname = "{name}"\ntitle = "{title}"\ncores = {chip["cores"]}\n\n'
        f"{LIMIT if limit else NO_LIMIT}request_max = {_hex(limit) if limit else 0}\n"
    )
    for sdk in _facts("sdk"):
        if any(_matching("map", sdk["sdk"], name)):
            yield from _version(chip, sdk)
    if name == "esp32":
        yield (_folder() / "esp32-default.toml").read_text(encoding="utf-8").rstrip()
    else:
        yield from _derived(chip)


def _version(chip: Row, sdk: Row) -> Iterator[str]:
    name, version = chip["chip"], sdk["sdk"]
    key = f'version."{version}"'
    yield f"# ---- ESP-IDF {version} {'-' * (84 - len(version))}\n# Sources, in {sdk['exact']}:"
    yield f"#   {sdk['layout_source'].format(chip=name)} (types, regions, reserved ranges)"
    yield f"#   {sdk['heap_source']} (order, capabilities)"
    if any(_matching("psram", version, name)):
        yield f"#   {sdk['psram_source'].format(chip=name)} (PSRAM, the reserved pool)"
    yield f"# Order: {ORDERS[sdk['order']]}."
    if chip["rom_allocator"] == "yes":
        yield ROM.format(chip=name).rstrip()
    yield f"[{key}]"
    yield from _settings(chip, sdk)
    yield from _kinds(key, version, name)
    yield from _map(key, version, name)
    yield from _psram(key, version, name)


def _settings(chip: Row, sdk: Row) -> Iterator[str]:
    name, version = chip["chip"], sdk["sdk"]
    rows = list(_matching("allocators", version, name)) or list(
        _matching("allocators", version, "*")
    )
    if sdk["aliases"]:
        yield f"aliases = {_list(sdk['aliases'].split())}"
    if sdk["development"] == "yes":
        yield "development = true"
    yield f'allocator = "{rows[0]["plain"]}"'
    yield f'allocator_psram = "{rows[0]["with_psram"]}"'
    if chip["rom_allocator"] == "yes":
        yield "rom_allocator = true"
    if rows[0]["unverified"]:
        yield f'unverified = "{rows[0]["unverified"]}"'
    yield f'order = "{sdk["order"]}"'
    yield f'malloc = "{sdk["malloc"]}"'
    options = next(_matching("options", version, name))
    for option in ("rtc", "protection"):
        if options[option]:
            yield f"{option} = {'true' if options[option] == 'on' else 'false'}"
    if any(_matching("psram", version, name)):
        yield f"pool = {_list(['', 'DMA|INTERNAL', sdk['pool_low']])}"
    yield ""


def _kinds(key: str, version: str, chip: str) -> Iterator[str]:
    yield f"[{key}.kinds]"
    for row in _matching("kinds", version, chip):
        yield f"{_key(row['kind'])} = {_list(_priorities(row))}"
    yield ""
    changed = [row for row in _matching("kinds", version, chip) if _unprotected(row, version)]
    if changed:
        yield "# Without memory protection"
        yield f"[{key}.unprotected]"
        for row in changed:
            yield f"{_key(row['kind'])} = {_list(_unprotected(row, version))}"
        yield ""


def _unprotected(row: Row, version: str) -> list[str]:
    """From v5 on every D/IRAM and RTC type also has EXEC where it has INTERNAL (the macros of
    common capabilities in memory_layout.c); the ESP32-S3's IRAM has it first."""
    if version.startswith("4.") or row["chip"] == "esp32":
        return []
    parts = _priorities(row)
    if row["kind"] == "IRAM":
        return ["EXEC", *parts[1:]]
    if row["kind"] not in ("RAM", "RTCRAM", "Retention RAM", "RETENT_RAM"):
        return []
    return [f"{part}|EXEC" if "INTERNAL" in part else part for part in parts]


def _map(key: str, version: str, chip: str) -> Iterator[str]:
    for row in _matching("map", version, chip):
        yield f'[[{key}.map]]\nkind = "{row["kind"]}"'
        if row["unprotected"]:
            yield f'unprotected = "{row["unprotected"]}"'
        yield f"start = {_hex(int(row['start'], 16))}\nsize = {_hex(int(row['size'], 16))}"
        if row["option"]:
            yield f'option = "{row["option"]}"'
        if row["option"] == "rtc" and chip == "esp32":
            yield "cores = 1"
        if row["on"] == "no":
            yield "on = false"
        if row["when"]:
            yield f'when = "{row["when"]}"'
        for flag in ("iram_alias", "startup_stack"):
            if row[flag] == "yes":
                yield f"{flag} = true"
    yield ""


def _psram(key: str, version: str, chip: str) -> Iterator[str]:
    rows = list(_matching("psram", version, chip))
    if rows:
        yield "# Where PSRAM appears, in the order in which it fills the windows."
    for row in rows:
        yield f"[[{key}.psram]]"
        yield f"start = {_hex(int(row['start'], 16))}\nsize = {_hex(int(row['size'], 16))}"
        yield f"caps = {_list(['SPIRAM|DEFAULT', '', row['low']])}"
        for flag in ("at_end", "one_short"):
            if row[flag] == "yes":
                yield f"{flag} = true"
    if rows:
        yield ""


def _derived(chip: Row) -> Iterator[str]:
    yield DERIVED.format(
        title=chip["title"],
        base=_hex(int(chip["static_base"], 16)),
        elsewhere=_hex(int(chip["code_elsewhere"], 16)),
    )
    yield "# In the map but never heap, as the ends of regions in start-up logs of devices tell."
    for row in _facts("reserved"):
        if row["chip"] == chip["chip"]:
            yield f'[[default.reserved]]\nwhat = "{row["what"]}"'
            yield f"start = {_hex(int(row['start'], 16))}\nend = {_hex(int(row['end'], 16))}"
            if row["sdks"] != "*":
                yield f"sdks = {_list(row['sdks'].split())}"


def _priorities(row: Row) -> list[str]:
    return [row["high"], row["medium"], row["low"]]


def _list(values: list[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _hex(value: int) -> str:
    """0x3FFA_E000: groups of four from the right."""
    digits = f"{value:X}"
    return "0x" + (f"{digits[:-4]}_{digits[-4:]}" if len(digits) > 4 else digits)


def _matching(table: str, sdk: str, chip: str) -> Iterator[Row]:
    return (row for row in _facts(table) if row["sdk"] == sdk and row["chip"] == chip)


def _facts(table: str) -> Iterator[Row]:
    with (_folder() / f"{table}.csv").open(encoding="utf-8") as file:
        return iter(list(csv.DictReader(file)))


def _folder() -> Path:
    return Path(str(resources.files("heapscope.data") / "facts"))


if __name__ == "__main__":
    for chip in chips():
        file = _folder().parent / "chips" / f"{chip}.toml"
        file.write_text(chip_toml(chip), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{file.name}\n")
