/* Runs in a page that is measured: from an input's own time to the frame that shows its answer. */
(() => {
  const probe = { asked: 0, told: {}, pictures: [], long: [] };
  window.probe = probe;
  for (const kind of ["click", "keydown", "pointerup", "input"]) window.addEventListener(kind, (one) => (probe.asked = one.timeStamp), true);
  new PerformanceObserver((list) => probe.long.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask", buffered: true });
  /* The next frame has begun to be drawn, and what was to be drawn is. */
  const frame = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now()), 0));
  const note = (what) => frame((at) => (probe.told[what] = { at, took: at - probe.asked }));

  const accept = HS.explore.accept;
  HS.explore.accept = (picture) => {
    accept(picture);
    const { partial } = HS.explore.seen.shown, { view } = HS.explore.seen;
    const now = ["left", "right", "low", "high"].every((side) => picture.view[side] === view[side]);
    frame((at) => {
      probe.pictures.push({ at, took: at - probe.asked, partial: partial === true, events: picture.events });
      if (now) probe.told.picture = { at, took: at - probe.asked };
    });
  };
  const acceptLine = HS.explore.acceptLine;
  HS.explore.acceptLine = (picture, live) => {
    acceptLine(picture, live);
    note("line");
  };
  for (const name of ["rangesays", "pinsays", "cursor", "lifefacts"]) {
    new MutationObserver(() => note(name)).observe(document.querySelector(`[data-${name}]`), { childList: true, characterData: true, subtree: true });
  }
  probe.clear = () => {
    probe.told = {};
    probe.pictures = [];
    probe.long = [];
  };
})();
