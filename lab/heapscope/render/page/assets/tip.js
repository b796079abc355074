"use strict";
/* The box beside the pointer. Names come from traces: they become text, never markup. */
(() => {
  HS.number = (value) => value.toLocaleString("en");
  HS.bytes = (value) => `${HS.number(value)} B`;

  HS.element = (kind, className, text) => {
    const built = document.createElement(kind);
    if (className) built.className = className;
    if (text !== undefined) built.textContent = text;
    return built;
  };
  HS.swatch = (colour, className = "swatch", pattern = 0) => {
    const built = HS.element("i", className);
    if (className.includes("line")) built.style.borderTopColor = colour;
    else built.style.background = pattern === 0 ? colour : PATTERN.css(colour, pattern);
    return built;
  };
  /* Ticks as seconds where the trace tells how long one is. */
  HS.duration = (side, ticks) => {
    if (!side.clock || time === null) return "";
    const seconds = ticks / side.clock;
    return seconds >= 1 ? `${seconds.toFixed(2)} s` : `${(1000 * seconds).toFixed(2)} ms`;
  };
  /* A moment: seconds since the start where the trace has a clock, the event's number in brackets.
     `time`: ticks. */
  HS.moment = (side, event, time) => {
    if (!side.clock || time === null) return `event ${HS.number(event)}`;
    const digits = (side.end - side.start) / side.clock >= 1 ? 3 : 6;
    const form = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    const seconds = ((time - side.start) / side.clock).toLocaleString("en", form);
    return `${seconds} s after the start [event ${HS.number(event)}]`;
  };
  HS.mark = (side, event) => {
    let name = null;
    for (const mark of side.marks) if (mark.event <= event) name = mark.name;
    return name;
  };
  /* The column of the time axis under a position on it. */
  HS.column = (side, x) => {
    const last = side.columns.first_event.length - 1;
    return Math.max(0, Math.min(last, Math.floor(x / side.width)));
  };

  /* The values under a cursor that keys have moved are announced. */
  let byKey = false;
  const reported = document.getElementById("told");
  window.addEventListener("keydown", () => { byKey = true; }, true);
  window.addEventListener("pointermove", () => { byKey = false; }, true);
  const stated = (row) => (Array.isArray(row) ? `${row[0]}${row[0] && row[1] ? ": " : ""}${row[1]}` : Object.values(row)[0]);

  /* rows: {head}, {alert}, {warn}, or [name, value, colour]. */
  HS.showTip = (box, rows, at) => {
    const tip = box.querySelector(".tip");
    tip.replaceChildren();
    for (const row of rows) {
      if (!Array.isArray(row)) {
        const kind = Object.keys(row)[0];
        tip.append(HS.element("div", kind, row[kind]));
        continue;
      }
      const line = HS.element("div", "row");
      const name = HS.element("span");
      if (row[2]) name.append(HS.swatch(row[2]));
      name.append(row[0]);
      line.append(name, HS.element("span", "", row[1]));
      tip.append(line);
    }
    tip.hidden = false;
    if (byKey && document.activeElement === box) reported.textContent = rows.map(stated).filter(Boolean).join("; ");
    const width = box.clientWidth, room = tip.offsetWidth + 24;
    const left = at.x + room > width ? Math.max(6, at.x - room + 6) : at.x + 18;
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.max(6, Math.min(at.y + 12, box.clientHeight - tip.offsetHeight - 6))}px`;
  };
  HS.hideTip = (box) => { box.querySelector(".tip").hidden = true; };
})();
