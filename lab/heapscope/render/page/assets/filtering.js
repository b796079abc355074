"use strict";
/* The filters that act on every view: HS.explore.filters(), and the same as a part of the page's address. */
(() => {
  const { find } = HS.explore;
  const form = find("filter");
  const PLAIN = { show: "", task: "", site: "", least: "0", most: "4294967295", age: "0", region: "" };
  let leaks = null; /* keys of the holders that leak; null: not asked yet */

  HS.explore.filter = form;
  HS.explore.siteName = (site) => (HS.opened.sites[site] ? HS.plain(HS.opened.sites[site]) : site === 0 ? "unknown site" : `site ${site}`);
  HS.explore.taskName = (task) => (HS.opened.tasks[task] ? HS.plain(HS.opened.tasks[task]) : `task ${task}`);

  HS.explore.indices = (names) => Object.keys(names).map(Number);

  HS.explore.filterState = () => Object.fromEntries(Object.entries(PLAIN).filter(([name, plain]) => form[name].value !== plain).map(([name]) => [name, form[name].value]));
  HS.explore.filterAgain = (state) => {
    leaks = null;
    const options = HS.explore.indices(HS.opened.tasks).map((task) => HS.node("option", HS.explore.taskName(task), { value: task }));
    form.task.replaceChildren(HS.node("option", "all", { value: "" }), ...options);
    for (const key of ["site", "least", "most", "age"]) if (state[key] !== undefined) form[key].value = state[key];
    form.task.value = HS.opened.tasks[Number(state.task)] === undefined ? "" : (state.task ?? "");
    HS.explore.filterRegions({ regions: [] });
    form.show.value = ["stays", "leaked", "failed"].includes(state.show) ? state.show : state.stays === "1" ? "stays" : "";
    find("filtersays").textContent = "";
  };

  /* The regions of the memory that is replayed on; the first time the address says which one is chosen. */
  HS.explore.filterRegions = (memory, wanted = form.region.value) => {
    const options = memory.regions.map((name, region) => HS.node("option", name, { value: region }));
    form.region.replaceChildren(HS.node("option", "all", { value: "" }), ...options);
    form.region.value = wanted;
    if (form.region.selectedIndex < 0) form.region.selectedIndex = 0;
  };

  async function leaked() {
    if (leaks === null) {
      const result = await HS.ask("leaks");
      leaks = result.keys;
      find("filtersays").textContent =
        result.why !== null ? `Whether anything leaks cannot be told: ${result.why}.`
        : leaks.length === 0 ? "No task and call site leaks, as far as this trace can show it."
        : `${leaks.length.toLocaleString("en-US")} pair${leaks.length === 1 ? "" : "s"} of task and call site leak${leaks.length === 1 ? "s" : ""}: they grow to the end, and hardly an old block is freed.`;
    }
    return leaks;
  }
  HS.explore.filters = async () => {
    const value = (name, other) => (form[name].value === "" ? other : Number(form[name].value));
    const requested = form.site.value.toLowerCase(), show = form.show.value;
    if (show !== "leaked") find("filtersays").textContent = show === "failed" ? "Failed requests are lines across all regions. Ranges and pins count them in place of blocks." : "";
    if (show !== "leaked") leaks = null;
    return {
      task: form.task.value === "" ? null : Number(form.task.value),
      region: form.region.value === "" ? null : Number(form.region.value),
      sites: requested === "" ? null : HS.explore.indices(HS.opened.sites).filter((site) => HS.explore.siteName(site).toLowerCase().includes(requested)),
      least: value("least", 0), most: value("most", 4294967295), age: value("age", 0),
      stays: show === "stays", failed: show === "failed", leaks: show === "leaked" ? await leaked() : null,
      active: Object.keys(HS.explore.filterState()).length > 0,
    };
  };

  /* Frames from the outermost on, each as wide as the bytes allocated below it; `picked` gets the one clicked. */
  HS.explore.flame = (rows, picked) => {
    const whole = rows.reduce((sum, row) => sum + row.bytes, 0), levels = [];
    const root = { name: "", bytes: whole, below: new Map() };
    for (const row of rows) {
      let node = root;
      for (const frame of HS.explore.siteName(row.site).split(" ← ").flatMap((one) => one.split(";").reverse()).reverse().slice(0, 64)) {
        if (!node.below.has(frame)) node.below.set(frame, { name: frame, bytes: 0, below: new Map() });
        node = node.below.get(frame);
        node.bytes += row.bytes;
      }
    }
    const put = (node, depth, from) => {
      for (const one of [...node.below.values()].sort((a, b) => b.bytes - a.bytes)) {
        const share = one.bytes / whole;
        if (share > 0.002) {
          levels[depth] ??= HS.node("div", null, { class: "level" });
          const box = HS.node("button", one.name, { type: "button", title: `${one.name}: ${one.bytes.toLocaleString("en-US")} B` });
          box.style.cssText = `left:${100 * from}%;width:${100 * share}%;background:hsl(${20 + 25 * (depth % 3)},75%,${70 + 4 * (depth % 2)}%)`;
          box.addEventListener("click", () => picked(one.name));
          levels[depth].append(box);
          put(one, depth + 1, from);
        }
        from += share;
      }
    };
    if (whole > 0) put(root, 0, 0);
    return levels;
  };
})();
