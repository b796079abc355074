"""The grammar of figures: cases drawn from the table of words, and text of other kinds."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.native.log import Fact, NativeLog

WORDS = Path(__file__).parents[3] / "lab/native/log/words.c"
_ROW = re.compile(r'\{"(\w+)", (.*?)(?:, 0)?\}')

#: Words of the table that say one thing, by what it is.
FREE, LARGEST, MIN = "FREE", "HS_WORD_LARGEST", "HS_WORD_MIN"


def _table() -> dict[str, str]:
    text = WORDS.read_text(encoding="utf-8")
    return dict(_ROW.findall(text[text.index('{"32bit"') : text.index("#define WORDS ")]))


def _words(meaning: str) -> list[str]:
    return [word for word, means in _table().items() if means == meaning]


def _memories() -> dict[str, str]:
    """A word of the table, and the memory that it names."""
    found = ((word, re.search(r"OF\((\w+)\)", means)) for word, means in _table().items())
    return {word: match[1].lower() for word, match in found if match}


def facts(text: str) -> list[Fact]:
    with NativeLog() as log:
        return [*log.push(text.encode()), *log.flush()]


def figures(text: str) -> dict[tuple[str, str], int]:
    """The last value by memory and figure."""
    return {
        (fact.memory, name): value
        for fact in facts(text)
        if fact.kind == "figures"
        for name in ("free", "largest", "min", "total", "used", "peak")
        if (value := getattr(fact, name)) is not None
    }


@pytest.mark.parametrize(("word", "memory"), _memories().items())
def test_a_word_of_memory_holds_for_its_own_figures(word: str, memory: str, seed: int) -> None:
    rng = random.Random(f"{seed} {word}")
    free, total = sorted(rng.sample(range(20_000, 300_000), 2))
    block, least = rng.randrange(10_000, free), rng.randrange(1000, 10_000)
    other = "spiram" if memory != "spiram" else "internal"
    wanted = {(memory, "free"): free, (memory, "largest"): block, (memory, "min"): least}
    beside = {(other, "free"): total, (other, "largest"): total - 8}
    texts = (
        f"{word} free {free} largest {block} min {least}, {other} free {total} largest {total - 8}",
        f"{word}: free {free}, largest {block}, min {least}; {other}: free {total}, "
        f"largest {total - 8}",
        f'{{"{word}":{{"free":{free},"largest":{block},"min":{least}}},'
        f'"{other}":{{"free":{total},"largest":{total - 8}}}}}',
        f'{{\n "{other}": {{\n  "free": {total},\n  "largest": {total - 8}\n }},\n'
        f' "{word}": {{\n  "free": {free},\n  "largest": {block},\n  "min": {least}\n }}\n}}',
        f"{word}_free={free} {word}_largest={block} {word}_min={least} {other}_free={total} "
        f"{other}_largest={total - 8}",
        f"{word}_free,{word}_largest,{word}_min,{other}_free,{other}_largest\n"
        f"{free},{block},{least},{total},{total - 8}",
        f"{word.upper()} heap:\n  free {free} largest {block} min {least}\n\n"
        f"{other} heap:\n  free {total} largest {total - 8}",
    )
    for text in texts:
        assert figures(text + "\n") == wanted | beside, text


@pytest.mark.parametrize(
    ("meaning", "name"), [(FREE, "free"), (LARGEST, "largest"), (MIN, "min")], ids=str
)
def test_each_word_of_a_measure_is_it(meaning: str, name: str, seed: int) -> None:
    for word in _words(meaning):
        value = random.Random(f"{seed} {word}").randrange(2_000, 200_000)
        forms = ("heap {}: {}", "heap_{}={} B", "{} heap {} bytes")
        for text in (form.format(word, value) for form in forms):
            assert figures(text + "\n").get(("any", name)) == value, text
        rounded = f"heap {word}: {value // 1024} KB\n"
        assert figures(rounded).get(("any", name)) == value // 1024 * 1024, rounded


@pytest.mark.parametrize(
    "text",
    [
        "Heap at block_locate_free heap_tlsf.c:44800",
        "heap: block_locate_free(44800)",
        "[FREE-HEAP ]-0000066004-C0-I- ready",
        "esp_heap_up 1 1772431230152",
        "MALLOC_CAP_DMA 176920 bytes",
        "stack: main free 12000, httpd free 9200",
        "heap alloc=44800",
        "flash free: 123456",
        "free heap: NaN",
        "free heap: -",
        "Heap:",
    ],
)
def test_a_number_without_its_own_measure_is_none(text: str) -> None:
    assert figures(text + "\n") == {}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Heap 9812 of 163840 bytes free", {("any", "free"): 9812, ("any", "total"): 163840}),
        ("Out of memory pool: 584 of 24000 available",
         {("any", "free"): 584, ("any", "total"): 24000}),
        ("current free heap:151.20K inter free heap:144.94K min free heap:149.88K",
         {("any", "free"): 154828, ("internal", "free"): 148418, ("any", "min"): 153477}),
        ("heap free=300000 largest=196608 alloc=7368",
         {("any", "free"): 300000, ("any", "largest"): 196608, ("any", "used"): 7368}),
        ("esp_heap_free_bytes 98332 1772431230152", {("any", "free"): 98332}),
        ("Free heap dropped to 12000", {("any", "min"): 12000}),
        ("MALLOC_CAP_INTERNAL:\n free 70602 allocated 228540 min_free 68027 "
         "largest_free_block 59392",
         {("internal", "free"): 70602, ("internal", "used"): 228540, ("internal", "min"): 68027,
          ("internal", "largest"): 59392}),
        ("| heap | free | largest |\n|---|---|---|\n| x | 5000 | 400 |",
         {("any", "free"): 5000, ("any", "largest"): 400}),
    ],
)  # fmt: skip
def test_clauses_columns_and_headings(text: str, wanted: dict[tuple[str, str], int]) -> None:
    assert figures(text + "\n") == wanted


def test_a_row_of_other_columns_than_the_heading_is_not_read() -> None:
    result = facts("time,heap_free,heap_largest\n1,5000,400\n2,7,5000,400\n")
    assert [fact.kind for fact in result] == ["figures", "unread"]


# ---- text of other kinds -------------------------------------------------------------------------

_SENTENCES = (
    "The {n} tickets that we had free were the largest block of the year.",
    "There is a heap of {n} reasons why the memory of this is not the same.",
    "In {n} of the cases we could not allocate what they have asked for.",
    "You will find that the allocation of {n} seats was a failure, and they are sorry.",
)
_SOURCE = (
    "    size_t free_heap = get_free_heap(); // free heap: {n}",
    '    printf("free heap: %d, largest %u\\n", {n});',
    "    if (heap_free() < {n}) {{",
    "    return ESP_ERR_NO_MEM;",
    '#define HEAP_FREE_MIN {n} /* "malloc failed" */',
    "static void *pool = malloc({n});",
)
_BUILD = (
    "[{n}/1203] Building C object esp-idf/heap/CMakeFiles/heap.dir/multi_heap.c.obj",
    "heap.c:{n}:12: warning: unused variable 'free_heap' [-Wunused-variable]",
    "-- Configuring done ({n} s)",
    "collect2: note: {n} symbols of libheap.a were kept",
)
_OTHERS = (
    "nginx: worker {n} exited on signal 11",
    "MemFree: {n}000 kB SwapFree: {n}00 kB",
    "GET /heap?free={n} HTTP/1.1 200",
    "java.lang.OutOfMemoryError: Java heap space at Foo.java:{n}",
    "filesystem /dev/sda1: disk free {n} GB",
)


def no_log(rng: random.Random, lines: int) -> Iterator[str]:
    for _ in range(lines):
        text = rng.choice(rng.choice((_SENTENCES, _SOURCE, _BUILD, _OTHERS)))
        yield text.format(n=rng.randrange(2, 99_999))


def test_text_that_is_no_log_tells_no_state_and_no_failure(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(no_log(random.Random(seed), 10_000)), encoding="utf-8")
    result = hs.log(path, need=[16717])
    answer = result.to_json()["answer"]
    assert (answer["failed"], answer.get("free"), answer.get("largest")) == ([], None, None)
    assert result.figures == ()
    assert answer["declines"]
    assert result.needs[0].fits is None


# ---- moments -------------------------------------------------------------------------------------


def test_a_later_free_bounds_an_older_block(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "I (1000) app: free heap 200000, largest free block 110592\n"
        "I (90000) app: free heap: 50000\n"
    )
    result = hs.log(path, need=[60000, 16717])
    assert [one.fits for one in result.needs] == [False, None]
    assert result.to_json()["answer"].get("largest") is None


def test_a_contradiction_is_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("free heap 5000, largest free block 110592\n")
    (fit,) = hs.log(path, need=[2000]).needs
    assert fit.fits is None
    assert "cannot both be true" in fit.why


def test_requests_are_not_made_in_heaps_older_than_the_figures(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "I (262) heap_init: Initializing. RAM available for dynamic allocation:\n"
        "I (269) heap_init: At 3FC9C5A8 len 0004D168 (308 KiB): RAM\n"
        "I (2310) app: free 91344 largest 31744 min 81000\n"
    )
    with pytest.raises(hs.HeapscopeError, match="a later state"):
        hs.log(path, requests="100000")
    assert [one.fits for one in hs.log(path, need=["40000:DMA"]).needs] == [False]


@pytest.mark.parametrize(("boot", "free"), [(1, 5000), (2, 9000), (None, 9000)])
def test_each_start_can_be_asked_about(boot: int | None, free: int, tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("".join(f"rst:0x1 (POWERON)\nI (10) a: free heap: {n}\n" for n in (5000, 9000)))
    assert hs.log(path, boot=boot).to_json()["answer"]["free"] == free
    with pytest.raises(hs.HeapscopeError, match="2 starts"):
        hs.log(path, boot=3)


def test_two_devices_have_no_state(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "".join(
            f"I ({n}) dev{d}: Free heap: {60000 // d - n // 10}, largest free block: {20000 // d}\n"
            for n in range(1000, 6000, 1000)
            for d in (1, 2)
        )
    )
    result = hs.log(path, need=[5000])
    assert result.needs[0].fits is None
    assert "dev1 and dev2" in " ".join(result.verdict)
    assert (result.answer.free, result.answer.largest, result.answer.series_free) == (None,) * 3


def test_a_total_below_what_is_free_is_that_of_another_memory(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("heap total=8136\nFree heap: 240392\n")
    answer = hs.log(path).answer
    assert (answer.free, answer.total) == (240392, None)
