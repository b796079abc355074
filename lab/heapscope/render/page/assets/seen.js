"use strict";
/* What is seen of a trace: the window, the cursor, the range and the pins; and all of it in the address of the page, so
   that a link means what is seen. */
(() => {
  const { number } = HS.explore;
  /* `shown`: the replay that is drawn; null: none yet. `asks`: the function that spoke of the cursor last. */
  const seen = { shown: null, opened: null, view: null, range: null, cursor: null, pins: {}, asks: null };
  HS.explore.seen = seen;

  const stored = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  HS.explore.stored = stored;
  HS.explore.store = () => {
    const { shown, view, pins, cursor } = seen;
    if (shown === null) return;
    const state = { ...HS.explore.choice(), ...HS.explore.filterState() };
    if (view.left > 0 || view.right < seen.end || view.low > 0 || view.high < 1) state.view = [view.left, view.right, view.low, view.high].map((one) => +one.toFixed(5)).join(",");
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
    const result = text.split(",").map(Number);
    return result.length === count && result.every(Number.isFinite) ? result : null;
  };
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

  /* A trace was opened: the state of the address, as far as it is one of this trace. */
  HS.explore.restore = (opened) => {
    const state = stored(), end = Math.max(1, opened.census.events);
    const view = numbers(state.view, 4), at = numbers(state.at, 2);
    const fits = view !== null && view[0] >= 0 && view[1] <= end && view[1] - view[0] >= 4 && view[2] >= 0 && view[3] <= 1 && view[3] > view[2];
    Object.assign(seen, { shown: null, opened, end, range: null, pins: {}, asks: null, stated: false }); /* stated: an exact replay was shown */
    seen.view = fits ? { left: view[0], right: view[1], low: view[2], high: view[3] } : { left: 0, right: end, low: 0, high: 1 };
    seen.cursor = at === null ? { event: 0, y: 0.5 } : { event: clamp(at[0], 0, end - 1), y: clamp(at[1], 0, 1), chosen: true };
    for (const name of ["a", "b"]) if (numbers(state[name], 1) !== null) seen.pins[name.toUpperCase()] = Math.floor(clamp(Number(state[name]), 0, end - 1));
  };

  HS.explore.words = {
    clamp,
    hex: (value) => `0x${(value >>> 0).toString(16).padStart(8, "0")}`,
    seconds: (ticks) => {
      const { hz, census } = seen.opened;
      return hz === null || ticks === null ? "" : ` (${((ticks - census.first_time) / hz).toFixed((census.last_time - census.first_time) / hz >= 1 ? 3 : 6)} s)`;
    },
    event: (value, ticks) => `event ${number(value)}${HS.explore.words.seconds(ticks)}`,
  };
})();
