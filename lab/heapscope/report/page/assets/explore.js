"use strict";
/* Every block on a canvas: the window, the cursor, the range, pins and filters; and the state in the address of the
   page, so that a link means what is seen. */
(() => {
  const { root, find, number, filter, filters, taskName, siteName } = HS.explore;
  const canvas = find("canvas");
  const LINES = 130, MAP = 420, LEFT = 92; /* pixels: lines above the map, the map, names beside both */
  let shown = null, opened = null, view = null, range = null, cursor = { event: 0, y: 0.5 }, pins = {}, drawing = false, again = false;

  const stored = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  HS.explore.stored = stored;
  HS.explore.store = () => {
    if (shown === null) return;
    const state = { ...HS.explore.choice(), ...HS.explore.filterState() };
    if (view !== null && (view.left > 0 || view.right < shown.end || view.low > 0 || view.high < 1)) state.view = [view.left, view.right, view.low, view.high].map((one) => +one.toFixed(5)).join(",");
    if (pins.A !== undefined) state.a = pins.A;
    if (pins.B !== undefined) state.b = pins.B;
    if (cursor.chosen) state.at = `${cursor.event},${cursor.y.toFixed(5)}`;
    const text = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== "" && value !== undefined)).toString();
    try {
      history.replaceState(null, "", `#${text}`);
    } catch { /* a page in a notebook has no address of its own */ }
  };
  const numbers = (text, count) => {
    if (text === undefined || text === "") return null;
    const found = text.split(",").map(Number);
    return found.length === count && found.every(Number.isFinite) ? found : null;
  };

  const hex = (value) => `0x${(value >>> 0).toString(16).padStart(8, "0")}`;
  const seconds = (ticks) => (opened.hz === null || ticks === null ? "" : ` (${((ticks - opened.census.first_time) / opened.hz).toFixed(3)} s)`);
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

  /* ---- places ---- */
  /* Regions by the square root of their sizes, the first on top; `v` goes from 0 on top to 1. */
  function strips(regions) {
    const used = regions.map((row, region) => ({ region, start: row.start, size: row.size, weight: row.has_heap ? Math.sqrt(row.size) : 0 })).filter((one) => one.weight > 0);
    const whole = used.reduce((sum, one) => sum + one.weight, 0), gap = used.length > 1 ? 0.012 : 0;
    let v = 0;
    return used.map((one) => {
      const high = (one.weight / whole) * (1 - gap * (used.length - 1));
      const made = { ...one, v0: v, v1: v + high };
      v += high + gap;
      return made;
    });
  }
  function visible(height, { low, high } = view) {
    const place = (v) => ((v - low) / (high - low)) * height;
    return shown.strips.filter((one) => one.v1 > low && one.v0 < high).map((one) => {
      const per = one.size / (one.v1 - one.v0);
      return {
        region: one.region, top: Math.round(clamp(place(one.v0), 0, height)), bottom: Math.round(clamp(place(one.v1), 0, height)),
        high: one.start + one.size - Math.max(0, low - one.v0) * per, low: one.start + Math.max(0, one.v1 - high) * per,
      };
    }).filter((one) => one.bottom > one.top);
  }
  function address(v) {
    const strip = shown.strips.find((one) => v >= one.v0 && v <= one.v1);
    return strip === undefined ? null : { region: strip.region, address: strip.start + Math.floor(((strip.v1 - v) / (strip.v1 - strip.v0)) * strip.size) };
  }
  const eventAt = (x) => view.left + ((x - LEFT) / (canvas.clientWidth - LEFT)) * (view.right - view.left);
  const xOf = (event) => LEFT + ((event - view.left) / (view.right - view.left)) * (canvas.clientWidth - LEFT);
  const vAt = (y) => view.low + ((y - LINES) / MAP) * (view.high - view.low);
  const yOf = (v) => LINES + ((v - view.low) / (view.high - view.low)) * MAP;

  /* ---- drawing ---- */
  const colour = (text) => {
    const value = parseInt(text.slice(1), 16);
    return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
  };
  const pattern = (task) => Math.floor(task / HS.colours.length);
  const hasLook = (task) => pattern(task) < HS.patterns;
  const taskColour = (task) => (hasLook(task) ? HS.colours[task % HS.colours.length] : HS.others);
  const packed = (rgb) => colour(`#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`);
  const looks = (task) => ({ colour: colour(taskColour(task)), mark: packed(PATTERN.mark(PATTERN.parse(taskColour(task)))), pattern: hasLook(task) ? pattern(task) : 0 });

  async function draw() {
    if (shown === null) return;
    if (drawing) return void (again = true);
    drawing = true;
    const scale = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(40, Math.round((canvas.clientWidth - LEFT) * scale)), height = Math.round(MAP * scale);
    const { left, right } = view, own = { ...view };
    const picture = await HS.ask("picture", { left, right, width, height, strips: visible(height), filter: await filters(), colours: opened.tasks.map((_, task) => looks(task)), other: colour(HS.others), bad: colour(getComputedStyle(root).getPropertyValue("--bad").trim()) });
    Object.assign(shown, { picture, drawn: own, image: new ImageData(new Uint8ClampedArray(picture.pixels.buffer), width, height) });
    paint();
    drawing = false;
    if (again) {
      again = false;
      draw();
    }
  }

  function paint() {
    if (shown?.image === undefined) return;
    const scale = Math.min(2, window.devicePixelRatio || 1), style = getComputedStyle(root);
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round((LINES + MAP + 26) * scale);
    const pen = canvas.getContext("2d");
    const ink = style.getPropertyValue("--ink"), quiet = style.getPropertyValue("--quiet"), hover = style.getPropertyValue("--hover");
    pen.scale(scale, scale);
    pen.fillStyle = hover;
    for (const strip of visible(MAP)) pen.fillRect(LEFT, LINES + strip.top, canvas.clientWidth - LEFT, strip.bottom - strip.top);
    const layer = document.createElement("canvas");
    layer.width = shown.image.width;
    layer.height = shown.image.height;
    layer.getContext("2d").putImageData(shown.image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(layer, LEFT, LINES, canvas.clientWidth - LEFT, MAP);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = quiet;
    for (const strip of visible(MAP)) {
      if (strip.bottom - strip.top < 14) continue;
      const middle = LINES + (strip.top + strip.bottom) / 2;
      const [kind] = shown.memory.regions[strip.region].split(" 0x");
      pen.fillText(kind, 2, middle - 2, LEFT - 8);
      pen.fillText(hex(strip.low), 2, middle + 12, LEFT - 8);
    }
    lines(pen, ink, quiet, style.getPropertyValue("--largest"));
    shown.picture.failed.forEach((count, x) => count > 0 && mark(pen, shown.drawn.left + ((x + 0.5) / shown.picture.failed.length) * (shown.drawn.right - shown.drawn.left), style.getPropertyValue("--bad"), 6));
    for (const [name, event] of Object.entries(pins)) line(pen, event, ink, name);
    if (range !== null) {
      pen.strokeStyle = style.getPropertyValue("--accent");
      pen.lineWidth = 2;
      pen.strokeRect(xOf(range.left), yOf(range.low), xOf(range.right) - xOf(range.left), yOf(range.high) - yOf(range.low));
    }
    if (cursor.chosen) {
      line(pen, cursor.event, quiet, "");
      pen.fillStyle = ink;
      pen.beginPath();
      pen.arc(xOf(cursor.event), yOf(cursor.y), 3, 0, 7);
      pen.fill();
    }
    pen.fillStyle = quiet;
    const [begin, until] = shown.picture.times;
    pen.fillText(`event ${number(Math.round(view.left))}${seconds(begin)}`, LEFT, LINES + MAP + 18);
    const end = `event ${number(Math.round(view.right))}${seconds(until)}`;
    pen.fillText(end, canvas.clientWidth - pen.measureText(end).width, LINES + MAP + 18);
  }
  function line(pen, event, ink, name) {
    if (event < view.left || event > view.right) return;
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(xOf(event), 0);
    pen.lineTo(xOf(event), LINES + MAP);
    pen.stroke();
    if (name !== "") pen.fillText(name, xOf(event) + 3, LINES - 14);
  }
  function mark(pen, event, ink, size) {
    const x = xOf(event);
    if (x < LEFT || event > view.right) return;
    pen.fillStyle = ink;
    pen.beginPath();
    pen.moveTo(x - size / 2, LINES - size);
    pen.lineTo(x + size / 2, LINES - size);
    pen.lineTo(x, LINES);
    pen.fill();
  }
  function lines(pen, ink, quiet, red) {
    const time = shown.timeline;
    if (time === null) return;
    let most = 1;
    for (let bucket = 0; bucket < time.buckets; bucket++) most = Math.max(most, time.most[bucket * time.series], time.most[bucket * time.series + 1]);
    const { live } = shown.picture, across = (shown.drawn.right - shown.drawn.left) / (live?.length ?? 1);
    if (live !== null) {
      pen.strokeStyle = pen.fillStyle = ink;
      pen.lineWidth = 1.5;
      pen.beginPath();
      live.forEach((bytes, x) => pen.lineTo(clamp(xOf(shown.drawn.left + x * across), LEFT, canvas.clientWidth), LINES - 12 - (bytes / most) * (LINES - 34)));
      pen.stroke();
      pen.fillText("live, filtered", LEFT + 4, 12);
    }
    for (const [series, values, stroke, name] of (live === null ? [0, 1] : [1]).map((which) => [[0, time.most, ink, "live, most"], [1, time.least, red, "largest block, least"]][which])) {
      pen.strokeStyle = pen.fillStyle = stroke;
      pen.lineWidth = 1.5;
      pen.beginPath();
      for (let bucket = 0; bucket < time.buckets; bucket++) {
        const x0 = xOf(bucket * time.width), x1 = xOf((bucket + 1) * time.width);
        if (x1 < LEFT || bucket * time.width > view.right) continue;
        const y = LINES - 12 - (values[bucket * time.series + series] / most) * (LINES - 34);
        pen.lineTo(Math.max(LEFT, x0), y);
        pen.lineTo(Math.min(canvas.clientWidth, x1), y);
      }
      pen.stroke();
      pen.fillText(name, LEFT + 4 + 140 * series, 12);
    }
    pen.fillStyle = quiet;
    pen.fillText(`${number(most)} B`, 2, 28, LEFT - 8);
  }

  /* ---- what is said beside it ---- */
  function table(box, rows, columns) {
    box.replaceChildren(...rows.slice(0, 200).map((row) => {
      const made = HS.made("tr");
      made.append(HS.made("td", taskName(row.task)), HS.made("td", siteName(row.site)), ...columns.map((name) => HS.made("td", number(row[name]), { class: "number" })));
      return made;
    }));
  }
  async function showRange() {
    find("range").hidden = range === null;
    if (range === null) return;
    const { left, right } = range, asked = await filters();
    const { rows } = await HS.ask("range", { left, right, strips: visible(MAP, range), filter: asked });
    const sum = (name) => rows.reduce((total, row) => total + row[name], 0);
    const { times } = await HS.ask("times", { events: [left, right - 1] }), span = `From event ${number(left)}${seconds(times[0])} to ${number(right)}${seconds(times[1])}`;
    find("rangesays").textContent = asked.failed ? `${span}: ${number(sum("blocks"))} requests for ${number(sum("bytes"))} B failed.` : `${span}: ${number(sum("blocks"))} blocks with ${number(sum("bytes"))} B were allocated there, and ${number(sum("stayed"))} with ${number(sum("stayed_bytes"))} B were still live at its end.`;
    table(find("rangerows"), rows, ["blocks", "bytes", "stayed", "stayed_bytes"]);
    find("rangeflame").replaceChildren(...HS.explore.flame(rows, (name) => {
      filter.site.value = name;
      changed();
    }));
  }
  async function showPins() {
    const both = pins.A !== undefined && pins.B !== undefined;
    find("pins").hidden = !both;
    if (!both) return;
    const asked = await filters();
    const { rows } = await HS.ask("difference", { first: pins.A, second: pins.B, filter: asked });
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0), count = rows.reduce((sum, row) => sum + row.blocks, 0);
    const { times } = await HS.ask("times", { events: [pins.A, pins.B] }), span = `From event ${number(pins.A)}${seconds(times[0])} to event ${number(pins.B)}${seconds(times[1])}`;
    find("pinsays").textContent = asked.failed ? `${span}, ${number(count)} requests for ${number(bytes)} B failed.` : `${span}, live bytes changed by ${number(bytes)}.`;
    table(find("pinrows"), rows, ["blocks", "bytes"]);
  }
  async function showLife() {
    const place = address(cursor.y);
    if (place === null) return say("There is no region at the cursor.");
    const { life } = await HS.ask("pick", { event: Math.floor(cursor.event), ...place });
    find("life").hidden = life === null;
    if (life === null) return say(`Event ${number(Math.floor(cursor.event))}, ${hex(place.address)}: no block of the trace is there.`);
    const near = (one) => (one === null ? "none" : `${hex(one.address)}, ${number(one.size)} B, ${taskName(one.task)}, ${siteName(one.site)}, from event ${number(one.born)}`);
    const facts = [
      ["Block", `${hex(life.address)}, ${number(life.size)} B, in ${shown.memory.regions[life.region]}`],
      ["Task", taskName(life.task)], ["Call site", siteName(life.site)],
      ["Allocated", `event ${number(life.born)}${seconds(life.born_time)}`],
      ["Freed", life.died === null ? "never" : `event ${number(life.died)}${seconds(life.died_time)}, after ${number(life.died - life.born)} events`],
      ["Below it then", near(life.below)], ["Above it then", near(life.above)],
    ];
    find("lifefacts").replaceChildren(...facts.flatMap(([name, value]) => [HS.made("dt", name), HS.made("dd", value)]));
    say(`${hex(life.address)}: ${number(life.size)} B of ${taskName(life.task)}, ${siteName(life.site)}.`);
  }
  const say = (text) => (find("cursor").textContent = text);
  async function sayCursor() {
    const place = address(cursor.y), event = Math.floor(cursor.event);
    const { times } = await HS.ask("times", { events: [event] });
    const time = shown.timeline;
    const bucket = time === null ? 0 : clamp(Math.floor(event / time.width), 0, time.buckets - 1) * time.series;
    const figures = time === null ? "" : ` In its span at most ${number(time.most[bucket])} B were live, and the largest block was ${number(time.least[bucket + 1])} B at its least.`;
    say(`Event ${number(event)}${seconds(times[0])}${place === null ? "" : `, ${hex(place.address)}`}.${figures}`);
  }

  /* ---- gestures ---- */
  function look(left, right, low = view.low, high = view.high) {
    const wide = clamp(right - left, 4, shown.end), tall = clamp(high - low, 1e-6, 1);
    const from = clamp(left, 0, shown.end - wide), top = clamp(low, 0, 1 - tall);
    view = { left: from, right: from + wide, low: top, high: top + tall };
    HS.explore.store();
    draw();
  }
  function zoom(by, event = cursor.chosen ? cursor.event : (view.left + view.right) / 2) {
    look(event - (event - view.left) * by, event + (view.right - event) * by);
  }
  function changed() {
    HS.explore.store();
    draw();
    showRange();
    showPins();
  }
  /* An event, a second, an address, or a part of a mark's name. */
  async function go(text) {
    const time = /^([\d.]+) ?s$/.exec(text), place = /^0x[\da-f]{1,8}$/i.test(text) ? Number(text) : null;
    let { event, y } = cursor;
    if (!cursor.chosen) event = (view.left + view.right) / 2;
    if (place !== null) {
      const strip = shown.strips.find((one) => place >= one.start && place < one.start + one.size);
      if (strip === undefined) return say(`${hex(place)} is in no region of this memory.`);
      y = strip.v1 - ((place - strip.start + 0.5) / strip.size) * (strip.v1 - strip.v0);
    } else if (time !== null && opened.hz !== null) ({ event } = await HS.ask("moment", { time: opened.census.first_time + Number(time[1]) * opened.hz }));
    else if (/^[\d,]+$/.test(text)) event = Number(text.replaceAll(",", ""));
    else {
      const marks = shown.figures.hs_lab_marks.filter((row) => HS.plain(opened.marks[row.name] ?? "").toLowerCase().includes(text.toLowerCase()));
      const next = marks.find((row) => row.event > cursor.event) ?? marks[0];
      if (text === "" || next === undefined) return say(`No mark is called that${time === null ? "" : ", and the trace has no clock"}. Write an event's number, 12.5 s, 0x3ffb0000 or a part of a mark's name.`);
      ({ event } = next);
    }
    cursor = { event: clamp(event, 0, shown.end - 1), y, chosen: true };
    const wide = view.right - view.left, tall = view.high - view.low, out = cursor.event < view.left || cursor.event > view.right || y < view.low || y > view.high;
    if (out) look(cursor.event - wide / 2, cursor.event + wide / 2, y - tall / 2, y + tall / 2);
    paint();
    HS.explore.store();
    if (place !== null) showLife();
    else sayCursor();
  }
  find("go").addEventListener("submit", (one) => {
    one.preventDefault();
    if (shown !== null) go(find("go").to.value.trim());
  });
  const DO = {
    zoom: () => range !== null && look(range.left, range.right, range.low, range.high),
    in: () => zoom(0.5), out: () => zoom(2), all: () => look(0, shown.end, 0, 1),
    pinA: () => pin("A"), pinB: () => pin("B"),
  };
  function pin(name) {
    pins[name] = Math.floor(cursor.event);
    paint();
    HS.explore.store();
    showPins();
  }
  root.addEventListener("click", (one) => shown !== null && DO[one.target.dataset.do]?.());
  filter.addEventListener("input", () => shown !== null && changed());
  filter.addEventListener("submit", (one) => one.preventDefault());

  let drag = null;
  canvas.addEventListener("pointerdown", (one) => {
    if (shown === null) return;
    canvas.setPointerCapture(one.pointerId);
    drag = { x: one.offsetX, y: one.offsetY };
  });
  const pulled = (one) => Math.abs(one.offsetX - drag.x) + Math.abs(one.offsetY - drag.y) > 6;
  canvas.addEventListener("pointermove", (one) => {
    if (drag === null || !pulled(one)) return;
    const events = [drag.x, one.offsetX].map((x) => Math.round(clamp(eventAt(x), 0, shown.end))).sort((a, b) => a - b);
    const ends = [drag.y, one.offsetY].map((y) => clamp(vAt(y), 0, 1)).sort((a, b) => a - b);
    const lines = Math.min(drag.y, one.offsetY) < LINES; /* begun in the lines: all addresses */
    range = { left: events[0], right: Math.max(events[1], events[0] + 1), low: lines ? view.low : ends[0], high: lines ? view.high : Math.max(ends[1], ends[0] + 1e-6) };
    paint();
  });
  canvas.addEventListener("pointerup", (one) => {
    if (drag === null) return;
    const wide = pulled(one);
    drag = null;
    cursor = { event: clamp(eventAt(one.offsetX), 0, shown.end - 1), y: clamp(vAt(one.offsetY), 0, 1), chosen: true };
    if (wide) showRange();
    else showLife();
    HS.explore.store();
    paint();
  });
  canvas.addEventListener("wheel", (one) => {
    if (shown === null || !one.ctrlKey) return;
    one.preventDefault();
    zoom(one.deltaY > 0 ? 1.25 : 0.8, eventAt(one.offsetX));
  }, { passive: false });
  canvas.addEventListener("keydown", (one) => {
    if (shown === null) return;
    const step = (view.right - view.left) / 50, tall = (view.high - view.low) / 50;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -tall], ArrowDown: [0, tall] }[one.key];
    if (move !== undefined) {
      cursor = { event: clamp(cursor.event + move[0], 0, shown.end - 1), y: clamp(cursor.y + move[1], 0, 1), chosen: true };
      if (cursor.event < view.left || cursor.event > view.right) look(view.left + move[0] * 20, view.right + move[0] * 20);
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
  window.addEventListener("resize", () => draw());
  HS.onTheme.push(() => paint());

  /* ---- a replay is over ---- */
  HS.explore.show = (replayed) => {
    const first = shown === null;
    const state = stored();
    const end = Math.max(1, opened.census.events);
    shown = { ...replayed, end, strips: strips(replayed.figures.hs_lab_regions) };
    const options = replayed.memory.regions.map((name, region) => HS.made("option", name, { value: region }));
    const kept = filter.region.value;
    filter.region.replaceChildren(HS.made("option", "all", { value: "" }), ...options);
    filter.region.value = first ? (state.region ?? "") : kept;
    if (filter.region.selectedIndex < 0) filter.region.selectedIndex = 0;
    if (first) {
      view = { left: 0, right: end, low: 0, high: 1 };
      const seen = numbers(state.view, 4);
      if (seen !== null && seen[0] >= 0 && seen[1] <= end && seen[1] - seen[0] >= 4 && seen[2] >= 0 && seen[3] <= 1 && seen[3] > seen[2]) view = { left: seen[0], right: seen[1], low: seen[2], high: seen[3] };
      const at = numbers(state.at, 2);
      if (at !== null) cursor = { event: clamp(at[0], 0, end - 1), y: clamp(at[1], 0, 1), chosen: true };
      for (const name of ["a", "b"]) if (numbers(state[name], 1) !== null) pins[name.toUpperCase()] = Math.floor(clamp(Number(state[name]), 0, end - 1));
      if (cursor.chosen) showLife();
    } else if (cursor.chosen && !find("life").hidden) showLife();
    changed();
  };

  HS.explore.open = async (bytes, name) => {
    find("says").textContent = name === null ? "Reading the trace." : `Reading ${HS.plain(name)}.`;
    const answer = await HS.ask("open", { bytes });
    shown = null;
    find("opened").hidden = answer.log !== undefined;
    if (find("logged") !== null) find("logged").hidden = answer.log === undefined;
    if (answer.log !== undefined) return void HS.explore.showLog(answer.log, name);
    opened = HS.opened = answer;
    range = null;
    pins = {};
    opened.hz = Number(opened.metadata.clock_hz) || null;
    HS.explore.filterAgain(stored());
    notes();
    await HS.explore.begin();
  };
  /* The legend: a click on a task asks where it is to be placed. */
  HS.explore.showTasks = () => find("tasks").replaceChildren(...opened.tasks.map((_, task) => {
    const key = HS.made("button", null, { type: "button", class: "key", "data-task": task, "aria-pressed": "false" });
    const swatch = HS.made("i", null, { class: "swatch" }), place = HS.explore.placedIn(task);
    swatch.style.background = PATTERN.css(taskColour(task), hasLook(task) ? pattern(task) : 0);
    key.append(swatch, place === null ? taskName(task) : `${taskName(task)} → ${place}`);
    return key;
  }));
  function notes() {
    const { census, health, stats } = opened, said = [];
    said.push(`It has ${number(census.events)} heap events of ${number(census.tasks)} tasks; at most ${number(census.live_peak)} B were live in the recorded program.`);
    if (stats?.bad_lines > 0) said.push(`${number(stats.bad_lines)} lines are no events; the first is line ${number(stats.first_bad)}.`);
    if (health.lost_events > 0) said.push(`${number(health.lost_events)} events are missing. The replay ends at the first gap.`);
    if (health.truncated || !health.ended) said.push("The trace breaks off: its end is missing.");
    if (health.skipped_bytes > 0) said.push(`${number(health.skipped_bytes)} bytes are damaged and were left out.`);
    find("answer").replaceChildren(...said.map((one) => HS.made("li", one)));
    find("first").hidden = false;
  }
})();
