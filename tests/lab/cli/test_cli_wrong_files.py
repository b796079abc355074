"""Every verb that reads a file is given every other kind of file: none is taken for what it is
not, each is named, and a trace of Heapscope is reported as one, with a verb that reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

LAB = Path(__file__).resolve().parents[1]
TRACES = ("trace.hst", "packed.hst.zst")
CHIP = ("--chip", "esp32", "--idf", "5.5")
POOL = ("--pool", "1MB")

#: Each reader: the command line with FILE in it, and the kinds of file that it reads.
READERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "import text": (("import", "--from", "text", "FILE", "-o", "o.hst"), ("text",)),
    "import heaptrack": (("import", "--from", "heaptrack", "FILE", "-o", "o.hst"), ("heaptrack",)),
    "import mtrace": (("import", "--from", "mtrace", "FILE", "-o", "o.hst"), ("mtrace",)),
    "import pjsip": (("import", "--from", "pjsip", "FILE", "-o", "o.hst"), ("pjsip",)),
    "import esp-idf": (("import", "--from", "esp-idf", "FILE"), ("esp-idf", "boot log", "pjsip")),
    "contents": (("replay", "FILE"), TRACES),
    "replay": (("replay", "FILE", *POOL), TRACES),
    "fit": (("fit", "FILE", "--allocator", "idf-5.5"), TRACES),
    "why": (("why", "FILE", *POOL), TRACES),
    "leaks": (("leaks", "FILE"), (*TRACES, "pjsip")),
    "compare": (("compare", "FILE", *POOL, "--pool", "2MB"), TRACES),
    "compare parts": (
        ("compare", "FILE", *POOL, "--idf", "4.2", "--idf", "5.5", "--parts"),
        TRACES,
    ),
    "report": (("report", "FILE", *POOL, "-o", "o.html"), TRACES),
    "place": (("place", "FILE", *POOL), TRACES),
    "place --second": (("place", "trace.hst", *POOL, "--second", "FILE"), TRACES),
    "pools": (("fit", "--pools", "FILE"), TRACES),
    "export": (("export", "FILE", "--to", "csv", "-o", "o.csv"), TRACES),
    "predict --trace": (("predict", "sdkconfig", "--chip", "esp32", "--trace", "FILE"), TRACES),
    "tune --trace": (("tune", "--chip", "esp32c3", "--trace", "FILE"), TRACES),
    "--boot-log": (("replay", "trace.hst", *CHIP, "--boot-log", "FILE"), ("boot log", "esp-idf")),
    "--sdkconfig": (("replay", "trace.hst", *CHIP, "--sdkconfig", "FILE"), ("sdkconfig", "empty")),
    "--elf": (("replay", "trace.hst", *CHIP, "--elf", "FILE"), ()),
    "--bin": (("replay", "trace.hst", "--bin", "FILE"), ()),
    "--layout": (("replay", "trace.hst", "--layout", "FILE"), ()),
    "--place": (("replay", "trace.hst", *CHIP, "--place", "FILE"), ()),
    "--measured": (("predict", "sdkconfig", "--chip", "esp32", "--measured", "FILE"), ()),
    "lint": (("lint", "FILE", "--chip", "esp32"), ("sdkconfig", "empty")),
    "predict": (("predict", "FILE", "--chip", "esp32"), ("sdkconfig", "empty")),
    "compare configurations": (
        ("compare", "sdkconfig", "FILE", "--chip", "esp32"),
        ("sdkconfig", "empty"),
    ),
    "tune": (("tune", "FILE", "--chip", "esp32"), ("sdkconfig", "empty")),
}


@pytest.fixture
def kinds(hst: Path) -> tuple[str, ...]:
    """The names of one file of each kind."""
    trace, events = hst.read_bytes(), Path("events.txt").read_bytes()
    contents = {
        "trace.hst": trace,
        "packed.hst.zst": zstandard.compress(trace),
        "text": events,
        "utf-16": events.decode().encode("utf-16"),
        "heaptrack": Path("heaptrack.firmware.4711.zst").read_bytes(),
        "mtrace": Path("mtrace.txt").read_bytes(),
        "boot log": Path("boot.txt").read_bytes(),
        "pjsip": (LAB / "pools" / "pjsua.log").read_bytes(),
        "esp-idf": (LAB / "capture" / "logs" / "esp32_v4.4_heap_trace.log").read_bytes(),
        "sdkconfig": b'CONFIG_IDF_TARGET="esp32"\nCONFIG_LWIP_TCP_MSS=1440\n',
        "program.elf": b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8,
        "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4,
        "empty": b"",
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)
    return tuple(contents)


@pytest.mark.parametrize("reader", READERS)
def test_no_file_is_taken_for_what_it_is_not(
    kinds: tuple[str, ...], run: Callable[..., Any], reader: str
) -> None:
    args, reads = READERS[reader]
    there = sorted(Path().iterdir())
    for kind in kinds:
        if kind in reads:
            continue
        done = run(*(kind if arg == "FILE" else arg for arg in args))
        assert (done.code, done.out) == (2, ""), (kind, done)
        error, remedy = done.err.splitlines()
        assert error.startswith("error: ")
        assert remedy.startswith("remedy: ")
        assert kind in error
        assert "a fault of Heapscope" not in error
        if kind in TRACES and reader != "compare configurations":
            assert "it is a trace already" in error
            assert "heapscope replay FILE" in remedy
    assert sorted(Path().iterdir()) == there
