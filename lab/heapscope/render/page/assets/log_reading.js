/* A device's log: the facts that the engine finds in its lines, added up as heapscope/logs does it on the desk. The
   names of the classes are those of the Python files, and a test compares what both find. This file runs in a worker. */
"use strict";

const LOG_FIGURES = ["free", "largest", "min", "total", "used", "peak"];
const or = (value, other) => (value === null || value === undefined ? other : value);

/* A fact with null in place of what its line does not tell. */
function logFact(row, { kinds, memories, told: reported, flags }) {
  const fact = { ...row, kind: kinds[row.kind], memory: memories[row.memory] };
  for (const [name, bit] of Object.entries(reported)) if ((row.told & bit) === 0) fact[name] = null;
  for (const name of ["uptime", "before", "clock"]) if (fact[name] < 0) fact[name] = null;
  for (const [name, bit] of Object.entries(flags)) fact[name] = (row.flags & bit) !== 0;
  return fact;
}

/* ---- the starts of the program: memory/layout/uptimes.py and memory/layout/program_starts.py ---- */
class Uptimes {
  constructor() {
    Object.assign(this, { two_devices: false, lasts: [], current: 0, switches: 0 });
  }
  restarts(uptime) {
    const { lasts } = this, back = 1000;
    if (lasts.length === 1 && uptime + back >= lasts[0]) return (lasts[0] = uptime), false;
    let index = -1;
    lasts.forEach((last, i) => {
      if (uptime + back >= last && (index < 0 || uptime - last < uptime - lasts[index])) index = i;
    });
    if (index < 0) {
      this.lasts = [...lasts.slice(-1), uptime];
      this.current = this.lasts.length - 1;
      this.switches = 0;
      return this.lasts.length > 1;
    }
    this.switches += index !== this.current;
    this.current = index;
    lasts[index] = uptime;
    this.two_devices ||= this.switches >= 3;
    return false;
  }
}

const START = { chip: "", idf: "", framework: "", framework_version: "", app_idf: false, reset: "", regions: [], cut_line: null, psram_pools: [], facts: 0 };
const LOG_CHIPS = ["esp32c61", "esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32h2", "esp32p4", "esp32s2", "esp32s3", "esp8266", "esp32"];
const QUIET_KINDS = ["chip_revision", "app", "project", "cores", "cpu_clock", "boot_end", "new_heap", "psram_found", "psram_mapped", "dma_reserve", "range_free", "range_reserved"];

class ProgramStarts {
  constructor() {
    this.current = { ...structuredClone(START), number: 1 };
    Object.assign(this, { listed: null, mixed: null, uptimes: new Uptimes(), ended: false });
  }
  known() { return this.listed !== null && this.listed !== this.current ? [this.listed, this.current] : [this.current]; }
  told(name) { return this.known().map((boot) => boot[name]).filter((one) => one !== "").at(-1) ?? ""; }

  take(fact) {
    const { uptime, kind } = fact;
    if (uptime !== null && this.uptimes.restarts(uptime) && this.current.facts > 0) this.begin();
    if (this[`_${kind}`] !== undefined) this[`_${kind}`](fact);
    else if (!QUIET_KINDS.includes(kind)) this.current.facts++;
  }
  begin() {
    const old = this.current;
    if (old.facts > 0 || old.regions.length > 0 || old.reset !== "") {
      const { number, chip, idf, framework, framework_version } = old;
      this.current = { ...structuredClone(START), number: number + 1, chip, idf, framework, framework_version };
    }
    this.ended = false;
  }
  _reset(fact) {
    if (!(this.ended && this.current.reset === "" && this.current.regions.length === 0)) this.begin();
    this.current.reset = fact.name || "?";
    this.ended = false;
  }
  _restart(fact) { if (fact.name === "") this.ended = true; }
  _chip(fact) {
    if (fact.text === "ROM") {
      this.begin();
      this.ended = true;
    }
    const name = fact.name.toLowerCase().replaceAll("-", "");
    if (!name.startsWith("esp")) return;
    this.current.chip = name.split("api")[0] === "esp8684" ? "esp32c2" : (LOG_CHIPS.find((chip) => name.startsWith(chip)) ?? name);
  }
  _idf(fact) {
    const loader = fact.text === "loader", { current } = this;
    if ((this.ended && current.facts > 0) || (loader && current.regions.length > 0)) this.begin();
    if (!(loader && this.current.app_idf)) Object.assign(this.current, { idf: fact.name, app_idf: !loader });
  }
  _framework(fact) { Object.assign(this.current, { framework: fact.name, framework_version: fact.text }); }
  _boot_begin() { if (this.current.regions.length > 0) this.begin(); }
  _boot_region(fact) {
    if (fact.cut) return void (this.current.cut_line = fact.line);
    if (fact.address === null || fact.size === null || this.repeated(fact)) return;
    if (this.current.regions.length < 64) this.current.regions.push({ address: fact.address, size: fact.size, name: fact.name, line: fact.line });
    this.listed = this.current;
  }
  repeated(fact) {
    const { regions } = this.current, same = regions.find((one) => one.address === fact.address);
    if (same === undefined) return false;
    if (same.size === fact.size) return true;
    if (same === regions[0] && regions.length > 1) return this.begin(), false;
    this.mixed = this.current;
    return true;
  }
  _psram_pool(fact) { if (fact.size !== null && this.current.psram_pools.length < 64) this.current.psram_pools.push(fact.size); }
}

