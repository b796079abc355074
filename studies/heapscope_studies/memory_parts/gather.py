"""`python -m heapscope_studies.memory_parts.gather FOLDER`: takes what is needed of measured builds
and runs into this package's own files.

FOLDER has `builds` (a row for each public build whose image or map was read, and its sdkconfig),
`real` and `wifi` (runs of ESP-IDF's own firmware in emulation, an option at a time). Kept are the
chip, release, memory and options of each, and where the build comes from:

    builds.csv       what a build leaves to the heap before any allocation
    libraries.csv    bytes of each library in RAM, of builds whose linker map was read
    runs.csv         free memory at points in a run, by what its configuration has in other lines
    options.zst      the lines of all configurations
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from heapscope.base.interrupt import scratch_folder
from heapscope.base.whole_file import write_whole
from heapscope.base.zstd import ZstdCompressor
from heapscope.memory.static.read import read_static
from heapscope.trace.whole import read_whole
from heapscope_studies.data_file import PACKAGE

FOLDER: Path = PACKAGE / "data" / "memory_parts"
_LEVEL = 19
_RAM = ("iram_code", "iram_data", "dram_data", "dram_bss", "noinit")
#: Names that a library had in some releases, or that its parts have.
_CALLED = (
    (re.compile(r"app:.*|main"), "own"),
    (re.compile(r"newlib|esp_libc|c"), "libc"),
    (re.compile(r"hal|soc|esp_hal_\w+"), "hal"),
    (re.compile(r"esp_system|esp_common|esp_ipc|esp32\w*"), "esp_system"),
    (re.compile(r"xtensa|xt_hal"), "xtensa"),
)
_LINE = re.compile(r"^(?:CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set|(\w+)=(.*))$", re.MULTILINE)
_MASKED = re.compile(r'^"x+"$')
#: No memory hangs on them: names of files, of the compiler's parts, of the project.
_NO_MATTER = re.compile(r"SOC_|ESP_ROM_HAS|OWN_OPTION|IDF_INIT|IDF_CMAKE|IDF_FIRMWARE|.*WIFISTAGE")

_BUILD = ("id", "owner", "chip", "idf", "links", "map", "psram", "own", "dram", "iram", "source")
_RUN = ("program", "name", "chip", "idf", "links", "against", "changed", "boot", "boot_iram",
        "app_main", "wifi_started", "sending", "source")  # fmt: skip
_C3 = "ESP-IDF v5.5.3 in QEMU, TLS client over Ethernet, ESP32-C3"
_ESP32 = "ESP-IDF v5.5.3 in QEMU, probe of the heap, ESP32"
_WIFI = "ESP-IDF v5.5.3 in QEMU, Wi-Fi station and TCP, {}"
#: Runs that differ in how long the radio has a frame: no time, 2 and 6 ms.
_RADIOS = ("run1", "tx2ms", "tx6ms")


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0])
    configs: dict[str, Mapping[str, str]] = {}
    builds = list(_builds(folder / "builds", configs))
    kept = {row["id"] for row in builds}
    runs = [*_real(folder / "real", configs), *_wifi(folder / "wifi", configs)]
    _write("builds.csv", _BUILD, builds)
    libraries = [*_libraries(folder / "builds", kept), *_of_wifi(folder / "wifi")]
    _write("libraries.csv", ("id", "library", "code", "data"), libraries)
    _write("runs.csv", _RUN, runs)
    text = "".join(
        f"# {name}\n" + "".join(f"{key}={value}\n" for key, value in sorted(values.items()))
        for name, values in configs.items()
    )
    write_whole(FOLDER / "options.zst", ZstdCompressor(level=_LEVEL).compress(
        text.encode(), ZstdCompressor.FLUSH_FRAME))  # fmt: skip
    return 0


def _rows(path: Path) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.StringIO(_text(path)))


def _text(path: Path) -> str:
    return read_whole(path, limit=1 << 28, what="data", remedy="").text()


def _write(name: str, fields: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    out = io.StringIO()
    writer = csv.DictWriter(out, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(FOLDER / name, out.getvalue().encode())


def _options(path: Path) -> dict[str, str]:
    values = {}
    for match in _LINE.finditer(_text(path)):
        name = match[1] or match[3] or match[4]
        value = "n" if match[3] else (match[2] if match[1] else match[5])
        if not _NO_MATTER.match(name) and not _MASKED.match(value):
            values[name] = value
    return values


def _builds(folder: Path, configs: dict[str, Mapping[str, str]]) -> Iterator[dict[str, str]]:
    sources = {row["id"]: row for row in _rows(folder / "sources.csv")}
    for row in _rows(folder / "builds.csv"):
        if row["quality"] == "C" or not row["boot_dram"]:
            continue
        configs[row["id"]] = _options(folder / "sdkconfigs" / f"{row['id']}.txt.zst")
        source = sources[row["id"]]
        links = [link for link, key in (("wifi", "wifi"), ("ble", "bt_controller"))
                 if row[key] == "1"]  # fmt: skip
        yield {
            "id": row["id"],
            "owner": source["repository"].split("/")[0],
            "chip": row["chip"],
            "idf": row["idf"],
            "links": " ".join(links),
            "map": row["has_map"],
            "psram": row["psram"],
            "own": row["own_ram"],
            "dram": row["boot_dram"],
            "iram": row["boot_iram"] if row["chip"] == "esp32" else "",
            "source": f"{source['repository']} {source['commit'][:12]} {source['folder']}",
        }


def _libraries(folder: Path, kept: set[str]) -> list[dict[str, str]]:
    sizes: dict[tuple[str, str], list[int]] = {}
    for row in _rows(folder / "libraries.csv.zst"):
        if row["memory"] in _RAM and row["id"] in kept:
            size = sizes.setdefault((row["id"], _library(row["archive"])), [0, 0])
            size[row["memory"] != "iram_code"] += int(row["bytes"])
    return [
        {"id": name, "library": library, "code": str(code), "data": str(data)}
        for (name, library), (code, data) in sizes.items()
        if code or data
    ]


def _library(archive: str) -> str:
    name = archive.removesuffix(".a").removeprefix("lib")
    return next((called for names, called in _CALLED if names.fullmatch(name)), name)


def _of_wifi(folder: Path) -> Iterator[dict[str, str]]:
    """The same of the maps of the runs with Wi-Fi, which stand for builds with a radio."""
    for chip, below in (("esp32", folder), ("esp32c3", folder / "c3")):
        with scratch_folder() as scratch:
            map_file = Path(scratch) / "base.map"
            map_file.write_text(_text(below / "base.map.zst"), encoding="utf-8")
            use = read_static(map_file, chip)
        sizes: dict[str, list[int]] = {}
        for piece in use.pieces:
            section = use.sections[piece.section]
            if section.kind in ("DRAM", "D/IRAM", "IRAM") and piece.component.startswith("lib"):
                size = sizes.setdefault(_library(piece.component), [0, 0])
                size[section.role != "code"] += piece.size
        for library, (code, data) in sizes.items():
            yield {
                "id": f"wifi-{chip}", "library": library, "code": str(code), "data": str(data),
            }  # fmt: skip


def _real(folder: Path, configs: dict[str, Mapping[str, str]]) -> Iterator[dict[str, str]]:
    for program, chip, file, path, source in (
        ("tls", "esp32c3", "options_c3_v5.5.3.csv", "options/tls_c3_v5.5.3_", _C3),
        ("probe", "esp32", "options_esp32_v5.5.3.csv", "options32/probe_esp32_v5.5.3_", _ESP32),
    ):
        base = _options(folder / f"{path}base.sdkconfig")
        configs[f"{program}-{chip}"] = base
        for row in _rows(folder / file):
            boot = ""
            if chip == "esp32":
                boot = str(int(row["free32"]) - int(row["free"]))
            yield {
                "program": program,
                "name": row["option"],
                "chip": chip,
                "idf": "5.5.3",
                "links": "" if chip == "esp32" else "net",
                "against": "base",
                "changed": _changed(base, _options(folder / f"{path}{row['option']}.sdkconfig")),
                "boot_iram": boot,
                "app_main": row["free"] if chip == "esp32" else row["app_main"],
                "source": source,
            }


def _wifi(folder: Path, configs: dict[str, Mapping[str, str]]) -> Iterator[dict[str, str]]:
    for chip, below in (("esp32", folder), ("esp32c3", folder / "c3")):
        base = _options(below / "base.sdkconfig.zst")
        configs[f"wifi-{chip}"] = base
        rows = list(_rows(below / f"options_wifi_{chip}_v5.5.3.csv"))
        sent: dict[str, list[int]] = {}
        for row in rows:
            if row["run"] in _RADIOS and row["min_tx"]:
                used = int(row["free_got_ip"]) - int(row["min_tx"])
                sent.setdefault(row["name"], []).append(used)
        for row in rows:
            if row["run"] != "run1":
                continue
            yield {
                "program": "wifi",
                "name": row["name"],
                "chip": chip,
                "idf": "5.5.3",
                "links": "wifi",
                "against": row["against"],
                "changed": _changed(base, _options(below / f"{row['name']}.sdkconfig.zst")),
                "boot": row["heap_bytes_at_boot_8bit"],
                "boot_iram": row["heap_bytes_at_boot_iram"] if chip == "esp32" else "",
                "app_main": row["free_app_main"],
                "wifi_started": row["free_wifi_started"],
                "sending": " ".join(map(str, sent.get(row["name"], ()))),
                "source": _WIFI.format(chip.upper()),
            }


def _changed(base: Mapping[str, str], other: Mapping[str, str]) -> str:
    """The lines that are other ones, and those that are not there any more as "-NAME"."""
    gone = [f"-{name}" for name in base if name not in other]
    return " ".join(
        [*(f"{k}={v}" for k, v in sorted(other.items()) if base.get(k) != v), *sorted(gone)]
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
