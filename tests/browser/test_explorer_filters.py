"""Filters act on every view, and what is called leaked is what the command calls so."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

import heapscope as hs
from heapscope.cli.app import app
from heapscope.memory.layout.chips import load_chip
from heapscope.render.explorer.embed import chip_memories
from heapscope.trace.source import open_blocks

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
Open = Callable[..., Any]

CHIP = load_chip("esp32s3").layout(idf="5.5")
DIGEST = "BigInt(HS.explore.last.hs_lab_summary.digest).toString(16)"

LEAKS = """(text) => HS
  .ask("open", { bytes: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer })
  .then(async (opened) => {
    const { keys, why } = await HS.ask("leaks");
    const name = (key) => [opened.tasks[Math.floor(key / 4294967296)] ?? "", key % 4294967296];
    return { leaks: keys.map(name), why };
  })"""


def opened(see: Open, empty: Path, file: Path, state: str = "") -> Any:
    seen = see(empty)
    if state:
        seen.page.goto(f"{empty.as_uri()}#{state}")
        seen.page.reload()
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    seen.page.set_input_files("[data-file]", file)
    seen.page.wait_for_selector("html[data-replayed]", timeout=30_000)
    return seen.page


def programs(seed: int, events: int) -> str:
    """Tasks that leak slowly or fast, keep a cache, grow and stop, or only come and go."""
    chance = random.Random(seed)
    kinds = ("leak", "slow", "cache", "plateau", "churn")
    tasks = [f"{chance.choice(kinds)}_{number}" for number in range(chance.randrange(3, 12))]
    live: dict[str, list[int]] = {task: [] for task in tasks}
    lines, number, task = [], 0, ""
    for event in range(events):
        now = chance.choice(tasks)
        if now != task:
            task = now
            lines.append(f"t {task}")
        kept = live[task]
        done = event / events
        room = {
            "leak": 10 + 200 * done,
            "slow": 10 + 40 * done,
            "cache": 60,
            "plateau": 10 + 300 * min(done, 0.4),
            "churn": 4,
        }[task.partition("_")[0]]
        if len(kept) < room and (chance.random() < 0.6 or not kept):
            number += 1
            lines.append(f"a {number} {chance.randrange(8, 300)}")
            kept.append(number)
        else:
            oldest = task.startswith("cache") and chance.random() < 0.5
            lines.append(f"f {kept.pop(0 if oldest else -1)}")
    return "\n".join(lines) + "\n"


@pytest.mark.cells(1)
def test_what_leaks_is_what_the_command_says(
    empty: Path, see: Open, tmp_path: Path, seed: int
) -> None:
    seen = see(empty)
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    traces = [path for path in sorted(CAPTURED.glob("*.zst"))[::9] if path.stat().st_size < 90_000]
    for number in range(6):
        text, trace = tmp_path / "events.txt", tmp_path / f"made{number}.hst"
        text.write_text(programs(seed + number, 6000 + 3000 * number), encoding="utf-8")
        done = CliRunner().invoke(app, ["import", "--from", "text", str(text), "-o", str(trace)])
        assert done.exit_code == 0, done.output
        traces.append(trace)
    leaking = 0
    for path in traces:
        with open_blocks(path) as blocks:
            data = b"".join(blocks)
        answer = seen.page.evaluate(LEAKS, base64.b64encode(data).decode("ascii"))
        wanted = [row for row in hs.leaks(path).holders if row.verdict == "leak"]
        leaking += len(wanted)
        assert len(answer["leaks"]) == len(wanted), (path.name, seed, answer)
        assert sorted(name for name, _ in answer["leaks"]) == sorted(row.task for row in wanted)
    assert leaking > 0, seed


def pick(page: Any, name: str, value: str) -> None:
    page.select_option(f"[name={name}]", value)
    page.wait_for_timeout(300)


def colours(page: Any) -> int:
    """Painted pixels of the map."""
    return int(
        page.evaluate("""() => {
      const canvas = document.querySelector("[data-canvas]"), pen = canvas.getContext("2d");
      const { data } = pen.getImageData(92, 132, canvas.width - 92, 410), seen = {};
      let painted = 0;
      for (let i = 0; i < data.length; i += 4) {
        const most = Math.max(data[i], data[i + 1], data[i + 2]);
        painted += most - Math.min(data[i], data[i + 1], data[i + 2]) > 40;
      }
      return painted;
    }""")
    )


POOL = "memory=" + "one+pool+of+65%2C536+bytes%2C+idf-5.5"


def test_failed_requests_stand_in_every_view_in_place_of_blocks(
    empty: Path, see: Open, hostile_trace: Path
) -> None:
    page = opened(see, empty, hostile_trace, f"{POOL}&a=0&b=100000&show=failed")
    failures = hs.replay(hostile_trace, pool=65_536).summary.failures
    assert failures > 0
    page.wait_for_selector("[data-pinrows] tr", timeout=10_000)
    text = page.inner_text("[data-pinsays]")
    assert f", {failures:,} requests for " in text
    assert re.search(r"\(\d+\.\d{3} s\)", text)
    counts = page.locator("[data-pinrows] tr td:nth-child(3)").all_inner_texts()
    assert sum(int(one.replace(",", "")) for one in counts) == failures
    assert "show=failed" in page.evaluate("location.hash")


def test_blocks_of_a_size_are_counted_as_the_text_has_them(
    empty: Path, see: Open, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    sizes = [chance.randrange(1, 900) for _ in range(200)]
    text = tmp_path / "sizes.txt"
    lines = (f"a {number} {size}" for number, size in enumerate(sizes))
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = opened(see, empty, text)
    result = page.evaluate(
        """async () => {
          const filter = { ...await HS.explore.filters(), least: 300, most: 600 };
          const window = { left: 0, right: HS.explore.seen.end, low: 0, high: 1 };
          const { rows } = await HS.ask("range", { ...window, filter });
          return [rows[0].blocks, rows[0].bytes];
        }"""
    )
    wanted = [size for size in sizes if 300 <= size <= 600]
    assert result == [len(wanted), sum(wanted)]


@pytest.mark.slow
def test_a_filter_changes_the_map_the_lines_and_the_address(
    empty: Path, see: Open, hostile_trace: Path
) -> None:
    page = opened(see, empty, hostile_trace)
    page.wait_for_timeout(500)
    whole = colours(page)
    pick(page, "show", "stays")
    stays = colours(page)
    assert 0 < stays < whole
    assert "show=stays" in page.evaluate("location.hash")
    pick(page, "show", "leaked")
    page.wait_for_function("() => document.querySelector('[data-filtersays]').textContent !== ''")
    page.wait_for_timeout(300)
    assert colours(page) <= stays
    page.wait_for_function("() => HS.explore.seen.shown.picture.waits === false")
    ends, most = page.evaluate("""async () => {
      const view = { left: 0, right: HS.opened.census.events, low: 0, high: 1 };
      const wish = { view, width: 700, height: 10, colours: [], other: 0, bad: 0 };
      const plain = await HS.explore.filters();
      wish.filter = { ...plain, stays: false, leaks: null, active: true };
      const told = [await HS.ask("picture", wish), await HS.ask("line", wish)];
      return told.map((one) => [...one.live]);
    }""")
    assert max(most) == page.evaluate("HS.explore.last.hs_lab_summary.live_peak")
    assert all(end <= more for end, more in zip(ends, most, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("1,234", r"Event 1,234 \(\d+\.\d{3} s\)"),
        ("0.5 s", r"Event [\d,]+ \(0\.[45]\d\d s\)"),
        ("0x20000100", r"0x2000|no block of the trace is there"),
        ("0xffffffff", "in no region"),
        ("nowhere", "No mark is called that"),
    ],
)
def test_places_are_detected_by_what_is_known_of_them(
    empty: Path, see: Open, hostile_trace: Path, words: str, text: str
) -> None:
    page = opened(see, empty, hostile_trace)
    page.fill("[name=to]", words)
    page.press("[name=to]", "Enter")
    page.wait_for_function("() => document.querySelector('[data-cursor]').textContent !== ''")
    assert re.search(text, page.inner_text("[data-cursor]"))


def test_start_up_is_drawn_where_it_lies_and_a_click_names_it(
    empty: Path, see: Open, hostile_trace: Path
) -> None:
    page = opened(see, empty, hostile_trace)
    page.locator("[name=memory]").select_option(label="ESP32, ESP-IDF 5.3")
    page.wait_for_function("() => HS.explore.seen.shown?.memory.name === 'ESP32, ESP-IDF 5.3'")
    page.fill("[name=to]", "0x3ffaf000")
    page.press("[name=to]", "Enter")
    page.wait_for_function(
        "() => document.querySelector('[data-cursor]').textContent.includes('start-up')"
    )
    drawn = page.evaluate("""() => {
      const { layer, strips } = HS.explore.seen.shown;
      const low = strips.find((one) => one.start === 0x3ffae6e0);
      const y = Math.floor(((low.v0 + low.v1) / 2) * layer.height);
      const row = layer.getContext("2d").getImageData(0, y, layer.width, 1).data;
      const last = (layer.width - 1) * 4;
      return [[...row.slice(0, 3)], [...row.slice(last, last + 3)]];
    }""")
    assert drawn == [[0x64, 0x74, 0x8B]] * 2  # the colour of start-up


# ---- on paper and on a telephone -----------------------------------------------------------------

OUTSIDE = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && !one.closest(".scroll, .hidden"))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.mark.slow
def test_a_trace_that_is_open_can_be_printed(empty: Path, see: Open, hostile_trace: Path) -> None:
    page = opened(see, empty, hostile_trace, "a=10&b=3000")
    page.wait_for_selector("[data-pinrows] tr", timeout=10_000)
    page.emulate_media(media="print")
    for gone in ("header", "[data-drop]", "[data-filter]", "[data-whatif]", "[data-go]"):
        assert page.locator(gone).first.is_hidden(), gone
    for there in ("[data-says]", "[data-figures]", "[data-canvas]", "[data-pinrows]"):
        assert page.locator(there).first.is_visible(), there
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4")[:5] == b"%PDF-"


@pytest.mark.slow
def test_nothing_of_an_open_trace_or_log_lies_outside_of_a_telephone(
    empty: Path, see: Open, hostile_trace: Path
) -> None:
    seen = see(empty, viewport={"width": 360, "height": 740})
    page = seen.page
    page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    page.set_input_files("[data-file]", ROOT / "studies" / "workloads" / "mix" / "boot.txt")
    page.wait_for_selector("html[data-files]", timeout=30_000)
    assert page.evaluate(OUTSIDE) == []
    page.set_input_files("[data-file]", hostile_trace)
    page.wait_for_selector("html[data-replayed]", timeout=30_000)
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# ---- placement -----------------------------------------------------------------------------------


def test_a_task_that_is_placed_by_a_click_is_replayed_as_by_a_file(
    empty: Path, see: Open, hostile_trace: Path, tmp_path: Path
) -> None:
    memory = next(one for one in chip_memories() if one["name"] == CHIP.name)
    page = opened(see, empty, hostile_trace, urlencode({"memory": memory["name"]}))
    kinds = [region.kind for region in CHIP.regions]
    region = kinds.index("DRAM")
    assert kinds.count("DRAM") == 1
    tasks = page.evaluate("HS.opened.tasks")
    task = next(index for index, name in tasks.items() if name == "wifi")
    rules = tmp_path / "place.toml"
    rules.write_text(
        '[[rule]]\ntask = "wifi"\nregion = "DRAM"\nfallback = true\n', encoding="utf-8"
    )
    plain = page.evaluate(DIGEST)
    before = page.evaluate("document.documentElement.dataset.replayed")
    page.locator(f'[data-task="{task}"]').click()
    page.select_option("[data-placing] select", str(region))
    page.wait_for_function(
        "(before) => document.documentElement.dataset.replayed !== before", arg=before
    )
    wanted = hs.replay(hostile_trace, chip="esp32s3", idf="5.5", place=rules).summary.digest
    assert page.evaluate(DIGEST).zfill(16) == wanted
    assert plain.zfill(16) != wanted
    assert "wifi → DRAM" in page.inner_text("[data-tasks]")
    state = page.evaluate("location.hash.slice(1)")
    assert "place=" in state
    again = opened(see, empty, hostile_trace, state)
    assert again.evaluate(DIGEST).zfill(16) == wanted


@pytest.mark.slow
def test_figures_are_reported_while_one_drags(empty: Path, see: Open) -> None:
    """A drag of a second asks sixty times; the last question is answered to its end."""
    page = opened(see, empty, CAPTURED / "mix_gateway.hst.zst", POOL)
    reported = page.evaluate("""async () => {
      const slider = document.querySelector(".sliders input"), from = Number(slider.value);
      const rows = document.querySelector("[data-figures]");
      let told = 0;
      new MutationObserver(() => told++).observe(rows, { childList: true });
      for (let step = 1; step <= 60; step++) {
        slider.value = from + 16 * step;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((done) => setTimeout(done, 16));
      }
      return told;
    }""")
    assert reported >= 2
    size = page.evaluate("Number(document.querySelector('.sliders input').value)")
    page.wait_for_function("() => document.querySelector('[data-progress]').hidden", timeout=60_000)
    wanted = hs.replay(CAPTURED / "mix_gateway.hst.zst", pool=size).summary
    assert page.evaluate(DIGEST).zfill(16) == wanted.digest
