"use strict";
/* Every block on a canvas: gestures, and the pictures that they ask for. */
(() => {
  const { root, find, filter, taskName, seen, words, paint, say, sayCursor, showLife, showRange, showPins } = HS.explore;
  const { clamp, hex } = words;
  const { canvas, LINES, eventAt, vAt } = HS.explore.canvas;
  let drawing = false, again = false;

  async function refine(picture) {
    const { waits, view, width, filter } = picture;
    if (waits) HS.explore.acceptLine(picture, (await HS.ask("line", { view, width, filter })).live);
  }
  async function draw() {
    if (seen.shown === null) return;
    paint();
    if (drawing) return void (again = true);
    drawing = true;
    try {
      const wish = await HS.explore.wish(), picture = HS.explore.kept(wish) ?? await HS.ask("picture", wish);
      if (picture.run === seen.shown?.run) HS.explore.accept(picture);
      if (!again) refine(picture);
    } finally {
      drawing = false;
    }
    if (again) {
      again = false;
      await draw();
    }
  }

  /* ---- gestures ---- */
  function look(left, right, low = seen.view.low, high = seen.view.high) {
    const wide = clamp(right - left, 4, seen.end), tall = clamp(high - low, 1e-6, 1);
    const from = clamp(left, 0, seen.end - wide), top = clamp(low, 0, 1 - tall);
    seen.view = { left: from, right: from + wide, low: top, high: top + tall };
    HS.explore.store();
    draw();
  }
  function zoom(by, event = seen.cursor.chosen ? seen.cursor.event : (seen.view.left + seen.view.right) / 2) {
    look(event - (event - seen.view.left) * by, event + (seen.view.right - event) * by);
  }
  /* The picture is asked for first: sums of a long range would keep it waiting. */
  async function changed() {
    HS.explore.store();
    await draw();
    showRange();
    showPins();
  }
  HS.explore.changed = changed;
  /* An event, a second, an address, or a part of a mark's name. */
  async function go(text) {
    const time = /^([\d.]+) ?s$/.exec(text), place = /^0x[\da-f]{1,8}$/i.test(text) ? Number(text) : null;
    let { event, y } = seen.cursor;
    if (!seen.cursor.chosen) event = (seen.view.left + seen.view.right) / 2;
    if (place !== null) {
      const strip = seen.shown.strips.find((one) => place >= one.start && place < one.start + one.size);
      if (strip === undefined) return say(`${hex(place)} is in no region of this memory.`);
      y = strip.v1 - ((place - strip.start + 0.5) / strip.size) * (strip.v1 - strip.v0);
    } else if (time !== null && seen.opened.hz !== null) ({ event } = await HS.ask("moment", { time: seen.opened.census.first_time + Number(time[1]) * seen.opened.hz }));
    else if (/^[\d,]+$/.test(text)) event = Number(text.replaceAll(",", ""));
    else {
      const marks = seen.shown.figures.hs_lab_marks.filter((row) => HS.plain(seen.opened.marks[row.name] ?? "").toLowerCase().includes(text.toLowerCase()));
      const next = marks.find((row) => row.event > seen.cursor.event) ?? marks[0];
      if (text === "" || next === undefined) return say(`No mark is called that${time === null ? "" : ", and the trace has no clock"}. Write an event's number, 12.5 s, 0x3ffb0000 or a part of a mark's name.`);
      ({ event } = next);
    }
    seen.cursor = { event: clamp(event, 0, seen.end - 1), y, chosen: true };
    const wide = seen.view.right - seen.view.left, tall = seen.view.high - seen.view.low, out = seen.cursor.event < seen.view.left || seen.cursor.event > seen.view.right || y < seen.view.low || y > seen.view.high;
    if (out) look(seen.cursor.event - wide / 2, seen.cursor.event + wide / 2, y - tall / 2, y + tall / 2);
    paint();
    HS.explore.store();
    if (place !== null) showLife();
    else sayCursor();
  }
  find("go").addEventListener("submit", (one) => {
    one.preventDefault();
    if (seen.shown !== null) go(find("go").to.value.trim());
  });
  const DO = {
    zoom: () => seen.range !== null && look(seen.range.left, seen.range.right, seen.range.low, seen.range.high),
    in: () => zoom(0.5), out: () => zoom(2), all: () => look(0, seen.end, 0, 1),
    pinA: () => pin("A"), pinB: () => pin("B"),
  };
  function pin(name) {
    seen.pins[name] = Math.floor(seen.cursor.event);
    paint();
    HS.explore.store();
    showPins();
  }
  root.addEventListener("click", (one) => seen.shown !== null && DO[one.target.dataset.do]?.());
  filter.addEventListener("input", () => seen.shown !== null && changed());
  filter.addEventListener("submit", (one) => one.preventDefault());

  let drag = null;
  canvas.addEventListener("pointerdown", (one) => {
    if (seen.shown === null) return;
    canvas.setPointerCapture(one.pointerId);
    drag = { x: one.offsetX, y: one.offsetY };
  });
  const pulled = (one) => Math.abs(one.offsetX - drag.x) + Math.abs(one.offsetY - drag.y) > 6;
  canvas.addEventListener("pointermove", (one) => {
    if (drag === null || !pulled(one)) return;
    const events = [drag.x, one.offsetX].map((x) => Math.round(clamp(eventAt(x), 0, seen.end))).sort((a, b) => a - b);
    const ends = [drag.y, one.offsetY].map((y) => clamp(vAt(y), 0, 1)).sort((a, b) => a - b);
    const lines = Math.min(drag.y, one.offsetY) < LINES; /* begun in the lines: all addresses */
    seen.range = { left: events[0], right: Math.max(events[1], events[0] + 1), low: lines ? seen.view.low : ends[0], high: lines ? seen.view.high : Math.max(ends[1], ends[0] + 1e-6) };
    paint();
  });
  canvas.addEventListener("pointerup", (one) => {
    if (drag === null) return;
    const wide = pulled(one);
    drag = null;
    seen.cursor = { event: clamp(eventAt(one.offsetX), 0, seen.end - 1), y: clamp(vAt(one.offsetY), 0, 1), chosen: true };
    if (wide) showRange();
    else showLife();
    HS.explore.store();
    paint();
  });
  canvas.addEventListener("wheel", (one) => {
    if (seen.shown === null || !one.ctrlKey) return;
    one.preventDefault();
    zoom(one.deltaY > 0 ? 1.25 : 0.8, eventAt(one.offsetX));
  }, { passive: false });
  canvas.addEventListener("keydown", (one) => {
    if (seen.shown === null) return;
    const step = (seen.view.right - seen.view.left) / 50, tall = (seen.view.high - seen.view.low) / 50;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -tall], ArrowDown: [0, tall] }[one.key];
    if (move !== undefined) {
      seen.cursor = { event: clamp(seen.cursor.event + move[0], 0, seen.end - 1), y: clamp(seen.cursor.y + move[1], 0, 1), chosen: true };
      if (seen.cursor.event < seen.view.left || seen.cursor.event > seen.view.right) look(seen.view.left + move[0] * 20, seen.view.right + move[0] * 20);
      paint();
      sayCursor();
    } else if (one.key === "+" || one.key === "=") zoom(0.5);
    else if (one.key === "-") zoom(2);
    else if (one.key === "0") DO.all();
    else if (one.key === "Enter") showLife();
    else return;
    one.preventDefault();
    HS.explore.store();
  });
  new ResizeObserver(() => draw()).observe(canvas); /* the window's width, and that of a scroll bar */
  HS.onTheme.push(() => paint());

  /* ---- a replay, or the part of it that is over ---- */
  HS.explore.show = ({ picture, ...replayed }) => {
    const { partial } = replayed;
    seen.shown = { ...replayed, run: picture.run, strips: PLACES.strips(replayed.figures.hs_lab_regions) };
    HS.explore.accept(picture);
    const { view, cursor } = seen, before = picture.view;
    if (["left", "right", "low", "high"].some((side) => before[side] !== view[side])) draw();
    if (cursor.chosen && (seen.stated || !partial)) (seen.asks ?? showLife)(); /* what was stated is of another replay */
    if (partial) return;
    seen.stated = true;
    refine(picture);
    HS.explore.store();
    showRange();
    showPins();
  };

  /* `asked`: the worker was asked to open it. */
  HS.explore.open = async (requested, name) => {
    find("says").textContent = name === null ? "Reading the trace." : `Reading ${HS.plain(name)}.`;
    const answer = await requested;
    seen.shown = null;
    find("opened").hidden = answer.log !== undefined;
    if (find("logged") !== null) find("logged").hidden = answer.log === undefined;
    if (answer.log !== undefined) return void HS.explore.showLog(answer.log, name);
    answer.hz = (answer.census.by_time && Number(answer.metadata.clock_hz)) || null;
    HS.opened = answer;
    HS.explore.restore(answer);
    HS.explore.filterAgain(HS.explore.stored());
    HS.explore.notes();
    await HS.explore.begin();
  };
  /* The legend: a click on a task asks where it is to be placed. */
  HS.explore.showTasks = () => find("tasks").replaceChildren(...HS.explore.indices(HS.opened.tasks).map((task) => {
    const key = HS.node("button", null, { type: "button", class: "key", "data-task": task, "aria-pressed": "false" });
    const swatch = HS.node("i", null, { class: "swatch" }), place = HS.explore.placedIn(task);
    swatch.style.background = HS.explore.background(task);
    key.append(swatch, place === null ? taskName(task) : `${taskName(task)} → ${place}`);
    return key;
  }), firstKey(HS.startup, "start-up"), firstKey(HS.allocator, "the allocator's own"));
  function firstKey(colour, name) {
    const key = HS.node("span", null, { class: "key" }), swatch = HS.node("i", null, { class: "swatch" });
    swatch.style.background = colour;
    key.append(swatch, name);
    return key;
  }
})();
