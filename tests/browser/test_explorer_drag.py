"""While a slider is dragged: pictures on the way are true of the events so far, and the newest
replay is the one that is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GATEWAY = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
REPLAYED = "html[data-replayed]"

Open = Callable[..., Any]

#: A replay that tells a picture after each piece of the trace, and the exact picture.
PARTS = """async () => {
  const { seen, wish } = HS.explore, picture = await wish(), parts = [];
  const was = seen.shown.config, smaller = { ...was.regions[0], size: 200000 };
  const config = { ...was, regions: [smaller] };
  const asked = { config, blocks: true, picture, every: 0 };
  const whole = await HS.ask("replay", asked, ({ coarse, part }) => {
    const { failures, event_count: told } = coarse.hs_lab_summary;
    if (part !== undefined) parts.push({ ...part.picture, failures, told });
  });
  const rows = (one, until) => {
    const found = [];
    for (let at = 0; at < one.pixels.length; at += one.width) {
      found.push(one.pixels.slice(at, at + until).join());
    }
    return found.join(";");
  };
  return {
    events: seen.end, failures: whole.figures.hs_lab_summary.failures, exact: whole.picture.events,
    parts: parts.map((one) => {
      const until = Math.floor((one.events / seen.end) * one.width) - 1;
      const drawn = rows(one, until), failed = (counts) => counts.slice(0, until).join();
      return {
        events: one.events, told: one.told, failures: one.failures, until,
        drawn: drawn.match(/[1-9]/) !== null,
        same: drawn === rows(whole.picture, until) &&
          failed(one.failed) === failed(whole.picture.failed),
      };
    }),
  };
}"""


@pytest.fixture
def gateway_page(empty: Path, see: Open) -> Iterator[Any]:
    seen = see(empty)
    seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    seen.page.set_input_files("[data-file]", GATEWAY)
    seen.page.wait_for_selector(REPLAYED, timeout=60_000)
    yield seen.page
    assert seen.complaints == []


def test_a_picture_on_the_way_is_the_exact_one_of_the_events_so_far(gateway_page: Any) -> None:
    result = gateway_page.evaluate(PARTS)
    assert result["exact"] == result["events"]
    assert result["failures"] > 0
    parts = result["parts"]
    assert len(parts) >= 5
    assert [one["events"] for one in parts] == sorted(one["events"] for one in parts)
    assert all(one["events"] == one["told"] <= result["events"] for one in parts)
    assert all(one["same"] and one["drawn"] for one in parts if one["until"] > 0)
    assert len({one["failures"] for one in parts}) > 1


def test_a_newer_replay_ends_an_older_one(gateway_page: Any) -> None:
    older, newer, run = gateway_page.evaluate(
        """async () => {
          const { config } = HS.explore.seen.shown, picture = await HS.explore.wish();
          const asked = { config, blocks: true, picture, every: 0 };
          const older = HS.ask("replay", asked);
          const newer = await HS.ask("replay", asked), after = await HS.ask("picture", picture);
          const shown = after.run === newer.picture.run;
          return [(await older).ended === true, newer.figures !== undefined, shown];
        }"""
    )
    assert older
    assert newer
    assert run


def test_a_gesture_is_followed_by_a_picture_of_its_window(gateway_page: Any) -> None:
    """The old picture is moved to its new place at once, and the sharp one comes after it."""
    page = gateway_page
    page.locator("[data-do=in]").click()
    page.wait_for_function(
        """() => {
          const { view, shown } = HS.explore.seen;
          const same = (side) => shown.drawn[side] === view[side];
          return view.left > 0 && ["left", "right", "low", "high"].every(same);
        }""",
        timeout=10_000,
    )


#: How the picture that is shown compares with one that is drawn anew, once it is that of the window
#: of now and of the canvas, whose width changes with the layout; null: it never was. It waits by
#: itself: wait_for_function takes the promise of an asynchronous function for true.
SHOWN_AND_ANEW = """async () => {
  const { seen, wish } = HS.explore, until = performance.now() + 30_000;
  const { task } = document.querySelector("[data-filter]");
  const sides = ["left", "right", "low", "high"];
  for (; performance.now() < until; await new Promise(requestAnimationFrame)) {
    const wished = await wish(), { picture, whole } = seen.shown;
    const sharp = sides.every((side) => picture.view[side] === seen.view[side]) &&
      picture.filter.task === (task.value === "" ? null : Number(task.value)) && !picture.waits;
    if (!sharp || picture.width !== wished.width) continue;
    const anew = await HS.ask("picture", wished), { live } = await HS.ask("line", wished);
    const settled = JSON.stringify(await wish()) === JSON.stringify(wished);
    if (!settled || seen.shown.picture !== picture) continue;
    const all = ({ pixels, failed, times }) => [pixels, failed, times].map((one) => one.join());
    return {
      same: JSON.stringify(all(picture)) === JSON.stringify(all(anew)),
      line: picture.live === null || picture.live.join() === live.join(),
      kept: HS.explore.kept(wished) === picture && picture === whole,
    };
  }
  return null;
}"""


def test_the_picture_of_all_is_kept_and_is_the_one_that_the_engine_would_draw(
    gateway_page: Any,
) -> None:
    page = gateway_page
    task = page.locator("[data-filter] [name=task]")

    def now(*, whole: bool) -> None:
        assert page.evaluate(SHOWN_AND_ANEW) == {"same": True, "line": True, "kept": whole}

    now(whole=True)
    page.locator("[data-do=in]").click()
    now(whole=False)
    page.locator("[data-do=all]").click()
    now(whole=True)
    for value in ("1", "2"):
        task.select_option(value)
        now(whole=True)
    page.locator("[data-do=in]").click()
    task.select_option("")
    page.locator("[data-do=all]").click()
    now(whole=True)
    page.set_viewport_size({"width": 900, "height": 800})
    page.wait_for_function("window.innerWidth === 900")
    now(whole=True)


def test_a_picture_on_the_way_is_not_kept(gateway_page: Any) -> None:
    kept = gateway_page.evaluate(
        """async () => {
          const { seen, wish, show, kept } = HS.explore, { config, memory } = seen.shown;
          const asked = { config, blocks: true, picture: await wish(), every: 0 }, found = [];
          const whole = await HS.ask("replay", asked, ({ part }) => {
            show({ ...part, partial: true, config, memory });
            found.push(kept(asked.picture) === null);
          });
          show({ ...whole, partial: false, config, memory });
          return [found, kept(asked.picture) === whole.picture];
        }"""
    )
    assert len(kept[0]) >= 5
    assert all(kept[0])
    assert kept[1]


def test_a_dragged_slider_shows_the_memory_it_ends_at(gateway_page: Any) -> None:
    page = gateway_page
    slider = page.locator("#size-0")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for step in range(12):
        page.mouse.move(box["x"] + box["width"] * (0.5 - 0.03 * step), middle)
    page.mouse.up()
    page.wait_for_function(
        """() => {
          const { shown } = HS.explore.seen, size = Number(document.querySelector("#size-0").value);
          return shown.partial === false && shown.config.regions[0].size === size;
        }""",
        timeout=30_000,
    )
    assert page.evaluate("HS.explore.seen.shown.picture.events === HS.explore.seen.end")
    assert "Replaying" not in page.inner_text("[data-says]")


def test_nothing_is_stated_of_an_event_that_is_not_replayed_yet(gateway_page: Any) -> None:
    page = gateway_page
    assert page.locator("[data-placing]").is_hidden()
    events = page.evaluate(
        """async () => {
          const { seen, wish, show } = HS.explore, { config, memory } = seen.shown;
          const asked = { config, blocks: true, picture: await wish(), every: 0 };
          let first = null;
          await HS.ask("replay", asked, ({ part }) => (first ??= part));
          show({ ...first, partial: true, config, memory });
          seen.cursor = { event: seen.end - 10, y: 0.99, chosen: true };
          return first.picture.events;
        }"""
    )
    assert page.evaluate("HS.explore.seen.shown.picture.times[1]") is None
    page.locator("[data-canvas]").focus()
    for key in ("ArrowLeft", "Enter"):
        page.evaluate("HS.explore.say('')")
        page.keyboard.press(key)
        page.wait_for_function("() => document.querySelector('[data-cursor]').textContent !== ''")
        assert "is not replayed yet." in page.inner_text("[data-cursor]")
    page.fill("[data-go] [name=to]", str(events - 1))
    page.press("[data-go] [name=to]", "Enter")
    page.wait_for_function(
        "(event) => document.querySelector('[data-cursor]').textContent.startsWith(event)",
        arg=f"Event {events - 1:,}, 0x",
    )
