"""The page that replays by itself opens files, answers what if, shows blocks and does no harm."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from heapscope.cli.verbs.replay import replay
from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.render.explorer import embed
from heapscope.trace.source import open_blocks

ROOT = Path(__file__).resolve().parents[2]
GATEWAY = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
EVIL = "</script><script>alert(1)</script>"

BuiltPage = Any
Seen = Any
Open = Callable[..., Seen]
MALLOC, FREE = 1, 5  #: hs_event_kind_t
REPLAYED = "html[data-replayed]"


@pytest.fixture
def trace(hostile_trace: Path) -> Path:
    return hostile_trace


def dropped(see: Open, empty: Path, file: Path, state: str = "") -> Seen:
    seen = see(empty)
    if state:
        seen.page.goto(f"{empty.as_uri()}#{state}")
        seen.page.reload()
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    seen.page.set_input_files("[data-file]", file)
    return seen


def opened(see: Open, empty: Path, file: Path, state: str = "") -> Seen:
    seen = dropped(see, empty, file, state)
    seen.page.wait_for_selector(REPLAYED, timeout=30_000)
    return seen


def chosen(page: Any, name: str) -> None:
    """Chooses a memory and waits for its replay."""
    before = page.evaluate("document.documentElement.dataset.replayed")
    page.locator("[name=memory]").select_option(label=name)
    page.wait_for_function(
        "(before) => document.documentElement.dataset.replayed !== before", arg=before
    )


POOL = "one pool of 65,536 bytes, idf-5.5"


def test_a_dropped_trace_is_answered_as_the_command_answers(
    empty: Path, trace: Path, see: Open
) -> None:
    seen = opened(see, empty, trace)
    chosen(seen.page, POOL)
    wanted = replay(trace, pool=65_536)
    text = seen.page.inner_text("[data-says]")
    assert text.startswith(
        f"{wanted.summary.failures:,} of {wanted.summary.results:,} requests fail"
    )
    assert f"the first at event {wanted.summary.first_failure_event:,}." in text
    assert f"At least {wanted.malloc.minimum_free:,} B were free" in text
    assert seen.complaints == []


def test_nothing_is_loaded_and_only_the_engine_may_be_compiled(
    empty: Path, trace: Path, see: Open
) -> None:
    seen = opened(see, empty, trace)
    assert all(url.startswith(("file:", "blob:")) for url in seen.requests)
    text = empty.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(one.strip().split(" ", 1) for one in policy[1].replace("&#39;", "'").split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) - {"script-src", "worker-src"} == {
        *("default-src", "style-src", "img-src", "base-uri", "form-action")
    }
    assert rules["worker-src"] == "blob:"
    own = [one for one in rules["script-src"].split() if not one.startswith("'sha256-")]
    assert own == ["'wasm-unsafe-eval'"]
    stated = seen.page.evaluate(
        """async () => {
          await new Promise((resolve) => setTimeout(resolve, 50)); // the evaluation itself may
          try { eval("1"); return "eval runs"; } catch { }
          try { await fetch("https://example.com/"); return "fetch runs"; } catch { }
          const text = 'try { eval("1"); postMessage("eval"); } catch ' +
            '{ fetch("https://example.com/").then(() => postMessage("fetch"), ' +
            '() => postMessage("neither")); }';
          const worker = new Worker(URL.createObjectURL(new Blob([text])));
          return await new Promise((resolve) => { worker.onmessage = (one) => resolve(one.data); });
        }"""
    )
    assert stated == "neither"


@pytest.mark.slow
def test_hostile_names_are_text_everywhere(empty: Path, trace: Path, see: Open) -> None:
    seen = opened(see, empty, trace)
    page = seen.page
    brushed(page)
    names = page.locator("[data-rangerows] td:first-child").all_inner_texts()
    assert EVIL in names
    assert (
        page.locator("main img, main b, main script").count()
        == page.locator("main .drop b").count()
    )
    assert seen.complaints == []


@pytest.mark.cells(1)
@pytest.mark.parametrize(
    "state",
    [
        "memory=<img src=x onerror=alert(1)>&allocator=javascript:alert(2)&need=-5&sizes=1,x",
        "view=NaN,1e999,-1,2&at=Infinity,NaN&a=x&b=-7&task=99&region=77&site=<b>&least=z",
        "view=0,4,0,1&at=1e300,5&a=1e300&b=0&stays=1&__proto__=1&constructor=2",
    ],
)
def test_a_hostile_state_in_the_address_is_inert(
    empty: Path, trace: Path, see: Open, state: str
) -> None:
    seen = opened(see, empty, trace, state)
    assert "requests fail" in seen.page.inner_text("[data-says]") or "No request" in (
        seen.page.inner_text("[data-says]")
    )
    assert seen.page.locator("main img").count() == 0
    assert "NaN" not in seen.page.inner_text("main")
    assert [one for one in seen.complaints if "dialog" in one or "Error" in one] == []


def brushed(page: Any, *, left: float = 0.3, right: float = 0.6) -> None:
    """Drags a rectangle over the map, all addresses of it."""
    canvas = page.locator("[data-canvas]")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    width = box["width"] - 92
    page.mouse.move(box["x"] + 92 + left * width, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 92 + right * width, box["y"] + 300, steps=4)
    page.mouse.up()
    page.wait_for_selector("[data-rangerows] tr", timeout=10_000)


@pytest.mark.slow
def test_a_range_is_counted_as_the_trace_has_it(empty: Path, trace: Path, see: Open) -> None:
    seen = opened(see, empty, trace)
    brushed(seen.page)
    text = seen.page.inner_text("[data-rangesays]")
    left, right, blocks, size, stayed, stayed_size = (
        int(one.replace(",", ""))
        for one in re.findall(r"[\d,]*\d", re.sub(r"\(\d+\.\d{3} s\)", "", text))
    )
    events = seen.page.evaluate("HS.explore.last.hs_lab_summary.event_count")
    assert 0 < left < right < events
    wanted = allocated(trace, left, right)
    assert (blocks, size, stayed, stayed_size) == wanted


def allocated(trace: Path, left: int, right: int) -> tuple[int, int, int, int]:
    """A walk over the events counts what begins there, and what is live at its end."""
    live: dict[int, int] = {}
    blocks = size = 0
    for number, (kind, key, requested) in enumerate(heap_events(trace)[:right]):
        if kind == MALLOC and number >= left:
            blocks, size = blocks + 1, size + requested
            live[key] = requested
        elif kind == FREE:
            live.pop(key, None)
    return blocks, size, len(live), sum(live.values())


def heap_events(trace: Path) -> list[tuple[int, int, int]]:
    """Kind, key and size of each; made_trace has no others."""
    with NativeReader() as reader:
        keep_events(reader)
        reader.push(trace.read_bytes())
        reader.finish()
        rows = [row for part in take_events(reader) for row in part]
    kept = [(int(row["kind"]), int(row["key"]), int(row["size"])) for row in rows]
    return [one for one in kept if one[0] in (MALLOC, FREE)]


@pytest.mark.slow
def test_another_memory_changes_what_is_stated_of_the_cursor(
    see: Open, empty: Path, trace: Path
) -> None:
    page = opened(see, empty, trace).page
    text = "() => document.querySelector('[data-cursor]').textContent"
    page.locator("[data-canvas]").press("ArrowRight")
    page.wait_for_function(f"() => ({text})() !== ''")
    before = page.evaluate(text)
    chosen(page, page.evaluate("HS.memories.at(-1).name"))
    page.wait_for_function(f"(before) => ({text})() !== before", arg=before, timeout=10_000)
    after = page.evaluate(f"async () => (await HS.explore.sayCursor(), ({text})())")
    assert page.evaluate(text) == after != before


def test_a_click_shows_a_blocks_life_and_a_link_brings_it_back(
    empty: Path, trace: Path, see: Open
) -> None:
    seen = opened(see, empty, trace)
    page = seen.page
    canvas = page.locator("[data-canvas]")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 130 + 419)
    page.wait_for_selector("[data-lifefacts] dd", timeout=10_000)
    facts = page.inner_text("[data-lifefacts]")
    assert re.search(r"0x2000[0-9a-f]{4}, [\d,]+ B, in pool", facts)
    assert re.search(r"Allocated\s+event [\d,]+ \(\d+\.\d{3} s\)", facts)
    page.click("[data-do=in]")
    state = page.evaluate("location.hash.slice(1)")
    assert "view=" in state
    assert "at=" in state
    again = opened(see, empty, trace, state)
    again.page.wait_for_selector("[data-lifefacts] dd", timeout=10_000)
    assert again.page.inner_text("[data-lifefacts]") == facts
    assert again.page.evaluate("location.hash.slice(1)") == state


def test_a_smaller_pool_fails_and_stands_beside_the_one_before(
    empty: Path, trace: Path, see: Open
) -> None:
    seen = opened(see, empty, trace)
    page = seen.page
    assert page.inner_text("[data-figures] tr:first-child td:nth-child(3)") == "0"
    chosen(page, POOL)
    wanted = replay(trace, pool=65_536).summary.failures
    first = page.locator("[data-figures] tr").first.locator("td").all_inner_texts()
    assert first == ["failed requests", "0", f"{wanted:,}"]
    assert "worse" in page.locator("[data-figures] tr:first-child td:nth-child(3)").get_attribute(
        "class"
    )


@pytest.mark.slow
def test_the_keyboard_moves_the_cursor_and_is_reported(empty: Path, trace: Path, see: Open) -> None:
    seen = opened(see, empty, trace)
    page = seen.page
    page.locator("[data-canvas]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('[data-cursor]').textContent !== ''")
    text = page.inner_text("[data-cursor]")
    assert re.match(r"Event [\d,]+ \(\d+\.\d{3} s\), 0x2", text)
    assert page.locator("[data-cursor]").get_attribute("aria-live") == "polite"
    page.keyboard.press("+")
    assert "view=" in page.evaluate("location.hash")


@pytest.mark.slow
def test_two_pins_tell_what_changed(empty: Path, trace: Path, see: Open) -> None:
    seen = opened(see, empty, trace, "a=100&b=3000")
    seen.page.wait_for_selector("[data-pinrows] tr", timeout=10_000)
    text = seen.page.inner_text("[data-pinsays]")
    assert re.match(
        r"From event 100 \(0\.\d{3} s\) to event 3,000 \(0\.\d{3} s\), live bytes changed by ", text
    )


# ---- files ---------------------------------------------------------------------------------------


def text_of(see: Open, empty: Path, file: Path) -> str:
    seen = dropped(see, empty, file)
    seen.page.wait_for_function(
        "(name) => document.querySelector('[data-says]').textContent.startsWith(`${name}: `)",
        arg=file.name,
        timeout=30_000,
    )
    assert seen.page.locator("[data-opened]").is_hidden()
    return str(seen.page.inner_text("[data-says]"))


@pytest.mark.slow
def test_a_file_that_is_no_trace_is_named_with_a_remedy(
    empty: Path, trace: Path, see: Open, tmp_path: Path
) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear heap,\nhow are you?\n", encoding="utf-8")
    assert "in which a line tells of a heap" in text_of(see, empty, other)
    nothing = tmp_path / "nothing.hst"
    nothing.write_bytes(b"")
    assert "empty" in text_of(see, empty, nothing)
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(trace.read_bytes())[:2000])
    assert text_of(see, empty, damaged)


@pytest.mark.slow
def test_the_text_form_and_packed_traces_are_opened(
    empty: Path, trace: Path, see: Open, tmp_path: Path
) -> None:
    text = tmp_path / "events.txt"
    text.write_text("t net\na 1 100\na 2 900000000\nf 1\n", encoding="utf-8")
    seen = opened(see, empty, text)
    assert "1 of 2 requests fails" in seen.page.inner_text("[data-says]")
    text.write_text(
        "a 0x10 0x64\n% addresses\n[5] a 0x20 8 @main;late\na 0x30 900000000\nf 0x10 no\n",
        encoding="utf-8",
    )
    seen = opened(see, empty, text)
    assert "1 of 3 requests fails" in seen.page.inner_text("[data-says]")
    assert "1 lines are no events; the first is line 5" in seen.page.inner_text("main")
    for name, pack in (("trace.hst.gz", gzip.compress), ("trace.hst.zst", zstandard.compress)):
        packed = tmp_path / name
        packed.write_bytes(pack(trace.read_bytes()))
        seen = opened(see, empty, packed)
        assert "No request fails" in seen.page.inner_text("[data-says]")


@pytest.mark.slow
def test_a_file_that_unpacks_to_too_much_is_refused(empty: Path, see: Open) -> None:
    """The bound is the same, smaller: a file of a gigabyte would fill the machine of the test."""
    seen = see(empty)
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    bomb = gzip.compress(bytes(20_000_000))
    error = seen.page.evaluate(
        """(bytes) => HS.ask("open", { bytes: new Uint8Array(bytes).buffer, most: 1000000 })
          .then(() => "opened", (error) => error.message)""",
        list(bomb),
    )
    assert "more than 1,000,000 bytes" in error


# ---- a report ------------------------------------------------------------------------------------


def test_a_report_replays_its_own_trace(gateway: BuiltPage, see: Open) -> None:
    seen = see(gateway.page)
    seen.page.wait_for_selector(REPLAYED, timeout=60_000)
    wanted = gateway.document["sides"][0]["replay"]["summary"]
    digest = seen.page.evaluate("BigInt(HS.explore.last.hs_lab_summary.digest).toString(16)")
    assert digest.zfill(16) == wanted["digest"]
    assert "page may hold" not in seen.page.inner_text("#explore")
    assert seen.complaints == []


def test_a_page_reads_the_names_of_very_many_sites_itself(
    make: Callable[..., BuiltPage], see: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "SITES_MOST", -1)
    built = make(GATEWAY, "--chip", "esp32", "--no-remedies")
    seen = see(built.page)
    seen.page.wait_for_selector(REPLAYED, timeout=60_000)
    wanted = built.document["sides"][0]["replay"]["summary"]
    digest = seen.page.evaluate("BigInt(HS.explore.last.hs_lab_summary.digest).toString(16)")
    assert digest.zfill(16) == wanted["digest"]
    with open_blocks(GATEWAY) as blocks:
        summary = embed.trace_summary(b"".join(blocks))
    assert seen.page.evaluate("HS.opened.tasks") == summary["tasks"]
    assert seen.complaints == []


@pytest.mark.slow
def test_a_long_trace_is_cut_and_the_page_says_so(
    make: Callable[..., BuiltPage], see: Open
) -> None:
    built = make(GATEWAY, "--chip", "esp32", "--no-remedies", "--embed-limit", 60_000)
    seen = see(built.page)
    seen.page.wait_for_selector(REPLAYED, timeout=60_000)
    text = seen.page.inner_text("#explore")
    assert "The trace is larger than the page may hold (60,000 B compressed)" in text
    assert "The trace breaks off: its end is missing." in text
    with open_blocks(GATEWAY) as blocks:
        whole = b"".join(blocks)
    events = seen.page.evaluate("HS.explore.last.hs_lab_summary.event_count")
    share = re.search(r"the first ([\d.]+) %", text)
    assert share is not None
    cut = whole[: round(len(whole) * float(share[1]) / 100)]
    assert len(gzip.compress(cut)) < 66_000
    assert 0 < events < built.document["sides"][0]["replay"]["summary"]["event_count"]


@pytest.mark.slow
def test_a_report_without_the_engine_may_compile_nothing(make: Callable[..., BuiltPage]) -> None:
    text = make(GATEWAY, "--chip", "esp32", "--no-remedies", "--embed-limit", 0).page.read_text()
    assert "wasm-unsafe-eval" not in text
    assert "data-packed" not in text
