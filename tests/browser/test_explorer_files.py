"""The page reads logs as the command does, and zstd as the library unpacks it."""

from __future__ import annotations

import base64
import importlib.util
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import heapscope as hs
from heapscope.native.log import NativeLog
from heapscope.render.page.frame import own_asset

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
LOGS = (
    *sorted((ROOT / "tests" / "lab" / "capture" / "logs").glob("*.log")),
    ROOT / "studies" / "workloads" / "mix" / "boot.txt",
)
Open = Callable[..., Any]


def _cases() -> dict[str, tuple[str, dict[str, Any]]]:
    path = ROOT / "tests" / "lab" / "log" / "cases.py"
    spec = importlib.util.spec_from_file_location("log_cases", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["log_cases"] = module
    spec.loader.exec_module(module)
    return dict(module.ALL)


def ready(see: Open, empty: Path) -> Any:
    seen = see(empty)
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    return seen


OPEN = """(text) => HS
  .ask("open", { bytes: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer })
  .then((answer) => answer.log ?? "a trace", (error) => error.message)"""


def in_page(page: Any, data: bytes) -> Any:
    return page.evaluate(OPEN, base64.b64encode(data).decode("ascii"))


def printed(seed: int, size: int = 8000) -> str:
    """A log of a device that starts three times and prints summaries, figures and failures. Its
    last line may be cut; the seed is in the message of a failed assertion."""
    chance = random.Random(seed)
    lines = [f"# seed {seed}"]
    while sum(map(len, lines)) < size:
        lines += piece(chance)
    text = "\n".join(lines) + "\n"
    return text[: len(text) - chance.randrange(80)] if chance.random() < 0.5 else text


def piece(chance: random.Random) -> list[str]:
    size = chance.choice((0, 16, 1500, 16717, 40000, 1 << 20))
    time = chance.randrange(1, 100_000)
    start = [
        "rst:0xc (SW_CPU_RESET),boot:0x33 (SPI_FAST_FLASH_BOOT)",
        "I (29) boot: ESP-IDF v5.3.1 2nd stage bootloader",
        "I (30) boot: chip revision: v3.0",
        "I (320) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM",
        f"I (326) heap_init: At 3FFB2EC8 len 000{chance.randrange(1 << 16):05X} (180 KiB): DRAM",
    ]
    free = [chance.randrange(200_000) for _ in range(2)]
    summary = ["Heap summary for capabilities 0x00001800:"]
    for number, one in enumerate(free):
        summary += [
            f"  At 0x3ffb{number}000 len 200000 free {one} allocated {200000 - one} "
            f"min_free {one // 2}",
            f"    largest_free_block {one // 3} alloc_blocks 12 free_blocks 3 total_blocks 15",
        ]
    summary += [
        "  Totals:",
        f"    free {sum(free)} allocated {400000 - sum(free)} min_free {sum(free) // 2} "
        f"largest_free_block {max(free) // 3}",
    ]
    words = [f"I ({time}) app: Free heap: {free[0]} bytes, largest free block: {free[0] // 4}"]
    return chance.choice((
        start, summary, summary[: chance.randrange(len(summary))], words, words,
        [f"heap_caps_malloc was called but failed to allocate {size} bytes with 0x1800 "
         "capabilities.", f"Mem alloc fail. size {size:#010x} caps 0x00001800"],
        [f"E ({time}) app: malloc({size}) failed!"], [f"E ({time}) http: out of memory"],
        [f"W ({time}) wifi:alloc eb len={size} type=2 fail, heap:{free[0]}"],
        [f"E ({time}) esp-tls: mbedtls_ssl_setup returned -0x7F00"],
        [f"I ({time}) cam: Allocating frame buffer ({size} bytes)", "E (2) cam: no mem"],
        [f"Internal free {free[0]}, largest {free[1]}; SPIRAM free 4123456"],
        ["CORRUPT HEAP: Bad tail at 0x3ffb1234. Expected 0xbaad5678 got 0x00000000"],
    ))  # fmt: skip


FAILED = ("size", "capabilities", "count", "who", "how", "line", "last", "uptime_ms", "memory")
FACT = ("kind", "memory", "line", "address", "size", "free", "largest", "min", "used", "total",
        "name", "quote", "cut", "unended")  # fmt: skip
ROWS = 500  # of each table, in log_facts.js


def facts_of(data: bytes, kinds: list[str]) -> list[dict[str, Any]]:
    """The facts of these kinds as the engine of this machine reads them."""
    with NativeLog() as log:
        facts = [fact for fact in (*log.push(data), *log.flush()) if fact.kind in kinds]
    return [{name: getattr(fact, name) for name in FACT} for fact in facts[-ROWS:]]


@pytest.mark.cells(1)
def test_logs_are_read_as_the_command_reads_them(
    empty: Path, see: Open, tmp_path: Path, seed: int
) -> None:
    texts = {name: text.encode() for name, (text, _) in _cases().items()}
    texts |= {path.name: path.read_bytes() for path in LOGS}
    texts |= {f"made {number}": printed(12 * seed + number).encode() for number in range(12)}
    page = ready(see, empty).page
    kinds = {name: _kinds(name.upper()) for name in ("states", "starts")}
    answered, wrong = 0, {}
    for name, data in texts.items():
        path = tmp_path / "device.log"
        path.write_bytes(data)
        log = in_page(page, data)
        wanted = hs.log(path).to_json()
        if isinstance(log, str):  # not one line tells of a heap: the command has no figure either
            assert "in which a line tells of a heap" in log, name
            assert [wanted[one] for one in ("figures", "boot")] == [[], []], name
            assert wanted["answer"]["failed"] == [], name
            continue
        answered += 1
        failed = [
            {key: row[key] for key in FAILED} | {"capabilities": row["capabilities"] or ""}
            for row in wanted["answer"]["failed"]
        ]
        pairs: dict[str, tuple[Any, Any]] = {
            "lines": (log["lines"], wanted["lines"]),
            "failed": (log["failed"], failed),
        }
        for key, some in kinds.items():
            rows = [{column: row[column] for column in FACT} for row in log[key]]
            pairs[key] = rows, facts_of(data, some)
        if differs := {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}:
            wrong[name] = differs, data[:20]  # a made log begins with its seed
    assert wrong == {}
    assert answered > 60


def _kinds(name: str) -> list[str]:
    """The list of this name in the script."""
    match = re.search(rf"const {name} = (\[.*?\]);", own_asset("log_facts.js"))
    assert match is not None
    return list(json.loads(match[1]))


def test_a_dropped_log_is_shown_in_sentences_and_tables(
    empty: Path, see: Open, tmp_path: Path
) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "I (326) heap_init: At 3FFB2EC8 len 0002D138 (180 KiB): DRAM\n"
        "I (18840) app: Free heap: 24040 bytes, largest free block: 9204 bytes\n"
        "E (5) <img src=x onerror=alert(1)>: malloc(40000) failed!\n",
        encoding="utf-8",
    )
    seen = ready(see, empty)
    seen.page.set_input_files("[data-file]", path)
    seen.page.wait_for_selector("html[data-files]", timeout=10_000)
    output = seen.page.inner_text("[data-says]")
    assert output.startswith("A request of 40,000 B")
    text = seen.page.inner_text("[data-logged]")
    assert (
        "The last line that states free memory is line 2: "
        "app: Free heap: 24040 bytes, largest free block: 9204 bytes"
    ) in text
    assert "24,040\t9,204" in text
    assert "0x3ffb2ec8" in text
    assert seen.page.locator("[data-opened]").is_hidden()
    assert seen.page.locator("main img").count() == 0
    assert seen.complaints == []