/* ---- heap summaries: logs/reader/summaries.py ---- */
const logCount = (value) => (value !== null && value >= 0 && value < 2 ** 32 ? value : null);
const PLAIN_CAPS = 4 | 2 | 2048 | 4096;

class PrintedSummaries {
  constructor() { Object.assign(this, { count: 0, kept: [], open: null }); }

  /* The last one that tells most of what malloc takes. */
  get last() {
    let best = null;
    const rank = (one) => [one.totals !== null && one.caps !== null, one.caps !== null && (one.caps & ~PLAIN_CAPS) === 0].reduce((sum, is) => 2 * sum + is, 0);
    for (const one of this.kept) if (one.regions.length > 0 && !one.mixed && (best === null || rank(one) >= rank(best))) best = one;
    return best;
  }
  take(fact) { this[fact.kind]?.(fact); }
  begin(fact) {
    this.count++;
    this.open = { number: this.count, line: fact.line, caps: null, uptime: fact.before, mixed: false, regions: [], totals: null, torn: false };
    this.kept.push(this.open);
    if (this.kept.length > 2000) this.kept.shift();
    return this.open;
  }
  current(fact) {
    const result = this.open ?? this.begin(fact);
    result.torn ||= fact.cut;
    return result;
  }
  summary(fact) { this.begin(fact).caps = fact.caps; }
  region(fact) {
    const same = this.open?.regions ?? [];
    if (same.some((one) => one.address === fact.address)) {
      if (same.at(-1).address === fact.address && same.at(-1).largest === null) this.open.mixed = true;
      else this.open = null;
    }
    const { regions } = this.current(fact), { address, size, line } = fact;
    if (regions.length < 64 && address !== null && size) {
      regions.push({ address, size, line, free: logCount(fact.free), used: logCount(fact.used), min: logCount(fact.min), largest: logCount(fact.largest), used_blocks: null, free_blocks: null, whole: !fact.cut });
    }
  }
  region_more(fact) {
    const region = this.current(fact).regions.at(-1);
    if (region === undefined || region.largest !== null) return;
    Object.assign(region, { largest: logCount(fact.largest), used_blocks: fact.count, free_blocks: fact.free_count });
    region.whole &&= !fact.cut && fact.count !== null;
  }
  totals(fact) {
    this.current(fact).totals = Object.fromEntries(["free", "used", "min", "largest"].map((name) => [name, logCount(fact[name])]));
    this.open = null;
  }
  static figure(summary, name) {
    const reported = summary.totals?.[name] ?? null;
    if (reported !== null) return reported;
    const parts = summary.regions.map((one) => one[name]);
    if (parts.length === 0 || parts.includes(null)) return null;
    return parts.reduce((one, other) => (name === "largest" ? Math.max(one, other) : one + other));
  }
}

/* ---- figures in a program's own words: logs/reader/figures.py ---- */
class LoggedFigures {
  constructor() { Object.assign(this, { series: new Map(), invalid: 0, largest_words: "", arduino: false, rounded: 1 }); }
  find(memory, name) { return this.series.get(`${memory} ${name}`); }
  last(memory, name) { return this.find(memory, name)?.last.value ?? null; }
  take(fact, boot) {
    if (fact.size && fact.kind === "figures") this.countBlocks(fact);
    for (const name of LOG_FIGURES) {
      const value = fact[name];
      if (value === null) continue;
      if (value < 0 || [0xaa, 0xfe].includes(Math.floor(value / 2 ** 24)) || value >= 2 ** 32) this.invalid++;
      else this.add(fact.memory, name, { value, line: fact.line, uptime: fact.uptime, clock: fact.clock, boot });
    }
    if (fact.largest !== null) this.largest_words = fact.quote;
    this.rounded = Math.max(this.rounded, fact.unit);
    this.arduino ||= fact.arduino;
  }
  add(memory, name, figure) {
    let result = this.find(memory, name);
    if (result === undefined) {
      result = { memory, name, first: figure, last: figure, least: figure, most: figure, count: 0 };
      this.series.set(`${memory} ${name}`, result);
    }
    if (figure.line !== result.last.line) result.before = result.last;
    if (result.lowest === undefined || result.lowest.boot !== figure.boot || figure.value < result.lowest.value) result.lowest = figure;
    result.last = figure;
    if (figure.value < result.least.value) result.least = figure;
    if (figure.value > result.most.value) result.most = figure;
    result.count++;
  }
  /* The size of the blocks that the figures just above are counted in. */
  countBlocks(fact) {
    for (const one of this.series.values()) if (one.memory === fact.memory && fact.line - one.last.line <= 8) {
      const [counted, whole] = [one.last, { ...one.last, value: one.last.value * fact.size }];
      for (const name of ["first", "last", "least", "most", "lowest"]) if (one[name] === counted) one[name] = whole;
    }
  }
  ofMoment(moment, memory, name) {
    const [one, free] = [this.find(memory, name)?.last, this.find(memory, "free")];
    if (one === undefined) return undefined;
    const stale = free?.before !== undefined && one.line <= free.before.line && one.line !== moment.line;
    return !stale && isMoment(one, moment) ? one : undefined;
  }
}

