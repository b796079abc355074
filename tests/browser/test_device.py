"""The page hears a device through Web Serial as `heapscope live` does: a stand-in for the port
carries the bytes of recorders, cut anywhere. It was never run on a real port."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab.live.conftest import make_boot as _make_boot

sys.path += [str(Path(__file__).resolve().parents[up]) for up in (0, 2)]  # here; emulation/

from heard_device import BLOCKS, Device, Open, cut, plugged_in
from test_axe import findings

import heapscope as hs
from heapscope.logs.live.hearing import Hearing
from heapscope.logs.live.moment import LiveMoment

GOLDEN = Path(__file__).parents[2] / "format" / "golden" / "v1"

make_boot = _make_boot  # the streams of the tests of `heapscope live`


@pytest.fixture
def device(see: Open, empty: Path) -> Callable[..., Device]:
    return plugged_in(see, empty)


def spoken(stream: bytes) -> bytes:
    """A recorder's chunks with lines of a log between them."""
    parts, number = [], 0
    while stream:
        size = 20 + int.from_bytes(stream[12:14], "little")
        parts += [b"I (%d) app: HS \xc7 %d\n" % (number, number), stream[:size]]
        stream, number = stream[size:], number + 1
    return b"".join(parts)


def desk(stream: bytes) -> LiveMoment:
    """The moment of `heapscope live` after all of it; the last recording is still open."""
    with Hearing("here") as hearing:
        hearing.take(stream)
        hearing.quiet()
        return hearing.moment()


ALIKE = (
    *("recording", "boot", "reset", "chip", "time", "known", "level", "filtered", "live"),
    *("live_blocks", "live_peak", "events", "failures", "snapshots", "corrections"),
    *("owners_left_out",),
)
MEMORY = (
    *("name", "capabilities", "size", "by", "free", "largest", "minimum", "said", "live"),
    *("blocks", "room"),
)
LOSSES = (
    *("events", "left_out", "chunks", "damaged_chunks", "damaged_bytes", "late_chunks"),
    "malformed_chunks",
)


def alike(got: dict[str, Any], wanted: LiveMoment) -> None:
    """The page's moment is that of the desk, figure by figure."""
    assert {name: got[name] for name in ALIKE} == {name: getattr(wanted, name) for name in ALIKE}
    for rows, columns in (("memory", MEMORY), ("owners", ("task", "site", "live", "blocks"))):
        assert [[row[name] for name in columns] for row in got[rows]] == [
            [getattr(row, name) for name in columns] for row in getattr(wanted, rows)
        ]
    assert [got["losses"][name] for name in LOSSES] == [
        getattr(wanted.losses, name) for name in LOSSES
    ]
    assert [(one["kind"], one["events"], one["size"]) for one in got["losses"]["kinds"]] == [
        (one.kind, one.events, one.size) for one in wanted.losses.kinds
    ]


def streams(make_boot: Any) -> dict[str, bytes]:
    """With log text, two boots, failures, losses, damage, and chunks that come late."""
    first = make_boot(7, BLOCKS, failed=70_000, reported=["ready", 5000, 5000], freed=[0x200])
    second = make_boot(8, BLOCKS[:5], reset=b"panic", lost=((1, 3, 300), (5, 2, 0)), task=b"tls")
    broken = bytearray(b"".join(first))
    broken[len(first[0]) + len(first[1]) + 20] ^= 4
    lines = [b"I (%d) app: line %d\r\n" % (i, i) for i in range(len(first))]
    mixed = b"".join(part for pair in zip(lines, first, strict=True) for part in pair)
    return {
        "two boots": mixed + b"rst:0xc\n" + b"".join(second),
        "damaged": bytes(broken),
        "late": b"".join([*first[:3], *second, *first[3:]]),
        "no regions": b"".join(make_boot(9, BLOCKS, region=False)),
        "chip1": (GOLDEN / "chip1.hst").read_bytes(),
        "other boot": (GOLDEN / "other_boot.hst").read_bytes(),
    }


