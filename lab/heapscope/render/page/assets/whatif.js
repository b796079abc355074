"use strict";
/* The memory that the page replays on, and its figures beside those of what was. */
(() => {
  const root = document.querySelector("[data-explore]");
  const find = (name) => root.querySelector(`[data-${name}]`);
  const form = find("whatif");
  const digits = new Intl.NumberFormat("en-US");
  const number = (value) => digits.format(typeof value === "bigint" ? value : Number(value));
  const NEVER = 0xffffffffffffffffn;
  const SAME = "as it is";
  const STEP = 16; /* bytes: every allocator keeps its heap aligned by less */
  HS.explore = { root, find, number, NEVER };
  HS.opened = { tasks: [], marks: [], sites: [] }; /* until a trace is loaded */
  const ALL = 0xffffffffffffffffn;
  let base = null, wanted = 0, timer = null, requested = false, answered = true, placed = new Map(); /* regions of tasks, by their numbers */

  const memory = () => HS.memories[form.memory.selectedIndex] ?? HS.memories[0];
  const sliders = () => [...form.querySelectorAll("input[type=range]")];

  function showSizes() {
    const box = find("sizes");
    box.replaceChildren();
    memory().config.regions.forEach((region, index) => {
      const id = `size-${index}`, name = memory().pool ? "Pool" : memory().regions[index];
      const slider = HS.node("input", null, { type: "range", id, min: Math.max(STEP * 64, Math.floor(region.size / 4 / STEP) * STEP), max: Math.ceil((region.size * 2) / STEP) * STEP, step: STEP, name: id });
      slider.value = region.size;
      slider.dataset.whole = region.size;
      const stated = HS.node("output", null, { for: id });
      const say = () => {
        stated.textContent = `${number(size(slider, region))} B`;
        slider.setAttribute("aria-valuetext", stated.textContent);
      };
      slider.addEventListener("input", say);
      slider.say = say;
      say();
      const label = HS.node("label", name, { for: id });
      const row = HS.node("div");
      row.append(label, slider, stated);
      box.append(row);
    });
  }

  /* A slider that was not moved means the size itself, which need not be a multiple of its step. */
  function size(slider, region) {
    return Math.abs(Number(slider.value) - region.size) < STEP ? region.size : Number(slider.value);
  }

  function config() {
    const built = structuredClone(memory().config);
    const allocator = form.allocator.value;
    sliders().forEach((slider, index) => {
      built.regions[index].size = size(slider, built.regions[index]);
      if (allocator !== SAME) built.regions[index].allocator = allocator;
    });
    const need = Math.floor(Number(form.need.value));
    if (need > 0 && need <= 0xffffffff) built.needs = [{ size: need, caps: 0 }];
    if (placed.size > 0 && hasRoom()) place(built);
    return built;
  }

  /* ---- placement: a rule a region, for the tasks that were sent there ---- */
  const hasRoom = () => (memory().config.rules ?? []).length === 0 && memory().regions.length > 1;
  function place(built) {
    const regions = [...new Set(placed.values())];
    const used = BigInt.asUintN(64, ALL << BigInt(regions.length)); /* the rules above those in use are all set */
    built.rules = regions.map((region) => ({ size_min: 0, size_max: 0xffffffff, regions: 2 ** region, fallback: true }));
    built.rule_tasks = {
      names: [...placed].map(([index, region]) => ({ index, rules: used | (1n << BigInt(regions.indexOf(region))) })),
      others: used,
    };
    for (const name of ["rule_sites", "rule_heaps"]) built[name] = { names: [], others: ALL };
  }
  HS.explore.placedIn = (task) => (hasRoom() && placed.has(task) ? memory().regions[placed.get(task)] : null);
  function showPlacing(task) {
    const box = find("placing"), { to } = box;
    find("opened").querySelectorAll("[data-task]").forEach((one) => one.setAttribute("aria-pressed", String(Number(one.dataset.task) === task)));
    box.hidden = task === null;
    if (task === null) return;
    box.dataset.task = task;
    box.querySelector("span").textContent = hasRoom() ? `Place ${HS.explore.taskName(task)} in` : memory().regions.length > 1 ? "This memory has rules of placement of its own." : "A pool has one region: there is nothing to choose.";
    to.hidden = !hasRoom();
    const regions = memory().config.regions.map((region, index) => ({ region, index })).filter(({ region }) => !region.private_heap);
    to.replaceChildren(HS.node("option", "where its capabilities lead", { value: "" }), ...regions.map(({ index }) => HS.node("option", memory().regions[index], { value: index })));
    to.value = placed.has(task) ? String(placed.get(task)) : "";
  }
  find("placing").addEventListener("change", (one) => {
    const task = Number(find("placing").dataset.task);
    if (one.target.value === "") placed.delete(task);
    else placed.set(task, Number(one.target.value));
    HS.explore.showTasks();
    soon();
  });
  find("placing").addEventListener("submit", (one) => one.preventDefault());
  find("tasks").addEventListener("click", (one) => {
    const key = one.target.closest("[data-task]");
    if (key !== null) showPlacing(key.getAttribute("aria-pressed") === "true" ? null : Number(key.dataset.task));
  });

  const event = (value) => (value === NEVER || value === null ? "never" : `event ${number(value)}`);
  const ROWS = [
    ["failed requests", (f) => f.hs_lab_summary.failures, "down"],
    ["first failure", (f) => f.hs_lab_summary.first_failure_event, null],
    ["minimum free for malloc, bytes", (f) => f.hs_lab_capsets[0].minimum_free, "up"],
    ["at", (f) => f.hs_lab_capsets[0].minimum_free_event, null],
    ["largest block malloc could give, at its least", (f) => f.hs_lab_capsets[0].minimum_largest_allocatable, "up"],
    ["at", (f) => f.hs_lab_capsets[0].minimum_largest_event, null],
    ["peak of live bytes", (f) => f.hs_lab_summary.live_peak, null],
    ["events after which the need would not fit", (f) => f.hs_lab_needs[0]?.short_events ?? null, "down"],
  ];

  function showFigures(now, so) {
    const rows = ROWS.map(([name, of, better]) => {
      const [was, is] = [of(base.figures), of(now)];
      const row = HS.node("tr");
      const text = (value) => (value === null ? "not asked" : better === null && /^(at|first)/.test(name) ? event(value) : number(value));
      const tone = so !== undefined || better === null || was === null || is === null || was === is ? "" : (is > was) === (better === "up") ? " better" : " worse";
      row.append(HS.node("td", name), HS.node("td", text(was), { class: "number" }), HS.node("td", text(is) + (so ?? ""), { class: `number${tone}` }));
      return row;
    });
    find("figures").replaceChildren(...rows);
  }

  function sentence(figures) {
    const { failures, results, first_failure_event: first } = figures.hs_lab_summary;
    const least = figures.hs_lab_capsets[0];
    const rest = ` At least ${number(least.minimum_free)} B were free for malloc, and the largest block was never below ${number(least.minimum_largest_allocatable)} B.`;
    if (failures === 0) return `No request fails of ${number(results)}.${rest}`;
    return `${number(failures)} of ${number(results)} requests ${failures === 1 ? "fails" : "fail"}, the first at event ${number(first)}.${rest}`;
  }

  /* Every event is replayed, and what is reported on the way is true of the events so far: the figures from the first
     moment on, the picture soon after. */
  async function run() {
    const mine = ++wanted, bar = find("progress");
    const own = config(), on = memory();
    bar.hidden = false;
    bar.value = 0;
    HS.explore.filterRegions(on);
    const progress = ({ share, coarse, part }) => {
      if (mine !== wanted) return;
      bar.value = share;
      const drawn = part === undefined ? "" : ` The picture shows the first ${number(part.picture.events)} events.`;
      find("says").textContent = `Replaying: ${Math.floor(100 * share)} %, ${number(coarse.hs_lab_summary.failures)} requests failed so far.${drawn}`;
      if (base !== null) showFigures(coarse, " so far");
      if (part === undefined) return;
      HS.explore.show({ ...part, partial: true, config: own, memory: on });
      heard();
    };
    try {
      const whole = await HS.ask("replay", { config: own, blocks: true, picture: await HS.explore.wish() }, progress);
      if (mine !== wanted || whole.ended) return;
      base ??= { figures: whole.figures };
      HS.explore.last = whole.figures;
      showFigures(whole.figures);
      find("says").textContent = HS.explore.said = sentence(whole.figures);
      bar.hidden = true;
      HS.explore.show({ ...whole, partial: false, config: own, memory: on });
      document.documentElement.dataset.replayed = String(mine);
      heard();
    } catch (error) {
      if (mine !== wanted) return;
      heard();
      HS.pictured?.(); /* there is none to wait for */
      bar.hidden = true;
      const where = error.region === null || error.region === undefined ? "" : ` The region at fault is ${on.regions[error.region]}: its allocator refuses this size or cannot be there.`;
      find("says").textContent = `${error.message}${where} Choose another memory, size or allocator.`;
    }
  }

  /* While one drags, the next replay begins as soon as the one before has shown a picture. */
  function soon() {
    requested = true;
    if (!answered || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      requested = answered = false;
      HS.explore.store();
      run();
    }, 0);
  }
  function heard() {
    answered = true;
    if (requested) soon();
  }

  HS.explore.begin = () => {
    base = null;
    form.memory.replaceChildren(...HS.memories.map((one) => HS.node("option", one.name)));
    form.allocator.replaceChildren(HS.node("option", SAME), ...HS.allocators.map((one) => HS.node("option", one)));
    const stored = HS.explore.stored();
    form.memory.selectedIndex = Math.max(0, HS.memories.findIndex((one) => one.name === stored.memory));
    showSizes();
    HS.explore.filterRegions(memory(), stored.region ?? "");
    const regions = memory().config.regions, pairs = (stored.place ?? "").split(",").map((pair) => pair.split(":").map(Number));
    placed = new Map(pairs.filter(([task, region]) => Number.isInteger(task) && HS.opened.tasks[task] !== undefined && regions[region] !== undefined && !regions[region].private_heap));
    showPlacing(null);
    HS.explore.showTasks();
    form.allocator.value = HS.allocators.includes(stored.allocator) ? stored.allocator : SAME;
    form.need.value = Math.min(4294967295, Math.max(0, Math.floor(Number(stored.need)) || memory().config.needs?.[0]?.size || 0));
    (stored.sizes ?? "").split(",").forEach((value, index) => {
      const slider = sliders()[index];
      if (slider !== undefined && Number(value) > 0) slider.value = Number(value);
      slider?.say();
    });
    return run();
  };
  HS.explore.choice = () => ({
    memory: memory().name,
    allocator: form.allocator.value === SAME ? "" : form.allocator.value,
    need: form.need.value === "0" ? "" : form.need.value,
    place: [...placed].map((pair) => pair.join(":")).join(","),
    sizes: sliders().some((one, i) => size(one, memory().config.regions[i]) !== memory().config.regions[i].size) ? sliders().map((one) => one.value).join(",") : "",
  });

  form.addEventListener("submit", (one) => one.preventDefault());
  form.addEventListener("input", (one) => {
    if (one.target.name === "memory") {
      placed.clear();
      showSizes();
      showPlacing(null);
      HS.explore.showTasks();
    }
    soon();
  });
  root.addEventListener("click", (one) => {
    if (one.target.dataset.do === "reset") {
      form.allocator.value = SAME;
      placed.clear();
      showSizes();
      showPlacing(null);
      HS.explore.showTasks();
      soon();
    }
    if (one.target.dataset.do === "base") {
      base = { figures: HS.explore.last };
      showFigures(HS.explore.last);
    }
  });
})();
