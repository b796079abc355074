"""The engine in a page: Chromium and Firefox give the rows that the library gives here."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bidi import firefox

from heapscope.base.request import Request
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.engine import FIGURES, NESTED, config_json, engine_bytes, exact, interface
from heapscope.native.events import NativeWriter, keep_events, take_events
from heapscope.native.library import load
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.structs import read_struct, read_structs
from heapscope.render.explorer.embed import BUCKETS, trace_summary
from heapscope.simulation.replay.config import native_config
from heapscope.trace.source import open_blocks

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = sorted((ROOT / "studies" / "workloads" / "captured").glob("*.hst.zst"))
#: Traces of named pools have no heap event: neither the command nor the page replays them.
POOLS = [path for path in CAPTURED if path.name.startswith("ice_study_")]
CAPTURED = [path for path in CAPTURED if path not in POOLS]
QUICK = [path for path in CAPTURED if path.name.startswith(("demo.", "tls35_ec_4k_4k."))]
NEED = Request(16717)

#: The figures of a trace on a memory, as JSON in which numbers that a script would round are texts.
ASK = """(async () => {
  const bytes = Uint8Array.from(atob("%s"), (one) => one.charCodeAt(0)).buffer;
  await HS.ask("open", { bytes });
  const plain = (key, value) => typeof value === "bigint" ? String(value)
    : ArrayBuffer.isView(value) ? Array.from(value) : value;
  const found = [];
  for (const config of %s) {
    const one = await HS.ask("replay", { config });
    const blocks = await HS.ask("replay", { config, blocks: true });
    const text = (figures) => JSON.stringify(figures, plain);
    found.push({ ...one, same: text(one.figures) === text(blocks.figures) });
  }
  return JSON.stringify(found, plain);
})()"""

Evaluate = Callable[[str], Any]


@pytest.fixture(scope="module")
def in_chromium(chromium: Any, empty: Path) -> Iterator[Evaluate]:
    page = chromium.new_page()
    page.goto(empty.as_uri())
    page.wait_for_selector("html[data-explorer=yes]", timeout=60_000)
    yield page.evaluate
    page.close()


@pytest.fixture(scope="module")
def in_firefox(empty: Path) -> Iterator[Evaluate]:
    with firefox() as opened:
        opened.open(empty)
        assert opened.evaluate(STARTED) == "yes"
        yield opened.evaluate


STARTED = """new Promise((resolve) => { const look = () => {
  const state = document.documentElement.dataset.explorer;
  if (state === undefined) setTimeout(look, 50); else resolve(state); }; look(); })"""


def memories() -> tuple[Layout, ...]:
    """A chip, and pools in which some traces have requests that fail."""
    chip = load_chip("esp32").layout(idf="5.5")
    return (chip, pool_layout(60_000, "heapscope"), pool_layout(200_000, "idf-4.2+light"))


def here(trace: bytes, layout: Layout) -> Any:
    """All rows of the library of this machine."""
    config = native_config(layout, needs=(NEED,), capsets=None, buckets=BUCKETS)
    with NativeReader(config) as reader:
        reader.push(trace)
        reader.finish()
        library = load()
        rows: dict[str, Any] = {}
        for name in (*FIGURES, *NESTED):
            about = interface()["calls"][name]
            call = getattr(library, name)
            if name in NESTED:
                count = len(rows[NESTED[name]])
                rows[name] = [
                    [vars(one) for one in read_structs(call, reader.handle, i)]
                    for i in range(count)
                ]
            elif about["rows"]:
                rows[name] = [vars(one) for one in read_structs(call, reader.handle)]
            else:
                rows[name] = vars(read_struct(call, reader.handle))
        time = reader.timeline()
        drawn = None
        if time is not None:
            drawn = {
                "least": time.least.ravel().tolist(),
                "most": time.most.ravel().tolist(),
                "first_time": time.first_time.tolist(),
                "task": list(time.tasks),
                "width": time.width,
            }
    return exact({"figures": rows, "timeline": drawn})


def there(evaluate: Evaluate, trace: bytes) -> list[Any]:
    configs = [
        config_json(native_config(one, needs=(NEED,), capsets=None, buckets=BUCKETS))
        for one in memories()
    ]
    requested = ASK % (base64.b64encode(trace).decode("ascii"), json.dumps(configs))
    document: list[Any] = json.loads(evaluate(requested))
    return document


def agree(evaluate: Evaluate, path: Path) -> None:
    with open_blocks(path) as blocks:
        trace = b"".join(blocks)
    for layout, result in zip(memories(), there(evaluate, trace), strict=True):
        wanted = here(trace, layout)
        assert set(wanted["figures"]) == {*FIGURES, *NESTED}
        for name, rows in wanted["figures"].items():
            assert result["figures"][name] == rows, f"{path.name}: {name} on {layout.name}"
        assert result["same"], "the replay that keeps blocks has other figures"
        if wanted["timeline"] is None:
            assert result["timeline"] is None
            continue
        drawn = {key: result["timeline"][key] for key in wanted["timeline"]}
        assert drawn == wanted["timeline"], f"{path.name}: the timeline on {layout.name}"


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.name)
def test_chromium_replays_as_this_machine(in_chromium: Evaluate, path: Path) -> None:
    agree(in_chromium, path)


@pytest.mark.slow
@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.name)
def test_chromium_replays_every_captured_trace_as_this_machine(
    in_chromium: Evaluate, path: Path
) -> None:
    agree(in_chromium, path)


@pytest.mark.slow
@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.name)
def test_firefox_replays_every_captured_trace_as_this_machine(
    in_firefox: Evaluate, path: Path
) -> None:
    agree(in_firefox, path)


#: The page tells what it finds in a trace that it opens, as JSON in which large numbers are texts.
OPEN = """(async () => {
  const bytes = Uint8Array.from(atob("%s"), (one) => one.charCodeAt(0)).buffer;
  const { stats, ...found } = await HS.ask("open", { bytes });
  return JSON.stringify(found, (key, value) => typeof value === "bigint" ? String(value) : value);
})()"""


def broken_names(trace: bytes) -> bytes:
    """The events again, with names and facts that are no text."""
    odd = (
        b"\xef\xbb\xbfmark",
        b"\xff\xfe",
        b"a\xe2\x82b",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x92\xa9",
        b"",
    )
    with NativeReader() as reader, NativeWriter(features=2 | 4) as writer:
        keep_events(reader)
        reader.push(trace)
        reader.finish()
        for table in (NameTable.TASK, NameTable.SITE, NameTable.MARK):
            for index, name in enumerate(odd):
                writer.name(table, index, name)
        writer.metadata("clock_hz", "1000")
        for rows in take_events(reader):
            writer.events(rows)
        writer.finish()
        return b"".join(writer.take())


@pytest.mark.parametrize("kind", ["whole", "cut", "hostile names", "names that are no text"])
def test_a_page_is_reported_of_its_trace_what_it_would_find(
    in_chromium: Evaluate, kind: str, hostile_trace: Path
) -> None:
    path = hostile_trace if kind == "hostile names" else QUICK[0]
    with open_blocks(path) as blocks:
        trace = b"".join(blocks)
    trace = trace[: len(trace) // 2] if kind == "cut" else trace
    trace = broken_names(trace) if kind == "names that are no text" else trace
    document = json.loads(in_chromium(OPEN % base64.b64encode(trace).decode("ascii")))
    assert document["census"]["events"] > 0
    assert trace_summary(trace) == document


@pytest.mark.parametrize("path", POOLS, ids=lambda path: path.name)
def test_a_trace_without_heap_events_is_refused(in_chromium: Evaluate, path: Path) -> None:
    with open_blocks(path) as blocks, pytest.raises(Exception, match="no heap event"):
        there(in_chromium, b"".join(blocks))


def test_the_structs_lie_in_the_engine_where_the_page_is_reported(in_chromium: Evaluate) -> None:
    """The engine knows the sizes of those that its interface names."""
    reported = {name: one["size"] for name, one in interface()["structs"].items()}
    known = json.loads(
        in_chromium(
            f"""(async () => {{
              const {{ sizes }} = await HS.ask("sizes", {{ names: {json.dumps(sorted(reported))}
              }}); return JSON.stringify(sizes);
            }})()"""
        )
    )
    assert sum(size > 0 for size in known.values()) > 10
    assert {name: size for name, size in known.items() if size} == {
        name: reported[name] for name, size in known.items() if size
    }


def test_the_engine_has_the_functions_that_pages_call_and_wants_nothing() -> None:
    module = engine_bytes()
    assert module[:8] == b"\0asm\1\0\0\0"
    for name in interface()["calls"]:
        assert name.encode() in module
    sections, at = [], 8
    while at < len(module):
        kind, at = module[at], at + 1
        size, shift = 0, 0
        while True:
            byte, at = module[at], at + 1
            size, shift = size | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                break
        sections.append(kind)
        at += size
    assert 2 not in sections, "it imports something"
