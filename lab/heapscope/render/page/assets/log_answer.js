/* What the facts of a log come to: the requests that failed, the last state, and sentences about both. The names are
   those of heapscope/logs. This file runs in a worker. */
"use strict";

const plain = (value) => value.toLocaleString("en-US");
const bytesOf = (value) => `${plain(value)} B`;
const several = (value, noun) => `${plain(value)} ${noun}${value === 1 ? "" : "s"}`;

/* The requests that failed, by the engine's rows; null: not told. */
function failedRows(engine, failures) {
  const reported = (value) => (value < 0 ? null : value);
  return engine.figures("hs_lab_log_failed", failures).map(({ who, how, first, last, count, size, caps, uptime, memory }) => (
    { who, how, line: first, last, count, size: reported(size), caps: reported(caps), uptime_ms: reported(uptime), memory: memory !== 0 }));
}

/* ---- logs/reader/reading.py ---- */
const TAKERS = {
  summary: "summaries", region: "summaries", region_more: "summaries", totals: "summaries",
  report: "report", report_line: "report_line", tuple: "tuple", dump: "block", block_used: "block", block_free: "block",
  meminfo: "meminfo", nuttx_free: "system", zephyr_heap: "system", zephyr_chunk: "system", lvgl: "system", ovms: "system", tasmota: "system",
};
/* Kinds that the command alone adds up. */
const DESK = ["task", "task_caps", "task_heap", "task_block", "ovms_task", "nuttx_task", "trace", "trace_record", "trace_left", "trace_totals", "allocated", "freed", "sysview_leaks", "meminfo_more", "nuttx_heap"];

class LogReading {
  constructor() {
    Object.assign(this, { boots: new ProgramStarts(), summaries: new PrintedSummaries(), figures: new LoggedFigures(), failed: [], others: new OtherStates(), corrupt: [], corrupt_count: 0, unread: 0, desk: 0, facts: 0 });
  }
  take(fact) {
    const { kind } = fact;
    if (kind === "frame" || kind === "more") return;
    if (kind === "unread") return void this.unread++;
    this.facts++;
    this.boots.take(fact);
    if (DESK.includes(kind)) this.desk++;
    if (kind === "figures") this.words(fact);
    else if (kind === "wifi_buffer") this.figures.take({ ...fact, memory: "wifi" }, this.boots.current.number);
    else if (kind === "corrupt") {
      this.corrupt_count++;
      if (this.corrupt.length < 64) this.corrupt.push({ line: fact.line, quote: fact.quote });
    } else if (TAKERS[kind] === "summaries") this.summaries.take(fact);
    else if (TAKERS[kind] !== undefined) this.others[TAKERS[kind]](fact);
  }
  words(fact) {
    const { others } = this;
    if (["px4", "optee", "mbed"].includes(fact.text)) others.system(fact);
    else if (fact.memory === "python" || (this.boots.current.framework === "CircuitPython" && fact.memory === "any")) others.python.mem_free = or(fact.free, others.python.mem_free);
    else if (others.lastReport?.form === "mpy_lobo") others.report_line(fact);
    else this.figures.take(fact, this.boots.current.number);
  }
}

/* ---- logs/reader/primary.py and logs/answer/answer.py ---- */
const MEMORIES = ["any", "default", "8bit", "internal", "dram", "dma", "32bit", "wifi"];
const UNTOUCHED = [110592, 113792].flatMap((size) => [size, size - 12]);