def test_the_page_hears_what_the_desk_hears_however_the_stream_is_cut(
    device: Callable[..., Device], make_boot: Any, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    plugged = device(accept_downloads=True)
    for name, stream in streams(make_boot).items():
        plugged.connect()
        plugged.send(*cut(stream, chance))
        plugged.quiet(len(stream))  # a line without an end
        alike(plugged.moment(), desk(stream))
        plugged.ends()
        (tmp_path / "stream").write_bytes(stream)
        result = hs.live(tmp_path / "stream", out=tmp_path / name.replace(" ", "_"))
        files = [Path(one.file) for one in result.recordings if one.file]
        before = plugged.moment()["before"]  # recordings of the connections before stay
        for index, file in enumerate(files, start=before):
            saved, data = plugged.saved(index)
            assert data == file.read_bytes(), (name, file, seed)
            assert saved.startswith(f"heard-{file.stem.removeprefix(name.replace(' ', '_') + '-')}")
        rows = plugged.moment()["recordings"][before:]
        assert [(row["events"], row["lost"], row["ended"]) for row in rows] == [
            (one.events, one.missing, one.ended) for one in result.recordings
        ]
    assert plugged.seen.complaints == []


@pytest.mark.slow
def test_the_log_and_what_happened_come_in_their_order(
    device: Callable[..., Device], make_boot: Any
) -> None:
    stream = streams(make_boot)["two boots"] + b"half a line"
    plugged = device()
    plugged.connect()
    plugged.send(stream)
    plugged.ends("stop")
    with Hearing("here") as hearing:
        hearing.take(stream)
        hearing.finish()
        wanted = hearing.moment()
    shown = plugged.page.inner_text("[data-lines]").split("\n")
    assert shown == [line.rstrip() for line in wanted.log]
    texts = [one.text for one in wanted.happenings if one.kind != "file"]
    happened = plugged.page.evaluate("HS.device.happened.map((one) => [one.kind, one.text])")
    assert [text for kind, text in happened if kind != "file"] == texts[-len(happened) :]
    assert "a request of 70,000 B failed" in plugged.page.inner_text("[data-rows=failed]")
    assert plugged.text().startswith("Stopped. ")


@pytest.mark.slow
def test_what_was_recorded_opens_in_the_same_page(
    device: Callable[..., Device], make_boot: Any
) -> None:
    evil = b"<img src=x onerror=alert(1)>"
    stream = b"".join(make_boot(7, BLOCKS, task=evil, site=evil, reset=evil, failed=9000))
    plugged = device()
    plugged.connect()
    plugged.send(evil + b"\n" + stream)
    plugged.ends()
    assert plugged.page.locator("main img").count() == 0
    assert plugged.page.inner_text("[data-device]").count(evil.decode()) > 4
    assert plugged.text().startswith("The device was unplugged, or its port went away.")
    plugged.page.click("[data-act=explore]")
    plugged.page.wait_for_selector("html[data-replayed]", timeout=30_000)
    assert "No request fails of 12" in plugged.page.inner_text("[data-says]")
    assert plugged.page.evaluate("standIn.closed") == 1
    assert plugged.seen.complaints == []


def test_a_console_without_a_recorder_is_answered_as_a_dropped_log(
    device: Callable[..., Device], tmp_path: Path
) -> None:
    text = (
        "I (326) heap_init: At 3FFB2EC8 len 0002D138 (180 KiB): DRAM\n"
        "I (18840) app: Free heap: 24040 bytes, largest free block: 9204 bytes\n"
        "E (5) <img src=x onerror=alert(1)>: malloc(40000) failed!\n"
    )
    plugged = device()
    plugged.page.set_input_files(
        "[data-file]", {"name": "a.log", "mimeType": "text/plain", "buffer": text.encode()}
    )
    plugged.page.wait_for_selector("html[data-files]")
    answers = """() => [...document.querySelectorAll("[data-says], [data-logged]")]
      .map((one) => one.innerText)"""
    dropped = plugged.page.evaluate(answers)
    plugged.connect()
    plugged.send(*cut(text.encode(), random.Random(1)))
    plugged.until(len(text))
    plugged.page.wait_for_function(
        "() => document.querySelector('[data-notes]').innerText.includes('A request of 40,000 B')"
    )
    plugged.ends()
    assert "no recording among them" in plugged.text()
    assert plugged.page.evaluate(answers) == dropped
    assert plugged.page.locator("main img").count() == 0
    assert plugged.seen.complaints == []


@pytest.mark.slow
def test_bytes_at_another_speed_are_named_as_such_and_a_foreign_log_is_not(
    device: Callable[..., Device], seed: int
) -> None:
    plugged = device()
    plugged.connect()
    plugged.send(random.Random(seed).randbytes(3000))
    plugged.until(3000)
    assert "The speed is probably wrong" in plugged.text()
    assert "the speed is probably wrong" in plugged.notes()
    plugged.page.evaluate("standIn.line('FramingError')")
    plugged.page.evaluate("standIn.line('BufferOverrunError')")
    plugged.send(b"x\n")
    plugged.until(3002)
    plugged.ends()
    assert "1 framing error: the speed may be wrong" in plugged.notes()
    assert "1 overrun of the buffer" in plugged.notes()
    plugged.connect()
    words = "I (5) 应用: 堆的剩余空间 12345\n".encode() * 20
    plugged.send(*cut(words, random.Random(seed)))
    plugged.until(len(words))
    assert "speed is probably wrong" not in plugged.notes() + plugged.text()
    plugged.ends()


ERRORS = (
    ("choose", "NotFoundError", "No port was chosen"),
    ("choose", "SecurityError", "does not let this page ask"),
    ("open", "NetworkError", "another program has it"),
    ("open", "InvalidStateError", "is open already"),
    ("open", "NotAllowedError", "permission to use the port was denied"),
    ("open", "TypeError", "does not take 115,200 baud"),
)


def test_each_error_has_its_name_and_the_page_goes_on(device: Callable[..., Device]) -> None:
    plugged = device()
    for where, name, stated in ERRORS:
        plugged.page.evaluate("(refuses) => { standIn.refuses = refuses; }", {where: name})
        plugged.page.click("[data-act=connect]")
        script = "(said) => document.querySelector('[data-state]').innerText.includes(said)"
        plugged.page.wait_for_function(script, arg=stated)
        assert plugged.page.is_enabled("[data-act=connect]")
    plugged.page.evaluate("() => { standIn.refuses = {}; }")
    plugged.connect()
    plugged.ends()
    assert plugged.seen.complaints == []


@pytest.mark.slow
def test_a_recorder_in_emulation_is_heard_and_saved(
    device: Callable[..., Device], seed: int
) -> None:
    """The machine code of the recorder of a chip wrote these bytes."""
    from emulation.recorder import EmulatedRecorder, mixed_program, recorder_image
    from emulation.targets import TARGETS

    target, rows = TARGETS["rv32imc"], mixed_program(3, 1500)
    recorder = EmulatedRecorder(target, recorder_image(target), records=128, events=len(rows))
    trace = recorder.record(rows, between=50).trace
    stream = spoken(trace)
    plugged = device(accept_downloads=True)
    plugged.connect()
    plugged.send(*cut(stream, random.Random(seed)))
    plugged.until(len(stream))
    alike(plugged.moment(), desk(stream))
    plugged.ends()
    assert plugged.saved(0)[1] == trace
    assert plugged.moment()["recordings"][0]["events"] == len(rows)


@pytest.mark.slow
def test_a_device_can_be_heard_by_keyboard_and_axe_finds_nothing_on_a_phone(
    device: Callable[..., Device], make_boot: Any
) -> None:
    narrow = {"width": 390, "height": 800}
    plugged = device(viewport=narrow, color_scheme="dark")
    page = plugged.page
    page.focus("[data-device] [name=baud]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-act=stop]:focus")
    sent = 0
    for chunk in make_boot(7, BLOCKS, failed=9000):
        line = b"I (1) app: a line\n"
        plugged.send(line + chunk)
        sent += len(line + chunk)
        plugged.until(sent)
    assert page.locator("[data-curve] polyline").count() == 3
    reported = str(page.get_attribute("[data-curve] svg", "aria-label"))
    assert reported.startswith("DRAM: free, DRAM: largest block, live bytes over time")
    assert findings(page) == []
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-heard]")
    assert page.evaluate("document.activeElement.dataset.act") == "connect"
    assert "12 blocks" in page.inner_text("[data-now]")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= narrow["width"]
    assert plugged.seen.complaints == []


@pytest.mark.slow
def test_without_web_serial_the_page_says_so(see: Open, empty: Path) -> None:
    seen = see(empty)
    seen.page.add_init_script("delete Navigator.prototype.serial")
    seen.page.reload()
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    assert seen.page.locator("[data-act=connect]").is_hidden()
    assert "has no Web Serial" in seen.page.inner_text("[data-device]")