@pytest.mark.slow
def test_a_trace_may_follow_a_log_and_a_log_a_trace(
    empty: Path, see: Open, hostile_trace: Path
) -> None:
    seen = ready(see, empty)
    for file, shown, hidden in (
        (LOGS[-1], "[data-logged]", "[data-opened]"),
        (hostile_trace, "[data-opened]", "[data-logged]"),
        (LOGS[-1], "[data-logged]", "[data-opened]"),
    ):
        before = seen.page.evaluate("document.documentElement.dataset.files ?? '0'")
        seen.page.set_input_files("[data-file]", file)
        seen.page.wait_for_function(
            "(before) => (document.documentElement.dataset.files ?? '0') !== before", arg=before
        )
        assert seen.page.locator(shown).is_visible()
        assert seen.page.locator(hidden).is_hidden()


# ---- zstd ----------------------------------------------------------------------------------------

UNPACK = """([script, text, most]) => {
  globalThis.unzstd ??= new Function(`${script}; return unzstd;`)();
  try {
    const bytes = unzstd(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), most);
    let out = "";
    for (let i = 0; i < bytes.length; i += 30000) {
      out += String.fromCharCode(...bytes.subarray(i, i + 30000));
    }
    return btoa(out);
  } catch (error) { return `! ${error.message}`; }
}"""