function primaryFigures(figures) {
  const memory = MEMORIES.find((one) => ["free", "largest", "min"].some((name) => figures.find(one, name) !== undefined));
  if (memory === undefined || memory === "wifi") return {};
  const memories = memory === "any" ? ["any", "default", "8bit", "internal", "dram"] : [memory];
  const [one, other] = [figures.find("any", "free"), figures.find("internal", "free")];
  let free = figures.last(memory, "free");
  let moment = (figures.find(memory, "free") ?? figures.find(memory, "largest") ?? figures.find(memory, "min")).last;
  if (memory === "any" && one !== undefined && other !== undefined && figures.find("spiram", "free") === undefined) {
    const [low, high] = [one.last.value, other.last.value].sort((a, b) => a - b);
    if (figures.arduino && high - low <= 0.2 * high) {
      moment = other.last.line >= one.last.line ? other.last : one.last;
      free = moment.value;
    }
  }
  let largest = memories.map((name) => figures.ofMoment(moment, name, "largest")).find((block) => block !== undefined)?.value ?? null;
  let min = memories.map((name) => figures.last(name, "min")).find((least) => least !== null) ?? null;
  const lowest = figures.find(memory, "free")?.lowest;
  if (min !== null && lowest !== undefined && min >= lowest.value + figures.rounded) min = null;
  if (largest !== null && free !== null && largest < 65536 && figures.largest_words.toLowerCase().includes("max") && UNTOUCHED.includes(largest + 65536) && largest + 65536 <= free) largest += 65536;
  return { free, largest, min, total: figures.last(memory, "total"), used: figures.last(memory, "used"), peak: figures.last(memory, "peak") };
}

/* The last state: figures in words, those of another system, then the form that tells most. */
function lastState(reading) {
  const { others } = reading, summary = reading.summaries.last, report = others.lastReport;
  const state = { free_internal: reading.figures.last("internal", "free"), ...primaryFigures(reading.figures), ...others.told };
  const torn = summary !== null && summary.caps === null && summary.totals === null && summary.torn;
  if (summary !== null && !torn) {
    for (const name of ["free", "largest", "min"]) state[name] = PrintedSummaries.figure(summary, name);
    Object.assign(state, { regions: summary.regions.length, cut: summary.totals === null });
  } else if (summary !== null) return state;
  else if (others.tuples.length > 0) {
    const sum = (name) => others.tuples.reduce((total, one) => total + one[name], 0);
    Object.assign(state, { regions: others.tuples.length, free: sum("free"), min: sum("min"), largest: others.tuples.map((one) => one.largest).reduce((one, other) => Math.max(one, other)) });
  } else if (report !== null) for (const name of LOG_FIGURES) state[name] = report[name] ?? null;
  else if (others.dump !== null) Object.assign(state, { free: others.dump.free, largest: others.dump.largest });
  return state;
}

function* sentences(reading, state, capabilities) {
  if (reading.corrupt_count > 0) yield `${several(reading.corrupt_count, "line")} of the log ${reading.corrupt_count === 1 ? "says" : "say"} that the heap is damaged; the first is line ${plain(reading.corrupt[0].line)}: ${reading.corrupt[0].quote}`;
  const { failed } = reading;
  for (const one of failed.slice(0, 3)) {
    const by = one.who === "" ? "" : one.size === null ? ` of ${one.who}` : ` by ${one.who}`;
    const what = one.size === null ? `A request${by}` : `A request of ${bytesOf(one.size)}${by}`;
    const caps = one.caps === null ? "" : ` with ${capabilities(one.caps)}`;
    const times = one.count === 1 ? "" : ` ${plain(one.count)} times`;
    const cause = one.memory ? (one.size === null ? ", its size is unknown" : "") : ", for another reason than memory";
    yield `${what}${caps} failed${times}${cause} (${one.count === 1 ? "" : "first on "}line ${plain(one.line)}).`;
  }
  if (failed.length > 3) yield `${several(failed.length - 3, "other kind")} of request failed too.`;
  if (reading.figures.invalid > 0) yield "Its figures cannot be believed: the heap could not read its own words.";
  const rounded = reading.figures.rounded > 1 && reading.summaries.last === null && reading.others.lastReport === null;
  const size = (value) => `${rounded ? "about " : ""}${bytesOf(value)}`, parts = [], has = (name) => or(state[name], null) !== null;
  if (has("free")) parts.push(`${size(state.free)} are free`);
  else if (has("free_kb")) parts.push(`${plain(state.free_kb)} KB are free`);
  else if (has("free_internal")) parts.push(`${size(state.free_internal)} of internal memory are free`);
  if (has("total")) parts.push(parts.length > 0 ? `of ${size(state.total)}` : `the heap has ${size(state.total)}`);
  if (has("largest")) parts.push(`the largest free block is ${size(state.largest)}`);
  if (has("min")) parts.push(`the minimum was ${size(state.min)}`);
  if (parts.length > 0) yield `${state.cut ? `In the ${several(state.regions, "region")} that a cut summary shows` : "In the last state"}: ${parts.join(", ")}.`;
  const python = reading.others.python.free ?? reading.others.python.mem_free;
  if (python !== null) yield `The heap of Python's collector has ${bytesOf(python)} free.`;
  const boot = reading.boots.listed;
  if (boot !== null && boot.regions.length > 0 && boot !== reading.boots.mixed) {
    const pools = reading.boots.known().map((one) => one.psram_pools).filter((one) => one.length > 0).at(-1);
    const sum = (sizes) => sizes.reduce((one, other) => one + other, 0);
    yield `At the start the heap got${boot.cut_line === null ? "" : " at least"} ${bytesOf(sum(boot.regions.map((one) => one.size)))} in ${several(boot.regions.length, "region")}${pools === undefined ? "" : `, and ${bytesOf(sum(pools))} of PSRAM`}.`;
  }
  if (reading.facts > 0 && parts.length === 0 && failed.length === 0 && boot === null && python === null) yield "No line that this page understands tells of a heap's state.";
}

