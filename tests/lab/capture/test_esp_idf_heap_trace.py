"""Standalone heap traces: the text of each version, and the order that its events get."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.logs.esp_idf.heap_trace import HeapTrace
from heapscope.logs.esp_idf.import_log import import_esp_idf
from heapscope.logs.esp_idf.order import Ordered, in_order
from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.info import read_info

OLD = """\
2 allocations trace (100 entry buffer)
32 bytes (@ 0x3ffaf214) allocated CPU 0 ccount 0x2e9b7384 caller 0x400d276d:0x400d27c1
freed by 0x400d2790:0x400d27c1
8 bytes (@ 0x3ffaf804) allocated CPU 1 ccount 0x2e9b79c0 caller 0x400d2776:0x400d27c1
8 bytes alive in trace (1/2 allocations)
total allocations 2 total frees 1
"""
NEW = """\
====== Heap Trace: 2 records (100 capacity) ======
    32 bytes (@ 0x3fcaf214, Internal) allocated CPU 0 ccount 0x2e9b7384 caller 0x4200276d:0x420027c1
freed by 0x42002790:0x420027c1
     8 bytes (@ 0x3c1af804,    PSRAM) allocated CPU 1 ccount 0x2e9b79c0 caller 0x42002776:
====== Heap Trace Summary ======
Mode: Heap Trace All
8 bytes alive in trace (1/2 allocations)
records: 2 (100 capacity, 2 high water mark)
hashmap: 250 capacity (10 hits, 0 misses)
total allocations: 2
total frees: 1
================================
"""
NO_CALLERS = """\
====== Heap Trace: 2 records (8 capacity) ======
     3 bytes (@ 0x3fcb26f8, Internal) allocated CPU 0 ccount 0x1e7af728 freed
     6 bytes (@ 0x3fcb4ff0, Internal) allocated CPU 0 ccount 0x1e7afc38
