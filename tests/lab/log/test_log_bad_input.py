"""The verb `log` on what monitors, terminals and pipes make of a log."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.logs.answer.answer import LogAnswer
from heapscope.logs.answer.log_result import LogResult

LINES = (
    "I (312) cpu_start: ESP-IDF:          v5.3.2",
    "I (320) heap_init: Initializing. RAM available for dynamic allocation:",
    "I (327) heap_init: At 3FC96EF0 len 00052820 (330 KiB): RAM",
    "I (333) heap_init: At 3FCE9710 len 00005724 (21 KiB): RAM",
    "I (339) heap_init: At 3FCF0000 len 00008000 (32 KiB): DRAM",
    "I (345) spi_flash: detected chip: generic",
    "I (5100) app: Free heap: 211044 bytes, largest free block: 114688 bytes",
    "W (9100) app: malloc was called but failed to allocate 131072 bytes with 0x1800 capabilities",
    "E (9108) esp-tls: mbedtls_ssl_handshake returned -0x10",
    "Mem alloc fail. size 0x00020000 caps 0x00001800",
    "Heap summary for capabilities 0x00001800:",
    "  At 0x3fc96ef0 len 337952 free 160336 allocated 174420 min_free 98120",
    "    largest_free_block 114688 alloc_blocks 391 free_blocks 7 total_blocks 398",
    "  At 0x3fce9710 len 22308 free 21572 allocated 0 min_free 21572",
    "    largest_free_block 21504 alloc_blocks 0 free_blocks 1 total_blocks 1",
    "  Totals:",
    "    free 181908 allocated 174420 min_free 119692 largest_free_block 114688",
)
TEXT = "".join(f"{line}\n" for line in LINES)


def result_of(folder: Path, data: bytes, **options: object) -> LogResult:
    path = folder / "device.log"
    path.write_bytes(data)
    return hs.log(path, **options)  # type: ignore[arg-type]


def answer_of(folder: Path, data: bytes) -> LogAnswer:
    return result_of(folder, data).answer


def figures(answer: LogAnswer) -> dict[str, object]:
    """The answer without lines, which a disturbance may move, and without conclusions."""
    document = answer.to_json()
    for failed in document["failed"]:
        del failed["line"], failed["how"], failed["count"], failed["last"], failed["fits"]
    return dict(document)


@pytest.fixture
def plain(tmp_path: Path) -> dict[str, object]:
    result = figures(answer_of(tmp_path, TEXT.encode()))
    wanted = {"form": "summary", "free": 181908, "largest": 114688, "boot_bytes": 393028}
    assert wanted.items() <= result.items()
    return result


def coloured(line: str) -> str:
    return f"\x1b[0;32m{line}\x1b[0m"


def half_coloured(line: str) -> str:
    """A terminal that takes the ESC away leaves this."""
    return f"[0;33m{line}[0m"


PREFIXES = {
    "time": "[18:30:12]{}",
    "platformio": "12:34:56.789 > {}",
    "arduino-ide": "07:37:27.890 -> {}",
    "date": "[2022-11-28 16:12:07.206] {}",
    "iso": "2023-08-18T11:13:47Z--->{}",
    "syslog": "Nov  3 10:11:12 host ESP-0A1B: {}",
    "diff": "*   {}",
    "comment": "// {}",
    "quote": "> {}",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_any_prefix(prefix: str, plain: dict[str, object], tmp_path: Path) -> None:
    text = "".join(prefix.format(line) + "\n" for line in LINES)
    assert figures(answer_of(tmp_path, text.encode())) == plain


@pytest.mark.parametrize("dress", [coloured, half_coloured])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_colours_and_ends_of_lines(
    dress: type[str], end: str, plain: dict[str, object], tmp_path: Path
) -> None:
    text = "".join(dress(line) + end for line in LINES)
    assert figures(answer_of(tmp_path, text.encode())) == plain


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_encodings(encoding: str, plain: dict[str, object], tmp_path: Path) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    assert figures(answer_of(tmp_path, mark + TEXT.encode(encoding))) == plain


def test_wrapped_at_80_columns(plain: dict[str, object], tmp_path: Path) -> None:
    rows = [line[at : at + 80] for line in LINES for at in range(0, len(line), 80)]
    assert len(rows) > len(LINES)
    assert figures(answer_of(tmp_path, "".join(f"{row}\n" for row in rows).encode())) == plain


def test_noise_between_the_lines(plain: dict[str, object], tmp_path: Path, seed: int) -> None:
    noise = random.Random(seed)
    data = b"".join(
        line.encode() + b"\n" + noise.randbytes(noise.randrange(200)).replace(b"\n", b"") + b"\n"
        for line in LINES
    )
    result = figures(answer_of(tmp_path, data))
    assert {key: result.get(key) for key in plain} == plain


def test_a_million_bytes_without_an_end_of_line(tmp_path: Path) -> None:
    filler = b"abc " * 125_000
    answer = answer_of(tmp_path, filler + LINES[9].encode() + b" " + filler)
    assert [(one.size, one.capabilities) for one in answer.failed] == [(131072, "INTERNAL|DEFAULT")]


@pytest.mark.parametrize("data", [b"", b"\n", b"\0" * 5000, b"\xff" * 5000, b"\x1b[" * 3000])
def test_nothing_is_declined(data: bytes, tmp_path: Path) -> None:
    answer = answer_of(tmp_path, data)
    assert (answer.form, answer.declines) == (None, "no line tells of a heap")


def test_a_cut_log_never_tells_another_figure(plain: dict[str, object], tmp_path: Path) -> None:
    """Sums of a summary that is not whole say so; everything else is right or left out. Figures of
    the line before the summary count where it has not come."""
    data, before = TEXT.encode(), TEXT.index("Heap summary")
    for end in range(before + 90, len(data), 7):
        answer = answer_of(tmp_path, data[:end])
        reported = figures(answer)
        for key in ("boot_regions", "boot_bytes", "failed", "error"):
            assert reported[key] == plain[key], (key, end)
        if answer.form is not None and answer.form.startswith("summary"):
            assert answer.cut or answer.free == plain["free"]


def test_a_cut_list_of_regions_is_reported_as_cut(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, TEXT[: TEXT.index("00005724") + 4].encode())
    assert (answer.boot_regions, answer.boot_bytes, answer.cut) == (1, 337952, True)


def test_two_devices_in_one_log_are_not_added_up(tmp_path: Path) -> None:
    """Each line twice, the second time with other sizes."""
    first, second = LINES[1:5], [line.replace("len 0005", "len 0004") for line in LINES[1:5]]
    text = "".join(f"{a}\n{b}\n" for a, b in zip(first, second, strict=True))
    result = result_of(tmp_path, text.encode())
    assert result.answer.boot_bytes is None
    assert any("two devices" in one for one in result.contradictions)


def test_two_summaries_in_each_other_are_not_reported(tmp_path: Path) -> None:
    lines = [line for line in LINES[10:17] for line in (line, line.replace("free 1", "free 2"))]
    result = result_of(tmp_path, "".join(f"{line}\n" for line in lines).encode())
    assert result.answer.free is None
    assert any("two devices" in one for one in result.contradictions)


def test_secrets_are_not_quoted(tmp_path: Path) -> None:
    text = (
        "I (1) wifi: ssid: HomeNet, password: hunter2, Free heap: 5000\n"
        "E (2) app: token=eyJhbGciOi malloc(100) failed\n"
    )
    shown = str(result_of(tmp_path, text.encode()).to_json())
    assert "5000" in shown
    assert not any(secret in shown for secret in ("HomeNet", "hunter2", "eyJhbGciOi"))


STATE = "free heap {free}, largest free block {largest}\n"


@pytest.mark.parametrize(
    "bad",
    [
        "free heap 99999999999999999999999, largest free block 88888888888888888888",
        "free heap nan, largest free block nan",
        "free heap inf bytes",
        '{{"free_heap": {free}, "largest_block": {largest}, "psram": {{"fr',
        "=== Heap ===",
        "INTERNAL Memory Info:",
        "free heap , largest free block",
        "free heap %d, largest free block %d",
    ],
)
def test_a_line_without_a_sound_number_changes_nothing(bad: str, tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"{seed} {bad}")
    free = rng.randrange(20_000, 200_000)
    state = {"free": free, "largest": rng.randrange(5000, free)}
    text = STATE.format(**state) + bad.format(**state) + "\n"
    answer = answer_of(tmp_path, text.encode())
    assert (answer.free, answer.largest) == (state["free"], state["largest"])


@pytest.mark.parametrize("bad", ["-1", "4294967295", "-2147483648", "0xFFFFFFFF"])
def test_a_size_that_no_heap_has_never_decides(bad: str, tmp_path: Path) -> None:
    result = result_of(tmp_path, f"free heap {bad}, largest free block {bad}\n".encode(), need=[64])
    assert result.needs[0].fits is None
    assert result.answer.free is None


def test_torn_lines_never_give_a_verdict_of_their_halves(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    free, largest = rng.randrange(100_000, 200_000), rng.randrange(50_000, 90_000)
    line = STATE.format(free=free, largest=largest)
    for _ in range(20):
        at = rng.randrange(len("free heap "), len(line) - 2)
        torn = f"{line[:at]}I (812) wifi: connected\n{line[at:]}"
        for need in (largest - 1000, largest + 1000):
            fits = result_of(tmp_path, torn.encode(), need=[need]).needs[0].fits
            assert fits is None or fits == (need < largest), (torn, need)


def test_columns_that_shift_are_named_and_not_read(tmp_path: Path) -> None:
    text = "time,free_heap,largest_block\n1,90000,50000\n2,inner,80000,40000\n3,70000,30000\n"
    result = result_of(tmp_path, text.encode())
    assert (result.answer.free, result.answer.largest) == (70000, 30000)
    assert [row.line for row in result.not_understood] == [3]


def test_units_may_change_within_a_log(tmp_path: Path) -> None:
    text = "free heap: 90 KB\nfree heap: 89.5 KB\nfree heap: 91000 bytes\nfree heap: 90500\n"
    answer = answer_of(tmp_path, text.encode())
    assert answer.series_free == (92160, 91648, 91000, 90500)


def test_a_heading_without_lines_names_nothing_below(tmp_path: Path) -> None:
    text = "=== PSRAM ===\n\nboot done\nI (9) app: free heap 90000\n"
    assert answer_of(tmp_path, text.encode()).free == 90000