/* Reads a log with the engine; null: not one line of it tells anything of a heap. */
function readLog(engine, face, bytes) {
  const { calls } = engine, log = calls.hs_lab_log_new(), failures = calls.hs_lab_log_failures_new(), room = engine.take(Reader.PIECE);
  if (log === 0 || failures === 0) throw new Error("The page has no memory left.");
  const width = engine.width("hs_lab_log_fact"), most = 64, rows = engine.take(width * most), reading = new LogReading();
  const drain = () => {
    for (let count; (count = calls.hs_lab_log_take(log, rows, most) >>> 0) > 0; ) {
      for (let at = rows; at < rows + count * width; at += width) {
        reading.take(logFact(engine.read("hs_lab_log_fact", at), face.log));
        calls.hs_lab_log_failures_take(failures, at);
      }
    }
  };
  for (let from = 0; from < bytes.length; from += Reader.PIECE) {
    const part = bytes.subarray(from, from + Reader.PIECE);
    engine.bytes(room, part.length).set(part);
    for (let taken = 0; taken < part.length; drain()) taken += calls.hs_lab_log_push(log, room + taken, part.length - taken) >>> 0;
  }
  calls.hs_lab_log_flush(log);
  drain();
  const lines = Number(calls.hs_lab_log_lines(log));
  reading.failed = failedRows(engine, failures);
  calls.hs_lab_log_failures_delete(failures);
  calls.hs_lab_log_delete(log);
  calls.free(room);
  calls.free(rows);
  if (reading.facts === 0) return null;
  const state = lastState(reading), summary = reading.summaries.last, { boots } = reading;
  const capabilities = (bits) => {
    const names = Object.entries(face.capabilities).filter(([, bit]) => bits & bit).map(([name]) => name);
    const rest = Object.values(face.capabilities).reduce((left, bit) => left & ~bit, bits) >>> 0;
    return [...names, ...(rest === 0 ? [] : [`0x${rest.toString(16)}`])].join("|") || "0";
  };
  return {
    lines, boots: boots.current.number, chip: boots.told("chip"), idf: boots.told("idf"), framework: `${boots.told("framework")} ${boots.told("framework_version")}`.trim(),
    two_devices: boots.uptimes.two_devices,
    state: Object.fromEntries([...LOG_FIGURES, "regions"].map((name) => [name, or(state[name], null)])),
    sentences: [...sentences(reading, state, capabilities)],
    failed: reading.failed.map((one) => ({ ...one, capabilities: one.caps === null ? "" : capabilities(one.caps) })),
    regions: summary === null ? [] : summary.regions,
    summary_count: reading.summaries.count,
    summary: summary === null ? null : { line: summary.line, free: PrintedSummaries.figure(summary, "free"), min: PrintedSummaries.figure(summary, "min"), largest: PrintedSummaries.figure(summary, "largest"), complete: summary.totals !== null && summary.caps !== null },
    figures: [...reading.figures.series.values()].map((one) => ({ memory: one.memory, name: one.name, first: one.first.value, last: one.last.value, least: one.least.value, most: one.most.value, count: one.count, line: one.last.line })),
    boot: boots.listed === null ? [] : boots.listed.regions,
    unread: reading.unread, desk: reading.desk,
  };
}
