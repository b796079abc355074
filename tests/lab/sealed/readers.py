"""Every reader of the product: sound samples, how they are mutated, and how it is called."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mutate
from mutate import Mutate

import heapscope as hs
from heapscope.base.zstd import ZstdCompressor

ROOT = Path(__file__).parents[3]
LAB = ROOT / "tests" / "lab"
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
GOLDEN = ROOT / "format" / "golden" / "v1"
_BIG = 20_000  # bytes of a sample at most, so that an input is read in no time

Read = Callable[[Path, bytes, int], object]


@dataclass(frozen=True)
class Reader:
    """`read(folder, data, number)`: the input is the file "input" there, too."""

    name: str
    samples: Callable[[], Sequence[bytes]]
    mutate: Mutate
    read: Read


def _files(*paths: Path) -> Callable[[], Sequence[bytes]]:
    return lambda: [path.read_bytes()[:_BIG] for path in paths]


def _texts(*texts: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [text.encode() for text in texts]


@functools.cache
def _kept() -> Path:
    """A folder with a sound trace and what its readers wrote of it."""
    folder = Path(tempfile.mkdtemp(prefix="heapscope-test-"))
    lines = ["# one", "t net", "[5] a 1 100 @main;net", "[9] a 2 200", "! start", "t ui"]
    lines += ["[20] a 3 900 ^0x804 @main;read", "[21] r 3 4 50", "[30] f 1", "! end"]
    (folder / "T.txt").write_text("\n".join(lines) + "\n")
    hs.import_(folder / "T.txt", folder / "T.hst", form="text")
    return folder


def _trace() -> Path:
    return _kept() / "T.hst"


# ---- traces ----


def _traces() -> Sequence[bytes]:
    golden = sorted(GOLDEN.glob("*.hst"))
    return [_trace().read_bytes(), *(one.read_bytes() for one in golden if "not_a" not in one.name)]


def _sound_traces() -> Sequence[bytes]:
    return [one for one in _traces() if b"".join(mutate.chunks(one)) == one and len(one) > 40]


def _read_trace(folder: Path, data: bytes, number: int) -> None:
    file = folder / "input"
    match number % 8:
        case 0:
            hs.replay(file, chip="esp32", idf="5.5")
        case 1:
            hs.leaks(file)
        case 2:
            hs.export(file, to="csv", out=folder / "out.csv")
        case 3:
            hs.compare(file, pool="64KB", sides=[{"allocator": "tlsf"}, {"allocator": "heap_4"}])
        case 4:
            hs.why(file, pool="4KB", allocator="tlsf")
        case 5:
            hs.replay(file, pool="16KB", allocator="tlsf")
        case _:
            hs.replay(file)


def _read_packed(folder: Path, data: bytes, number: int) -> None:
    hs.replay(folder / "input")


def _zstd() -> Sequence[bytes]:
    built = []
    for one in _sound_traces():
        packer = ZstdCompressor()
        built.append(packer.compress(one) + packer.flush())
    return built


# ---- texts of other recorders, and logs ----


def _imported(form: str) -> Read:
    def read(folder: Path, data: bytes, number: int) -> None:
        hs.import_(folder / "input", folder / "out.hst", form=form)

    return read


def _svdat() -> Sequence[bytes]:
    sys.path.append(str(LAB / "capture"))
    from systemview_writer import Core, recording

    one = Core()
    one.begin()
    one.task(0x3FFB0000, b"net")
    one.run(0x3FFB0000, at=10)
    for index in range(20):
        one.alloc(0x3FFC0000 + 64 * index, 40 + index, 0x400D0001, 0x400D0002, at=20 + index)
    for index in range(0, 20, 2):
        one.free(0x3FFC0000 + 64 * index, 0x400D0003, at=50 + index)
    return [recording(one), recording(one, one)]


def _log(folder: Path, data: bytes, number: int) -> None:
    hs.log(folder / "input", chip="esp32", idf="5.5", need=[1000])


def _boot_log(folder: Path, data: bytes, number: int) -> None:
    hs.replay(_trace(), boot_log=folder / "input", idf="5.5", chip="esp32")


# ---- configurations ----

SDKCONFIG = (
    'CONFIG_IDF_TARGET="esp32"\nCONFIG_LWIP_TCP_MSS=1440\n# CONFIG_SPIRAM is not set\n'
    "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=10\nCONFIG_HEAP_POISONING_LIGHT=y\n",
    '{"IDF_TARGET": "esp32", "LWIP_TCP_MSS": 1440, "SPIRAM": false, "APP_NAME": "x"}',
)
KCONFIG = (
    'menu "Mine"\n  config MINE\n    bool "mine"\n    default y if LWIP_TCP_MSS > 1000\n'
    "    select OTHER\n  config OTHER\n    int\n    range 1 20\n    default 4\n"
    "    depends on MINE\n"
    '  choice\n    prompt "which"\n    default A\n    config A\n      bool "a"\n    config B\n'
    '      bool "b"\n  endchoice\nendmenu\nif MINE\nconfig TEXT\n  string "t"\n'
    '  default "x"\nendif\n',
)


def _lint(folder: Path, data: bytes, number: int) -> None:
    hs.lint(folder / "input", chip="esp32", idf="5.5")


def _project(folder: Path, data: bytes, number: int) -> None:
    root = folder / "project"
    (root / "main").mkdir(parents=True, exist_ok=True)
    (root / "CMakeLists.txt").write_text("project(app)\n")
    (root / "main" / "CMakeLists.txt").write_text('idf_component_register(SRCS "a.c")\n')
    (root / "main" / "Kconfig.projbuild").write_bytes(data)
    (root / "sdkconfig.defaults").write_text("CONFIG_MINE=y\nCONFIG_OTHER=7\n")
    hs.lint(project=root, chip="esp32", idf="5.5")


def _manifests(folder: Path, data: bytes, number: int) -> None:
    """The other files of a project."""
    root = folder / "project"
    (root / "main").mkdir(parents=True, exist_ok=True)
    names = ("CMakeLists.txt", "main/CMakeLists.txt", "main/idf_component.yml", "platformio.ini")
    for name in names:
        (root / name).write_bytes(data)
    hs.lint(project=root, chip="esp32", idf="5.5")


# ---- what a user writes: layouts, rules, budgets, plans, known leaks ----

LAYOUT = (
    'name = "b"\nallocator = "idf-5.5"\norder = "listed"\nmalloc = "DEFAULT|INTERNAL"\n'
    '[[region]]\nstart = 0x20000000\nsize = 0x10000\nkind = "SRAM"\n'
    'caps = ["8BIT|DEFAULT", "INTERNAL|DMA|32BIT", ""]\n'
    '[[region]]\nstart = 0x10000000\nsize = 32768\ncaps = "8BIT|INTERNAL|DEFAULT"\n'
    'allocator = "idf-4.2"\nstartup_use = 2048\n',
)
RULES = (
    '[[private]]\nname = "net"\nsize = "4KB"\n[[rule]]\ntask = "net"\nsize = [1, 200]\n'
    'private = "net"\nfallback = true\n[[rule]]\nmax = 64\nsite = "*read*"\nend = "high"\n',
    '[[pool]]\nname = "events"\nblock = 32\ncount = 10\n[[rule]]\nsize = [17, 32]\n'
    'pool = "events"\n',
)
BUDGETS = (
    '[memory]\npool = "64KB"\nallocator = "tlsf"\n[budget]\nfailures = 0\n[[run]]\nname = "a"\n'
    'trace = "T.hst"\n[run.budget]\nmin_free = "20KB"\nneed = [100, 2000]\ntask.net = "40KB"\n',
)
PLAN = (
    'traces = ["T.hst"]\nneed = [100]\n[[grid]]\npool = {from = "4KB", to = "16KB", step = "4KB"}\n'
    'allocator = ["tlsf", "heap_4"]\n[jitter]\nruns = 2\n',
)
IPERF = (
    "mode=tcp-server sip=192.168.1.2:5001\n        Interval Bandwidth\n"
    "   0-   3 sec       20.00 Mbits/sec\n   3-   6 sec       26.00 Mbits/sec\n"
    "   0-   6 sec       24.00 Mbits/sec\n",
)
MANIFESTS = (
    "cmake_minimum_required(VERSION 3.16)\nset(COMPONENTS main)\n"
    "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\nproject(app)\n",
    "dependencies:\n  idf: '>=5.0'\n  a/b:\n    version: 1.0\n    rules:\n"
    "      - if: target in [esp32]\n",
    "[env:a]\nboard = esp32dev\nboard_build.esp-idf.sdkconfig_path = sdkconfig.a\n",
)
KNOWN = ("task=net site=*static* # why\ntask=main size=16..64\nsize=100\n",)


def _layout(folder: Path, data: bytes, number: int) -> None:
    hs.replay(_trace(), layout=folder / "input")


def _rules(folder: Path, data: bytes, number: int) -> None:
    hs.replay(_trace(), pool="64KB", allocator="heapscope", place=folder / "input")


def _check(folder: Path, data: bytes, number: int) -> None:
    shutil.copy(_trace(), folder / "T.hst")
    hs.check(folder / "input")


def _plan(folder: Path, data: bytes, number: int) -> None:
    from heapscope.fleet.sweep.plan_file import read_plan

    shutil.copy(_trace(), folder / "T.hst")
    read_plan(folder / "input")


def _known(folder: Path, data: bytes, number: int) -> None:
    hs.leaks(_trace(), suppress=folder / "input")


def _iperf(folder: Path, data: bytes, number: int) -> None:
    from heapscope.forecast.predict.iperf_log import read_iperf_log

    read_iperf_log(folder / "input")


# ---- what Heapscope wrote ----


def _result() -> Sequence[bytes]:
    return [json.dumps(hs.replay(_trace(), pool="8KB", allocator="tlsf").to_json()).encode()]


def _compare(folder: Path, data: bytes, number: int) -> None:
    (folder / "sound").write_bytes(_result_once())
    hs.compare(folder / "sound", folder / "input")


@functools.cache
def _result_once() -> bytes:
    return _result()[0]


def _baseline() -> Sequence[bytes]:
    (_kept() / "budgets.toml").write_text(BUDGETS[0])
    return [json.dumps(hs.check(_kept() / "budgets.toml").to_json()).encode()]


def _against(folder: Path, data: bytes, number: int) -> None:
    from heapscope.fleet.budgets.baseline import read_baseline

    read_baseline(folder / "input")


def _sweep() -> Sequence[bytes]:
    from heapscope.fleet.sweep.output import opened
    from heapscope.fleet.sweep.plan_file import read_plan

    (_kept() / "plan.toml").write_text(PLAN[0])
    plan = read_plan(_kept() / "plan.toml").plan
    with opened(_kept() / "sweep", plan):
        return [(_kept() / "sweep" / "sweep.json").read_bytes()]


def _shown(folder: Path, data: bytes, number: int) -> None:
    (folder / "out" / "cells").mkdir(parents=True, exist_ok=True)
    (folder / "out" / "sweep.json").write_bytes(data)
    from heapscope.fleet.sweep.output import read_output

    read_output(folder / "out").done()


# ---- programs ----


def _elf() -> Sequence[bytes]:
    """The firmware without its code: headers, symbols and their names."""
    return [(ROOT / "studies" / "workloads" / "static" / "firmware.elf").read_bytes()]


def _static(folder: Path, data: bytes, number: int) -> None:
    from heapscope.memory.static.read import read_static

    read_static(folder / "input", ("esp32", "esp32c3")[number % 2])


def _map() -> Sequence[bytes]:
    return [(LAB / "fit" / "app.map").read_bytes()]


def _program() -> Sequence[bytes]:
    """A program of this machine with debug information."""
    source = _kept() / "program.c"
    source.write_text(PROGRAM)
    command = ["cc", "-g", "-O1", "-o", _kept() / "program", source]
    subprocess.run(command, check=True)
    return [(_kept() / "program").read_bytes()]


PROGRAM = """#include <stdlib.h>
struct pair { long one; void *other; struct pair *next; };
struct pair *kept;
static struct pair *make(int count) { return malloc(sizeof(struct pair) * count); }
int main(int count, char **words) { kept = make(count); kept->other = words; return 0; }
"""


def _dwarf(folder: Path, data: bytes, number: int) -> None:
    """All that translate asks of it, at every function."""
    from heapscope.capture.translate.program import ProgramFile
    from heapscope.capture.translate.site_types import SiteTypes

    with ProgramFile(folder / "input") as program:
        types = SiteTypes({"": program})
        for line in range(4, 6):
            types.of(b"main (program.c:5);make (program.c:%d)" % line)


def _corpus(name: str) -> Callable[[], Sequence[bytes]]:
    return _files(*sorted((CORPUS / "import").glob(f"{name}*.txt")))


_LOGS = _files(*sorted((LAB / "capture" / "logs").glob("*.log")))
_LINES = (
    ("text", lambda: [(_kept() / "T.txt").read_bytes()]),
    ("heaptrack", _corpus("heaptrack")),
    ("mtrace", _corpus("mtrace")),
    ("pjsip", _files(LAB / "pools" / "pjsua.log")),
    ("esp-idf", _LOGS),
)
READERS = {
    one.name: one
    for one in (
        Reader("trace", _sound_traces, mutate.of_trace, _read_trace),
        Reader("trace-bytes", _traces, mutate.of_bytes, _read_trace),
        Reader("zst", _zstd, mutate.of_bytes, _read_packed),
        *(Reader(form, samples, mutate.of_text, _imported(form)) for form, samples in _LINES),
        Reader("systemview", _svdat, mutate.of_bytes, _imported("systemview")),
        Reader("log", _LOGS, mutate.of_text, _log),
        Reader("boot-log", _LOGS, mutate.of_text, _boot_log),
        Reader("sdkconfig", _texts(*SDKCONFIG), mutate.of_text, _lint),
        Reader("kconfig", _texts(*KCONFIG), mutate.of_text, _project),
        Reader("manifests", _texts(*MANIFESTS), mutate.of_text, _manifests),
        Reader("layout", _texts(*LAYOUT), mutate.of_text, _layout),
        Reader("rules", _texts(*RULES), mutate.of_text, _rules),
        Reader("budgets", _texts(*BUDGETS), mutate.of_text, _check),
        Reader("plan", _texts(*PLAN), mutate.of_text, _plan),
        Reader("known-leaks", _texts(*KNOWN), mutate.of_text, _known),
        Reader("iperf", _texts(*IPERF), mutate.of_text, _iperf),
        Reader("result", _result, mutate.of_text, _compare),
        Reader("baseline", _baseline, mutate.of_text, _against),
        Reader("sweep", _sweep, mutate.of_text, _shown),
        Reader("elf", _elf, mutate.in_place, _static),
        Reader("dwarf", _program, mutate.in_place, _dwarf),
        Reader("map", _map, mutate.of_text, _static),
    )
}
