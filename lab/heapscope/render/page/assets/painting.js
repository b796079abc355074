"use strict";
/* The canvas: the lines, the blocks as the worker drew them, and what lies on top of both. */
(() => {
  const { root, find, number, seen, words } = HS.explore;
  const { clamp, hex, seconds } = words;
  const canvas = find("canvas");
  const LINES = 130, MAP = 420, LEFT = 92; /* pixels: lines above the map, the map, names beside both */

  /* The canvas's width; asking for it makes the browser lay out the page, so it is asked once a picture. */
  let wide = 0;
  const measure = () => (wide = canvas.clientWidth);
  const across = () => wide - LEFT;
  const eventAt = (x) => seen.view.left + ((x - LEFT) / across()) * (seen.view.right - seen.view.left);
  const xOf = (event) => LEFT + ((event - seen.view.left) / (seen.view.right - seen.view.left)) * across();
  const vAt = (y) => seen.view.low + ((y - LINES) / MAP) * (seen.view.high - seen.view.low);
  const yOf = (v) => LINES + ((v - seen.view.low) / (seen.view.high - seen.view.low)) * MAP;
  HS.explore.canvas = { canvas, LINES, MAP, eventAt, vAt };

  /* ---- looks of tasks ---- */
  const colour = (text) => {
    const value = parseInt(text.slice(1), 16);
    return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
  };
  /* A colour and a pattern: those of the page's other pictures, else by the task's number. */
  const named = (task) => (HS.opened.tasks[task] || task !== 0 ? HS.explore.taskName(task) : "main");
  const look = (task) => {
    const pattern = Math.floor(task / HS.colours.length);
    return HS.looks?.[named(task)] ?? (HS.looks || pattern >= HS.patterns ? [HS.others, 0] : [HS.colours[task % HS.colours.length], pattern]);
  };
  const packed = (rgb) => colour(`#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`);
  const looks = ([own, pattern]) => ({ colour: colour(own), mark: packed(PATTERN.mark(PATTERN.parse(own))), pattern });
  HS.explore.background = (task) => PATTERN.css(...look(task));

  /* ---- what the worker is asked to draw, and what it drew ---- */
  const sharp = () => Math.min(2, window.devicePixelRatio || 1);
  HS.explore.wish = async () => {
    const filter = await HS.explore.filters();
    measure();
    return {
      view: { ...seen.view }, width: Math.max(40, Math.round(across() * sharp())), height: Math.round(MAP * sharp()), filter,
      colours: HS.explore.indices(seen.opened.tasks).map((task) => [task, looks(look(task))]), other: colour(HS.others), startup: colour(HS.startup), allocator: colour(HS.allocator), bad: colour(getComputedStyle(root).getPropertyValue("--bad").trim()),
    };
  };
  /* The picture of the whole trace, where it would be the same again; null: none, or not all is replayed. */
  HS.explore.kept = (wish) => {
    const { whole, partial } = seen.shown ?? {}, same = (name) => JSON.stringify(wish[name]) === JSON.stringify(whole[name]);
    return whole !== undefined && !partial && ["view", "width", "height", "filter", "bad"].every(same) ? whole : null;
  };
  HS.explore.accept = (picture) => {
    const layer = document.createElement("canvas"), { width, height } = picture;
    Object.assign(layer, { width, height });
    layer.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(picture.pixels.buffer), width, height), 0, 0);
    Object.assign(seen.shown, { picture, drawn: picture.view, layer });
    const { left, right, low, high } = picture.view;
    if (left === 0 && right === seen.end && low === 0 && high === 1) seen.shown.whole = picture;
    paint();
    if (HS.pictured !== undefined) requestAnimationFrame(HS.pictured);
  };

  /* The most live bytes of each column come after the picture, which may not be shown any more. */
  HS.explore.acceptLine = (picture, live) => {
    if (seen.shown?.picture !== picture) return;
    Object.assign(picture, { live, waits: false });
    paint();
  };

  /* ---- painting ---- */
  function paint() {
    const { shown, view, range, cursor, pins } = seen;
    if (shown === null) return;
    measure();
    const scale = Math.min(2, window.devicePixelRatio || 1), style = getComputedStyle(root);
    canvas.width = Math.round(wide * scale);
    canvas.height = Math.round((LINES + MAP + 26) * scale);
    const pen = canvas.getContext("2d");
    const ink = style.getPropertyValue("--ink"), quiet = style.getPropertyValue("--quiet"), hover = style.getPropertyValue("--hover");
    pen.scale(scale, scale);
    pen.fillStyle = hover;
    for (const strip of PLACES.visible(shown.strips, MAP, view)) pen.fillRect(LEFT, LINES + strip.top, wide - LEFT, strip.bottom - strip.top);
    picture(pen);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = quiet;
    for (const strip of PLACES.visible(shown.strips, MAP, view)) {
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
    const [begin, until] = shown.picture.times, { drawn } = shown;
    const same = drawn.left === view.left && drawn.right === view.right; /* times are those of the window that is drawn */
    const ends = [[view.left, begin], [view.right, until]].map(([event, time]) => [`event ${number(Math.round(event))}`, same ? seconds(time) : ""]);
    const room = wide - LEFT - ends.reduce((sum, parts) => sum + pen.measureText(parts.join("")).width, 0);
    const [first, last] = ends.map(([event, time]) => (room < 12 ? event : event + time));
    pen.fillText(first, LEFT, LINES + MAP + 18);
    pen.fillText(last, wide - pen.measureText(last).width, LINES + MAP + 18);
  }
  /* The blocks as they were drawn last, at their places in the window of now; and what is not replayed yet. */
  function picture(pen) {
    const { shown, view } = seen, { drawn } = shown;
    const left = xOf(drawn.left), right = xOf(drawn.right), top = yOf(drawn.low), bottom = yOf(drawn.high);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, LINES, wide - LEFT, MAP);
    pen.clip();
    pen.imageSmoothingEnabled = false;
    pen.drawImage(shown.layer, left, top, right - left, bottom - top);
    if (shown.partial && shown.picture.events < view.right) {
      const from = Math.max(LEFT, xOf(shown.picture.events)), style = getComputedStyle(root);
      pen.fillStyle = style.getPropertyValue("--card");
      pen.fillRect(from, LINES, wide - from, MAP);
      pen.fillStyle = style.getPropertyValue("--quiet");
      pen.font = "12px system-ui, sans-serif";
      const text = "not replayed yet", long = pen.measureText(text).width;
      if (wide - from > long + 12) pen.fillText(text, from + (wide - from - long) / 2, LINES + MAP / 2);
    }
    pen.restore();
  }
  function line(pen, event, ink, name) {
    const { view } = seen;
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
    if (x < LEFT || event > seen.view.right) return;
    pen.fillStyle = ink;
    pen.beginPath();
    pen.moveTo(x - size / 2, LINES - size);
    pen.lineTo(x + size / 2, LINES - size);
    pen.lineTo(x, LINES);
    pen.fill();
  }
  function lines(pen, ink, quiet, red) {
    const { shown, view } = seen, time = shown.timeline;
    if (time === null) return;
    let most = 1;
    for (let bucket = 0; bucket < time.buckets; bucket++) most = Math.max(most, time.most[bucket * time.series], time.most[bucket * time.series + 1]);
    const { live, waits } = shown.picture, across = (shown.drawn.right - shown.drawn.left) / (live?.length ?? 1);
    if (live !== null) {
      pen.strokeStyle = pen.fillStyle = ink;
      pen.lineWidth = 1.5;
      pen.beginPath();
      live.forEach((bytes, x) => pen.lineTo(clamp(xOf(shown.drawn.left + x * across), LEFT, wide), LINES - 12 - (bytes / most) * (LINES - 34)));
      pen.stroke();
      pen.fillText(waits ? "live, at ends …" : "live, filtered", LEFT + 4, 12);
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
        pen.lineTo(Math.min(wide, x1), y);
      }
      pen.stroke();
      pen.fillText(name, LEFT + 4 + 140 * series, 12);
    }
    pen.fillStyle = quiet;
    pen.fillText(`${number(most)} B`, 2, 28, LEFT - 8);
  }
  HS.explore.paint = paint;
})();
