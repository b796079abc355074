"use strict";
/* The charts: puts them into the page, stacks the areas, follows pointer and keys, zooms. */
(() => {
  const LEAST = 4; /* events in sight */
  const sides = HS.data.sides;
  const boxes = [...document.querySelectorAll("[data-chart]")];
  const find = (name) => HS.doc.get_model_by_name(name);
  HS.find = find;

  /* ---- stacking ------------------------------------------------------------------------------- */
  function stack(side) {
    const { bytes } = side.stack;
    const columns = side.moments.event.length;
    let low = new Float64Array(columns + 1);
    bytes.forEach((values, position) => {
      const source = find(`${side.number}/timeline/area${position}`);
      const high = Float64Array.from(low);
      if (side.on[position]) {
        for (let i = 0; i <= columns; i++) high[i] += values[Math.min(i, columns - 1)];
      }
      source.data = { x: source.data.x, low, high };
      low = high;
    });
  }
  function legend(side) {
    const box = document.querySelector(`[data-legend="${side.number}"]`);
    const chart = find(`${side.number}/timeline`);
    side.stack.names.forEach((name, position) => {
      if (!side.stack.bytes[position].some((value) => value > 0)) return;
      chart.renderers.find((one) => one.name === `area ${position}`).glyph.fill_color =
        side.stack.colours[position];
      HS.toggle(box, name, HS.swatch(side.stack.colours[position]), (on) => {
        side.on[position] = on;
        stack(side);
      });
    });
    const lines = [
      ["line free", "free, least", "var(--ink)", "swatch line"],
      ["line low", "low-water mark", "var(--ink)", "swatch line dashed"],
      ["line largest", "largest allocatable, least", "var(--largest)", "swatch line"],
      ["short", "a need would not have fitted", "#e11d4840", "swatch"],
      ["marks", "marks", "var(--quiet)", "swatch line dashed"],
    ];
    for (const [renderer, name, colour, className] of lines) {
      const model = chart.renderers.find((one) => one.name === renderer);
      if (!model || (renderer === "marks" && !side.marks.length)) continue;
      HS.toggle(box, name, HS.swatch(colour, className), (on) => { model.visible = on; });
    }
  }

  /* ---- what a position says ------------------------------------------------------------------- */
  function place(side, column) {
    const first = side.columns.first_event[column];
    const moment = side.moments.event[column];
    const rows = [{ head: HS.moment(side, moment, side.moments.time[column]) }];
    const mark = HS.mark(side, moment);
    if (mark !== null) rows.push(["after mark", mark]);
    rows.push(["span from", HS.moment(side, first, side.columns.first_time[column])]);
    return rows;
  }
  function timelineTip(side, column) {
    const rows = place(side, column);
    rows.push(["live payload", HS.bytes(side.moments.live[column])]);
    side.stack.names.forEach((name, position) => {
      const value = side.stack.bytes[position][column];
      if (value > 0) rows.push([name, HS.bytes(value), side.stack.colours[position]]);
    });
    rows.push(["free, least in span", HS.bytes(side.columns.least_free[column]), "var(--ink)"]);
    rows.push(["largest, least in span", HS.bytes(side.columns.least_largest[column]), "var(--largest)"]);
    return rows;
  }
  function fragmentationTip(side, column) {
    const free = side.moments.free[column], largest = side.moments.largest_free[column];
    const rows = place(side, column);
    rows.push(["free", HS.bytes(free)]);
    rows.push(["largest free block", HS.bytes(largest), "#22c55e"]);
    rows.push(["beside it", HS.bytes(free - largest), "#eab308"]);
    rows.push(["not in one piece", free ? `${(100 * (1 - largest / free)).toFixed(1)} %` : "-"]);
    rows.push(["free blocks", HS.number(side.moments.free_blocks[column])]);
    return rows;
  }
  function failuresTip(side, x) {
    const { first, time, events, left, failures, bytes, largest } = side.spans;
    const at = left.findLastIndex((edge) => edge <= x);
    if (at < 0) return null;
    const rows = [{ head: `from ${HS.moment(side, first[at], time[at])}` }];
    rows.push(["events", HS.number(events[at])]);
    rows.push(["failed requests", HS.number(failures[at])]);
    if (failures[at]) rows.push(["asked for", HS.bytes(bytes[at])], ["largest", HS.bytes(largest[at])]);
    return rows;
  }
  function sidesTip(x) {
    /* One head where the column began at one time on all sides; else each side has its own row. */
    const begun = sides.map((side) => {
      const column = HS.column(side, x), { first_event: first, first_time: time } = side.columns;
      return HS.moment(side, first[column], time[column]);
    });
    const alike = new Set(begun).size === 1 && sides[0].clock;
    const rows = [{ head: alike ? begun[0] : `event ${HS.number(Math.round(x))}` }];
    sides.forEach((side, number) => {
      if (x > side.columns.first_event.length * side.width) return;
      const column = HS.column(side, x), colour = HS.sideColours[number % HS.sideColours.length];
      if (side.clock && !alike) rows.push(["span from", begun[number], colour]);
      rows.push([`${side.label}: free`, HS.bytes(side.columns.least_free[column]), colour]);
      rows.push(["largest allocatable", HS.bytes(side.columns.least_largest[column])]);
    });
    return rows;
  }
  function pinTip(side, kind, pin) {
    if (kind === "failed") {
      return [
        { alert: `${pin.call} of ${HS.bytes(pin.size)} failed` },
        ["at", HS.moment(side, pin.event, pin.time)], ["task", pin.task], ["capabilities", pin.capabilities],
        ["free", HS.bytes(pin.free)], ["largest allocatable", HS.bytes(pin.largest)],
      ];
    }
    return [
      { warn: `${HS.bytes(pin.size)} served, ${HS.bytes(pin.spare)} to spare` },
      ["at", HS.moment(side, pin.event, pin.time)], ["task", pin.task], ["capabilities", pin.capabilities],
      ["largest in its place", HS.bytes(pin.largest)],
    ];
  }
  /* The pin within a few pixels of a point, or null. */
  function pinAt(chart, side, x, y) {
    const across = (chart.x_range.end - chart.x_range.start) / Math.max(1, chart.inner_width);
    const up = (chart.y_range.end - chart.y_range.start) / Math.max(1, chart.inner_height);
    let best = null, least = 81;
    for (const kind of ["failed", "close"]) {
      const source = find(`${chart.name}/${kind}`);
      if (!source) continue;
      for (let i = 0; i < side[kind].length; i++) {
        const dx = (source.data.x[i] - x) / across, dy = (source.data.y[i] - y) / up;
        const distance = dx * dx + dy * dy;
        if (distance < least) { least = distance; best = [kind, side[kind][i]]; }
      }
    }
    return best;
  }

  /* ---- pointer and keys ----------------------------------------------------------------------- */
  HS.tips = {
    timeline: (side, x) => timelineTip(side, HS.column(side, x)),
    fragmentation: (side, x) => fragmentationTip(side, HS.column(side, x)),
    failures: (side, x) => failuresTip(side, x),
    free: (side, x) => sidesTip(x),
  };
  function cursor(x) {
    for (const box of boxes) {
      const span = find(`${box.dataset.chart}/cursor`);
      span.visible = x !== null;
      if (x !== null) span.location = x;
    }
  }
  function say(box, x, y, at) {
    const [number, kind] = box.dataset.chart.split("/");
    const side = sides[number === "all" ? 0 : Number(number)];
    const chart = find(box.dataset.chart);
    const pin = kind === "free" ? null : pinAt(chart, side, x, y);
    const rows = pin ? pinTip(side, ...pin) : HS.tips[kind](side, x, y);
    cursor(x);
    if (rows) HS.showTip(box, rows, at);
    else HS.hideTip(box);
  }
  function range() { return find("events"); }
  function zoom(factor, around) { HS.zoom(range(), factor, around, LEAST); }
  function middle() { return (range().start + range().end) / 2; }
  function press(box, event) {
    const side = sides[box.dataset.chart.startsWith("all") ? 0 : Number(box.dataset.chart.split("/")[0])];
    const chart = find(box.dataset.chart);
    const at = box.cursor ?? { x: middle(), y: (chart.y_range.start + chart.y_range.end) / 2 };
    const step = side.width * (event.shiftKey ? 20 : 1);
    const rise = box.dataset.chart.endsWith("map") ? 1 : (chart.y_range.end - chart.y_range.start) / 50;
    const [least, most] = range().bounds;
    switch (event.key) {
      case "ArrowLeft": at.x = Math.max(least + side.width / 2, at.x - step); break;
      case "ArrowRight": at.x = Math.min(most - side.width / 2, at.x + step); break;
      case "ArrowUp": at.y += rise; break;
      case "ArrowDown": at.y -= rise; break;
      case "Escape": box.cursor = null; leave(box); return;
      default: if (!HS.zoomKey(event.key, range(), at.x, LEAST)) return;
    }
    event.preventDefault();
    box.cursor = at;
    if (at.x < range().start || at.x > range().end) zoom(1, at.x);
    const share = (at.x - range().start) / (range().end - range().start);
    say(box, at.x, at.y, { x: 90 + share * (box.clientWidth - 126), y: 30 });
  }
  function leave(box) {
    cursor(null);
    HS.hideTip(box);
  }
  function listen(box) {
    HS.follow(box, find(box.dataset.chart), {
      move(x, y, inside, at) {
        box.cursor = { x, y };
        if (inside) say(box, x, y, at);
        else HS.hideTip(box);
      },
      leave: () => leave(box),
      press: (event) => press(box, event),
    });
  }
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const acts = { in: () => zoom(0.5, middle()), out: () => zoom(2, middle()), all: () => HS.showAll(range()) };
    button.addEventListener("click", acts[button.dataset.zoom]);
  }

  /* ---- colours of the page -------------------------------------------------------------------- */
  function paintFrames() {
    const [ink, quiet, largest] = ["--ink", "--quiet", "--largest"].map(HS.colour);
    for (const box of boxes) {
      const chart = find(box.dataset.chart);
      HS.paintAxes(chart);
      for (const one of chart.renderers) {
        if (one.name === "strip") one.glyph.setv({ fill_color: quiet, line_color: quiet });
        if (one.name === "line free" || one.name === "line low") one.glyph.line_color = ink;
        if (one.name === "line largest") one.glyph.line_color = largest;
        if (one.name === "marks") one.glyph.line_color = quiet;
      }
    }
  }

  HS.sideColours = HS.data.colours;
  function sideLegend() {
    const box = document.querySelector("[data-sides]");
    const chart = find("all/free");
    sides.forEach((side, number) => {
      HS.toggle(box, side.label, HS.swatch(HS.sideColours[number % HS.sideColours.length], "swatch line"), (on) => {
        for (const one of chart.renderers) {
          if (one.name.startsWith(`side ${number} `)) one.visible = on;
        }
      });
    });
    document.querySelectorAll(".swatch[class*=side]").forEach((swatch, number) => {
      swatch.style.background = HS.sideColours[number % HS.sideColours.length];
    });
  }

  async function start() {
    await HS.painted; /* drawing the charts would keep it waiting */
    await HS.drawCharts();
    for (const side of sides) {
      side.on = side.stack.names.map(() => true);
      if (sides.length > 1) continue;
      stack(side);
      legend(side);
    }
    if (sides.length > 1) sideLegend();
    for (const box of boxes) listen(box);
    HS.onTheme.push(paintFrames);
    paintFrames();
    HS.startMaps();
    document.documentElement.dataset.ready = "yes";
  }
  /* The scripts after this one add to HS first. */
  window.addEventListener("DOMContentLoaded", start);
})();