@pytest.fixture
def unpack(chromium: Any) -> Any:
    """Unpacks with the page's script, on a page without a policy; an error is raised."""
    page = chromium.new_page()

    def do(data: bytes, most: int = 1 << 28) -> bytes:
        argument = [own_asset("zstd.js"), base64.b64encode(data).decode("ascii"), most]
        answer = page.evaluate(UNPACK, argument)
        if answer.startswith("! "):
            raise ValueError(answer[2:])
        return base64.b64decode(answer)

    yield do
    page.close()


def contents(chance: random.Random) -> bytes:
    """Noise, text, runs and copies, so that blocks of every kind come."""
    parts: list[bytes] = []
    for _ in range(chance.randrange(1, 40)):
        words = bytes(chance.choice(b"etaoin shrdlu") for _ in range(chance.randrange(1, 900)))
        parts += [
            chance.choice(
                (
                    chance.randbytes(chance.randrange(2000)),
                    words,
                    bytes([chance.randrange(256)]) * chance.randrange(70_000),
                    chance.choice(parts) if parts else b"",
                    words * chance.randrange(1, 30),
                )
            )
        ]
    return b"".join(parts)


@pytest.mark.cells(1)
def test_zstd_is_unpacked_as_the_library_unpacks_it(unpack: Any, seed: int) -> None:
    chance = random.Random(seed)
    for path in sorted(CAPTURED.glob("*.zst"))[::12]:
        data = path.read_bytes()
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            assert unpack(data) == reader.read(), path.name
    for number in range(40):
        data = contents(chance)
        packer = zstandard.ZstdCompressor(
            level=chance.choice((-5, 1, 3, 9, 19)),
            write_checksum=chance.random() < 0.5,
            write_content_size=chance.random() < 0.5,
        )
        packed = packer.compress(data)
        if chance.random() < 0.3:  # frames follow each other, and some are skipped
            more = contents(chance)
            packed += b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
            packed += packer.compress(more)
            data += more
        assert unpack(packed) == data, f"seed {seed}, number {number}"


@pytest.mark.cells(1)
def test_damaged_zstd_ends_with_an_error_or_the_right_bytes(unpack: Any, seed: int) -> None:
    """Each frame has a checksum, so damage cannot go unseen."""
    chance = random.Random(seed)
    packer = zstandard.ZstdCompressor(level=9, write_checksum=True)
    refused = 0
    for number in range(150):
        data = contents(chance)[:60_000]
        packed = bytearray(packer.compress(data))
        if chance.random() < 0.3:
            del packed[chance.randrange(4, len(packed)) :]
        else:
            packed[chance.randrange(4, len(packed))] ^= 1 << chance.randrange(8)
        try:
            assert unpack(bytes(packed)) == data, f"seed {seed}, number {number}"
        except ValueError:
            refused += 1
    assert refused > 100, f"seed {seed}"


def test_zstd_that_unpacks_to_too_much_is_refused(unpack: Any) -> None:
    bomb = zstandard.ZstdCompressor(write_content_size=False)
    chunker = bomb.chunker()
    packed = b"".join((*chunker.compress(bytes(20_000_000)), *chunker.finish()))
    with pytest.raises(ValueError, match="more than 1,000,000 bytes"):
        unpack(packed, 1_000_000)
    reported = bomb.compress(b"x")  # claims nothing; the next one claims a size that is not there
    assert unpack(reported) == b"x"
    claims = zstandard.ZstdCompressor().compress(bytes(20_000_000))
    with pytest.raises(ValueError, match="more than 1,000,000 bytes"):
        unpack(claims, 1_000_000)