/* Can both have been printed at one moment? */
function isMoment(one, other) {
  if (one.boot !== other.boot) return false;
  for (const clock of ["uptime", "clock"]) if (one[clock] !== null && other[clock] !== null) return Math.abs(one[clock] - other[clock]) <= 15000;
  return Math.abs(one.line - other.line) <= 12;
}

/* ---- reports, tuples, other systems, dumps: logs/reader/systems.py, python_heap.py, blocks.py ---- */
class OtherStates {
  constructor() { Object.assign(this, { reports: new Map(), open: null, form: "tizen", tuples: [], dump: null, python: { free: null, mem_free: null }, told: {}, foreign: "" }); }

  report(fact) {
    const form = { arduino: "arduino_report", "machine.heap_info": "mpy_lobo" }[fact.text];
    this.open = null;
    if (form !== undefined) this.begin(fact.name, fact, (this.form = form));
  }
  begin(name, fact) {
    this.open = { form: this.form, last_line: fact.line };
    if (this.reports.size < 16 || this.reports.has(name)) this.reports.set(name, this.open);
  }
  report_line(fact) {
    const reported = LOG_FIGURES.filter((name) => fact[name] !== null);
    if (this.open === null || reported.some((name) => this.open[name] !== undefined) || fact.line - this.open.last_line > 12) this.begin(this.reports.keys().next().value ?? "", fact);
    for (const name of reported) this.open[name] = fact[name];
    this.open.last_line = fact.line;
  }
  get lastReport() {
    const result = [...this.reports].filter(([name]) => name !== "SPIRAM" && name !== "PSRAM");
    return result[0]?.[1] ?? this.reports.values().next().value ?? null;
  }
  tuple(fact) {
    if (this.tuples.length > 0 && fact.line > this.tuples.at(-1).line + 1) this.tuples = [];
    if (this.tuples.length < 64) this.tuples.push({ free: or(fact.free, 0), largest: or(fact.largest, 0), min: or(fact.min, 0), line: fact.line });
  }
  block(fact) {
    if (fact.kind === "dump" || this.dump === null) this.dump = { free: 0, largest: null };
    if (fact.kind === "block_free" && fact.address !== null && fact.size !== null) {
      this.dump.free += fact.size;
      this.dump.largest = Math.max(or(this.dump.largest, 0), fact.size);
    }
  }
  meminfo(fact) { this.python.free = fact.free; }

  /* The figures of the last state that another system told. */
  system(fact) {
    const keep = (...names) => {
      for (const name of names) this.told[name] = fact[name];
    };
    if (fact.kind === "nuttx_free" && (fact.name === "Umem" || this.umem === undefined)) {
      this.umem = true;
      keep("total", "used", "free", "largest", "peak");
    } else if (fact.kind === "tasmota") {
      if (fact.name !== "PSRAM" && fact.free !== null) this.told.free_kb = Math.floor(fact.free / 1024);
    } else if (fact.kind === "zephyr_heap") this.chunks = [];
    else if (fact.kind === "zephyr_chunk" && fact.name.includes("-")) {
      this.chunks?.push(or(fact.size, 0));
      if (this.chunks?.length > 0) this.told.largest = Math.max(this.chunks.reduce((one, other) => Math.max(one, other)) * 8 - 4, 0);
    } else if (fact.kind === "lvgl") keep("used", "largest");
    else if (fact.kind === "ovms") keep("free", "total");
    else if (fact.text === "px4") {
      keep("peak");
      Object.assign(this.told, { total: or(fact.total, 0), used: or(fact.used, 0), free: or(fact.total, 0) - or(fact.used, 0) });
    }
  }
}