====== Heap Trace Summary ======
Mode: Heap Trace All
6 bytes alive in trace (1/2 allocations)
records: 2 (8 capacity, 2 high water mark)
total allocations: 2
total frees: 1
================================
"""
MALLOC, REALLOC, FREE, FAILED, MARK = 1, 4, 5, 6, 7


def dump(read: Any, text: str) -> HeapTrace:
    trace = read(text).dumped.best
    assert isinstance(trace, HeapTrace)
    return trace


def events_of(file: Path) -> list[tuple[int, int, int, int]]:
    """(kind, key, new key, size) of a .hst file."""
    results: list[tuple[int, int, int, int]] = []
    with NativeReader() as reader:
        keep_events(reader)
        reader.push(file.read_bytes())
        reader.finish()
        for rows in take_events(reader):
            results += [
                (int(r["kind"]), int(r["key"]), int(r["new_key"]), int(r["size"])) for r in rows
            ]
    return results


# ---- the text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "addresses", "psram"),
    [
        (OLD, [0x3FFAF214, 0x3FFAF804], [0, 0]),
        (NEW, [0x3FCAF214, 0x3C1AF804], [0, 1]),
    ],
)
def test_both_forms_are_read(read: Any, text: str, addresses: list[int], psram: list[int]) -> None:
    trace = dump(read, text)
    assert trace.complete
    assert (list(trace.size), list(trace.address)) == ([32, 8], addresses)
    assert (list(trace.cpu), list(trace.psram)) == ([0, 1], psram)
    assert (list(trace.freed), list(trace.ccount)) == ([1, 0], [0x2E9B7384, 0x2E9B79C0])
    assert (trace.records, trace.capacity, trace.mode) == (2, 100, "all")
    assert (trace.total_allocations, trace.total_frees, trace.stated_bytes) == (2, 1, 8)
    assert len(trace.sites) == 4


def test_a_trace_without_callers_is_read(read: Any) -> None:
    trace = dump(read, NO_CALLERS)
    assert (list(trace.freed), list(trace.site), trace.sites) == ([1, 0], [0, 0], [()])


@pytest.mark.parametrize("text", [OLD, NEW, NO_CALLERS])
@pytest.mark.parametrize(
    "wrap", ["{}", "[12:34:56]{}", "\x1b[0;32m{}\x1b[0m", "2026-03-01T09:30:00 {}"]
)
def test_what_surrounds_lines_and_stands_between_them_does_not_matter(
    read: Any, text: str, wrap: str
) -> None:
    lines = [wrap.format(line) for line in text.splitlines()]
    other = dump(read, "\r\nI (9) wifi: noise\r\n\xff\r\n".join(lines) + "\r\n")
    plain = dump(read, text)
    assert (other.size, other.address, other.freed, other.sites) == (
        plain.size,
        plain.address,
        plain.freed,
        plain.sites,
    )
    assert (other.complete, other.mode) == (True, "all")


def test_the_last_complete_dump_counts(read: Any) -> None:
    dumped = read(OLD + NEW + OLD.partition("8 bytes")[0]).dumped
    assert (dumped.dumps, dumped.best.address[0]) == (3, 0x3FCAF214)


def test_a_dump_without_its_first_line_or_its_end_is_read(read: Any) -> None:
    headless = dump(read, OLD.partition("\n")[2])
    assert (len(headless), headless.complete) == (2, False)
    endless = dump(read, OLD[: OLD.index("8 bytes alive")])
    assert (len(endless), endless.complete, endless.mode) == (2, False, "")


def test_records_that_are_missing_are_counted(read: Any, save: Any, tmp_path: Path) -> None:
    text = OLD.replace("2 allocations trace", "5 allocations trace").replace(
        "allocations 2 total", "allocations 7 total"
    )
    assert dump(read, text).lost == 5
    text += "(NB: Buffer has overflowed, so trace data is incomplete.)\n"
    result = import_esp_idf(save(text), tmp_path / "T.hst")
    assert any("5 allocations are not in the heap trace" in note for note in result.notes)
    info = read_info(tmp_path / "T.hst")
    assert info.health.lost_events == 5
    assert info.health.loss is not None
    assert info.health.loss.event == 0


def test_a_cut_record_is_counted_and_left_out(read: Any) -> None:
    trace = dump(read, OLD.replace("CPU 1 ccount 0x2e9b79c0", "CPU"))
    assert (len(trace), trace.cut_records) == (1, 1)


def test_a_free_behind_a_cut_record_is_not_of_the_one_before(read: Any) -> None:
    lines = OLD.splitlines()
    cut = [lines[0], lines[3], lines[1][:40] + "I (3000) wifi: x", *lines[2:3], *lines[4:]]
    trace = dump(read, "\n".join(cut) + "\n")
    assert (list(trace.address), list(trace.freed)) == ([0x3FFAF804], [0])
    assert trace.cut_records == 1


def test_names_that_a_monitor_put_to_addresses_name_the_sites(read: Any) -> None:
    long_name = "void std::vector<" + "a::very_long_name_of_a_type, " * 9 + "int>::push_back(int&&)"
    lines = [
        "0x400d276d: leak_some_memory at /path/to/blink.c:27",
        "--- 0x4037a832: operator new(unsigned int) at /a b/new_op.cc:50",
        "  #1  0x400d3e1d in app_main at C:\\src\\main.cpp:64 (discriminator 2)",
        "[12:34:56] 0x42009c44: task at ??:?",
        f"0x400d0008: {long_name} at /usr/include/vector:7",
        "0x400d000c: not a place at all",
    ]
    frames = read("\n".join(lines) + "\n").frames
    assert len(frames) == 5
    assert frames.site((0x400D0008,)) == f"{long_name} (vector:7)".encode()
    assert frames.site((0x400D276D, 1)) == b"0x00000001;leak_some_memory (blink.c:27)"
    assert frames.site((0x4037A832, 0x400D3E1D)) == (
        b"app_main (main.cpp:64);operator new(unsigned int) (new_op.cc:50)"
    )
    assert frames.site((0x42009C44,)) == b"task (??:?)"
    assert frames.site((0x12, 0x34)) == b"0x00000034;0x00000012"
    assert frames.site((0x400D276D,) * 50).count(b"leak_some_memory") == 50


def test_a_long_name_behind_a_record_is_no_caller_of_it(read: Any) -> None:
    long_name = "std::vector<" + "a::very_long_name_of_a_type, " * 9 + "int>::push_back(int&&)"
    lines = OLD.splitlines()
    lines.insert(2, f"0x400d276d: {long_name} at /usr/include/vector:7")
    lines.insert(2, f"--- 0x400d2790: {long_name} at /usr/include/vector:7")
    assert dump(read, "\n".join(lines) + "\n").sites == dump(read, OLD).sites


def test_callers_as_deep_as_tracing_goes_are_read(read: Any) -> None:
    callers = [0x400D0000 + 4 * index for index in range(32)]
    text = OLD.replace("0x400d276d:0x400d27c1", ":".join(f"0x{one:x}" for one in callers), 1)
    trace = dump(read, text.replace("0x400d2790:0x400d27c1", "0x400d2790:(nil):0x400d27c1"))
    assert trace.sites[trace.site[0]] == tuple(callers)
    assert trace.sites[trace.freed_site[0]] == (0x400D2790, 0x400D27C1)


def test_sizes_of_eight_digits_are_decimal(read: Any) -> None:
    assert dump(read, NEW.replace("     8 bytes (", "12345678 bytes (")).size[1] == 12_345_678


@pytest.mark.parametrize("end", ["0x400d27c1", "0x2e9b79c0"])
def test_a_record_that_the_end_of_the_log_cuts_is_left_out(read: Any, end: str) -> None:
    lines = OLD.splitlines()[:4]
    lines[3] = lines[3][: lines[3].rindex(end) + 7]
    trace = dump(read, "\n".join(lines))
    assert (len(trace), trace.cut_records) == (1, 1)
    assert len(dump(read, "\n".join(lines) + "\n")) == 2


# ---- the order -----------------------------------------------------------------------------------


def trace_of(*records: tuple[int, int, str, str]) -> HeapTrace:
    """(address, size, site, site that freed it or "")."""
    trace = HeapTrace(line=1, mode="all")
    sites: dict[str, int] = {"": 0}
    for number, (address, size, site, freed) in enumerate(records):
        for name in (site, freed):
            if name not in sites:
                sites[name] = len(trace.sites)
                trace.sites.append((len(trace.sites),))
        trace.address.append(address)
        trace.size.append(size)
        trace.site.append(sites[site])
        trace.freed_site.append(sites[freed])
        trace.freed.append(bool(freed))
        trace.ccount.append(number * 100)
        trace.cpu.append(0)
        trace.psram.append(0)
    return trace


def shown(ordered: Ordered) -> list[tuple[int, int, int]]:
    return [(int(r["kind"]), int(r["key"]), int(r["size"])) for r in ordered.events]


def test_a_free_stands_before_the_first_allocation_over_its_block() -> None:
    ordered = in_order(trace_of((100, 40, "a", "x"), (200, 8, "a", ""), (120, 8, "b", "")))
    assert shown(ordered) == [(MALLOC, 100, 40), (MALLOC, 200, 8), (FREE, 100, 0), (MALLOC, 120, 8)]
    assert (ordered.counts.alive, ordered.counts.alive_bytes, ordered.counts.implied_frees) == (
        2,
        16,
        0,
    )


def test_frees_that_no_address_places_stand_at_the_end() -> None:
    ordered = in_order(trace_of((100, 40, "a", "x"), (200, 8, "a", "x"), (300, 4, "a", "")))
    assert shown(ordered)[-2:] == [(FREE, 100, 0), (FREE, 200, 0)]
    assert (ordered.counts.peak_least, ordered.counts.peak_most) == (40, 52)


def test_equal_callers_of_a_free_and_an_allocation_are_a_realloc() -> None:
    ordered = in_order(
        trace_of((100, 40, "a", "grow"), (200, 80, "grow", "grow"), (200, 90, "grow", ""))
    )
    assert shown(ordered) == [(MALLOC, 100, 40), (REALLOC, 100, 80), (REALLOC, 200, 90)]
    assert (ordered.counts.reallocs, ordered.counts.frees, ordered.counts.peak_most) == (2, 0, 90)


def test_a_realloc_takes_the_block_at_its_address_before_a_later_one() -> None:
    ordered = in_order(trace_of((100, 8, "a", "g"), (200, 8, "a", "g"), (100, 6, "g", "")))
    assert (REALLOC, 100, 6) in shown(ordered)
    assert shown(ordered)[-1] == (FREE, 200, 0)


def test_a_block_that_is_overwritten_without_a_free_is_freed_there() -> None:
    ordered = in_order(trace_of((100, 40, "a", ""), (100, 40, "b", "")))
    assert shown(ordered) == [(MALLOC, 100, 40), (FREE, 100, 0), (MALLOC, 100, 40)]
    assert ordered.counts.implied_frees == 1


def test_a_record_that_comes_twice_counts_once() -> None:
    trace = trace_of((100, 40, "a", ""), (100, 40, "a", ""))
    trace.ccount = array("I", [7, 7])
    ordered = in_order(trace)
    assert (ordered.counts.duplicates, len(ordered.events)) == (1, 1)


def test_times_are_cycles_of_one_cpu_and_go_on_over_the_end_of_the_counter() -> None:
    trace = trace_of((100, 4, "a", ""), (200, 4, "a", ""), (300, 4, "a", ""), (400, 4, "a", ""))
    trace.ccount = array("I", [0xFFFF_FF00, 0x100, 0x80, 0x1100])  # the third: interrupted before
    ordered = in_order(trace)
    assert ordered.counts.clock
    assert [int(time) for time in ordered.events["time"]] == [0, 0x200, 0x200, 0x1200]
    trace.cpu = array("B", [0, 1, 0, 0])
    assert not in_order(trace).counts.clock


RECORD = st.tuples(
    st.integers(0, 40).map(lambda n: n * 4),
    st.integers(0, 60),
    st.sampled_from(["a", "b", "g"]),
    st.sampled_from(["", "x", "g"]),
)


@given(records=st.lists(RECORD, max_size=40))
def test_no_two_live_blocks_ever_overlap(records: list[tuple[int, int, str, str]]) -> None:
    """And every event names a block that is live, every record is there once."""
    trace = trace_of(*records)
    ordered = in_order(trace)
    live: dict[int, int] = {}
    most = 0
    for row in ordered.events:
        kind, key, size = int(row["kind"]), int(row["key"]), int(row["size"])
        if kind in (FREE, REALLOC):
            del live[key]
        if kind != FREE:
            start = int(row["new_key"]) if kind == REALLOC else key
            end = start + max(size, 1)
            assert all(end <= s or start >= s + max(n, 1) for s, n in live.items())
            live[start] = size
        most = max(most, sum(live.values()))
    assert ordered.counts.peak_most == most
    assert ordered.counts.peak_least <= most
    assert (len(live), sum(live.values())) == (ordered.counts.alive, ordered.counts.alive_bytes)
    assert ordered.counts.allocations + ordered.counts.reallocs + ordered.counts.duplicates == len(
        records
    )
    assert sum(blocks for _, blocks, _ in ordered.alive_by_site) == ordered.counts.alive


# ---- the file ------------------------------------------------------------------------------------


def test_the_example_becomes_a_trace(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "T.hst"
    result = import_esp_idf(logs / "esp32_v4.4_heap_trace.log", out)
    assert events_of(out) == [
        (MALLOC, 0x3FFB8000, 0, 512),
        (MALLOC, 0x3FFB8204, 0, 64),
        (REALLOC, 0x3FFB8204, 0x3FFB8248, 128),
        (MALLOC, 0x3FFB8204, 0, 40),
        (FREE, 0x3FFB8000, 0, 0),
        (MALLOC, 0x3FFB8000, 0, 512),
        (FREE, 0x3FFB8204, 0, 0),
        (MALLOC, 0x3FFB8204, 0, 24),
        (FREE, 0x3FFB8000, 0, 0),
        (MARK, 0, 0, 0),
    ]
    info = read_info(out)
    assert (info.live_end, info.live_blocks_end, info.live_peak) == (152, 2, 680)
    assert info.seconds == pytest.approx(0x2400 / 160_000_000)
    assert [task.name for task in info.tasks] == ["not told"]
    assert info.metadata["source"] == "esp-idf-log"
    assert info.metadata["chip"] == "esp32"
    assert info.metadata["sdk"] == "esp-idf v4.4.2"
    assert "as late as addresses allow" in info.metadata["order"]
    assert result.trace is not None
    assert (result.trace.peak_least, result.trace.peak_most) == (640, 680)
    assert result.contradictions == ()


def test_call_sites_have_the_names_of_the_monitor(logs: Path, tmp_path: Path) -> None:
    import_esp_idf(logs / "esp32_v4.4_heap_trace.log", tmp_path / "T.hst")
    with NativeReader() as reader:
        reader.push((tmp_path / "T.hst").read_bytes())
        reader.finish()
        names = reader.names(NameTable.SITE).values()
    assert b"parser_task (parser.c:88);message_read (message.c:41)" in names
    assert b"0x400d4b2c;0x400d6000" in names


def test_failed_requests_stand_behind_the_mark(save: Any, tmp_path: Path) -> None:
    failed = "calloc was called but failed to allocate 900 bytes with 0x1800 capabilities.\n"
    late = "Mem alloc fail. size 0x00000400 caps 0x00000004\n"
    result = import_esp_idf(save(failed + OLD + late), tmp_path / "T.hst")
    assert events_of(tmp_path / "T.hst")[-2:] == [(MARK, 0, 0, 0), (FAILED, 0, 2, 900)]
    assert [group.size for group in result.answer.failed] == [900, 1024]


def test_psram_keeps_its_capability(save: Any, tmp_path: Path) -> None:
    import_esp_idf(save(NEW), tmp_path / "T.hst")
    with NativeReader() as reader:
        keep_events(reader)
        reader.push((tmp_path / "T.hst").read_bytes())
        reader.finish()
        rows = [row for rows in take_events(reader) for row in rows if row["kind"] == MALLOC]
    assert [int(row["caps"]) for row in rows] == [0, 0x400]


def test_a_log_without_a_heap_trace_writes_nothing_and_says_so(logs: Path, tmp_path: Path) -> None:
    result = import_esp_idf(logs / "esp32_v4.4_tls.log", tmp_path / "T.hst")
    assert not (tmp_path / "T.hst").exists()
    assert (result.out, result.bytes_written) == ("", 0)
    assert any("no heap trace" in sentence for sentence in result.verdict)


def test_a_dump_without_a_record_is_an_answer_but_no_trace(save: Any, tmp_path: Path) -> None:
    text = "0 allocations trace (100 entry buffer)\n0 bytes 'leaked' in trace (0 allocations)\n"
    result = import_esp_idf(save(text + "total allocations 5 total frees 5\n"), tmp_path / "T.hst")
    assert result.trace is not None
    assert (result.trace.records, result.out) == (0, "")
    assert not (tmp_path / "T.hst").exists()


def test_leaks_mode_says_that_freed_blocks_are_left_out(logs: Path, tmp_path: Path) -> None:
    result = import_esp_idf(logs / "esp32s3_v5.5_leaks.log", tmp_path / "T.hst")
    assert result.trace is not None
    assert (result.trace.mode, result.trace.lost, result.trace.alive_bytes) == ("leaks", 0, 6160)
    assert any("leaks mode" in sentence for sentence in result.limits)
    assert any("two CPUs" in sentence for sentence in result.limits)
    assert [(site.blocks, site.bytes) for site in result.trace.alive_sites] == [
        (1, 4096),
        (2, 2048),
        (1, 16),
    ]
