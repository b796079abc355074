/* A device's log: the facts that the engine reads in its lines and the requests that failed, as the engine has them.
   Nothing is concluded here: the command `heapscope log` does that. This file runs in a worker. */
"use strict";

const plain = (value) => value.toLocaleString("en-US");
const bytesOf = (value) => `${plain(value)} B`;
const several = (value, noun) => `${plain(value)} ${noun}${value === 1 ? "" : "s"}`;

function capsText(bits, known) {
  const names = Object.entries(known).filter(([, bit]) => bits & bit).map(([name]) => name);
  const rest = Object.values(known).reduce((left, bit) => left & ~bit, bits) >>> 0;
  return [...names, ...(rest === 0 ? [] : [`0x${rest.toString(16)}`])].join("|") || "0";
}

/* The kinds of facts that state how much of a memory is free, and those that name memory of the start. */
const STATES = ["figures", "region", "region_more", "totals", "report_line", "tuple", "meminfo", "nuttx_free", "tasmota", "wifi_buffer"];
const STARTS = ["boot_region", "psram_pool"];
const SILENT = ["frame", "more", "unread", "sample"]; /* they state nothing of a heap by themselves */
const ROWS = 500; /* of each table: the last ones */

/* A fact with null in place of a number that its line does not state. */
function logFact(row, { kinds, memories, has: reported, flags }) {
  const fact = { ...row, kind: kinds[row.kind], memory: memories[row.memory] };
  for (const [name, bit] of Object.entries(reported)) if ((row.has & bit) === 0) fact[name] = null;
  for (const [name, bit] of Object.entries(flags)) fact[name] = (row.flags & bit) !== 0;
  return fact;
}

class LogFacts {
  constructor() { Object.assign(this, { facts: 0, others: 0, unread: 0, states: [], states_count: 0, starts: [], starts_count: 0, free: null, chip: null, idf: null, corrupt: null, corrupt_count: 0 }); }

  take(fact) {
    const { kind } = fact;
    this.unread += kind === "unread";
    if (SILENT.includes(kind)) return;
    this.facts++;
    if (STATES.includes(kind)) this.keep("states", fact);
    else if (STARTS.includes(kind)) this.keep("starts", fact);
    else if (kind === "corrupt") {
      this.corrupt ??= fact;
      this.corrupt_count++;
    } else if (kind === "chip" || kind === "idf") this[kind] = fact;
    else this.others++;
  }
  keep(name, fact) {
    if (fact.free !== null && fact.kind !== "region") this.free = fact;
    this[`${name}_count`]++;
    this[name].push(fact);
    if (this[name].length > ROWS) this[name].shift();
  }

  /* One sentence for each of the weightiest facts. */
  *sentences(failed) {
    if (this.corrupt !== null) yield `${several(this.corrupt_count, "line")} of the log ${this.corrupt_count === 1 ? "says" : "say"} that the heap is damaged; the first is line ${plain(this.corrupt.line)}: ${this.corrupt.quote}`;
    for (const one of failed.slice(0, 3)) {
      const by = one.who === "" ? "" : ` by ${one.who}`, size = one.size === null ? "" : ` of ${bytesOf(one.size)}`;
      const caps = one.capabilities === "" ? "" : ` with ${one.capabilities}`, times = one.count === 1 ? "" : ` ${plain(one.count)} times`;
      const cause = one.memory ? (one.size === null ? ", its size is unknown" : "") : ", for another reason than memory";
      yield `A request${size}${by}${caps} failed${times}${cause} (${one.count === 1 ? "" : "first on "}line ${plain(one.line)}).`;
    }
    if (failed.length > 3) yield `${several(failed.length - 3, "other kind")} of request failed too.`;
    if (this.free !== null) yield `The last line that states free memory is line ${plain(this.free.line)}: ${this.free.quote}`;
  }
}

/* The requests that failed, by the engine's rows; null: not stated. */
function failedRows(engine, failures) {
  const reported = (value) => (value < 0 ? null : value);
  return engine.figures("hs_lab_log_failed", failures).map(({ who, how, first, last, count, size, caps, uptime, memory }) => (
    { who, how, line: first, last, count, size: reported(size), capabilities: caps < 0 ? "" : capsText(caps, engine.face.capabilities), uptime_ms: reported(uptime), memory: memory !== 0 }));
}

/* Reads a log with the engine; null: not one line of it states anything of a heap. */
function readLog(engine, bytes) {
  const { calls } = engine, log = calls.hs_lab_log_new(), failures = calls.hs_lab_log_failures_new(), room = engine.take(Reader.PIECE);
  if (log === 0 || failures === 0) throw new Error("The page has no memory left.");
  const width = engine.width("hs_lab_log_fact"), most = 64, rows = engine.take(width * most), read = new LogFacts();
  const drain = () => {
    for (let count; (count = calls.hs_lab_log_take(log, rows, most) >>> 0) > 0; ) {
      for (let at = rows; at < rows + count * width; at += width) {
        read.take(logFact(engine.read("hs_lab_log_fact", at), engine.face.log));
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
  const lines = Number(calls.hs_lab_log_lines(log)), failed = failedRows(engine, failures);
  calls.hs_lab_log_failures_delete(failures);
  calls.hs_lab_log_delete(log);
  calls.free(room);
  calls.free(rows);
  return read.facts === 0 ? null : { ...read, lines, failed, sentences: [...read.sentences(failed)] };
}
