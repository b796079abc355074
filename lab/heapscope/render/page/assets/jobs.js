/* The worker: it holds a trace and the engine, and answers the page. A later replay ends an earlier one. */
"use strict";

/* Bytes that a file may have once it is unpacked: a small file must not fill the memory. */
const UNPACKED_MAX = 1 << 30;
const PERIOD = 20, TELLING = 100; /* ms that a newer job waits at most, and between two tellings of figures alone */
/* ms before the first picture; the next one waits so many times as long as it took, and as long as the replay ran. */
const FIRST = 20, SHARE = 4;
const NO_EVENTS = "There is no heap event in it that can be used.";
const SYNC = [0x48, 0x53, 0xc7, 0x9a];

/* `facts`: what the page says of its own trace, which the desk's census found. `blocks`: those of the replay that the page
   was shown last; `running`: the number of the last job that ends others. */
let engine = null, facts = null, trace = null, census = null, whole = false, blocks = null, running = 0;

/* Lets messages in. A timer of 0 ms takes 4. */
const { port1: far, port2: near } = new MessageChannel();
const breath = () => new Promise((resolve) => {
  near.onmessage = resolve;
  far.postMessage(null);
});
const starts = (bytes, magic) => magic.every((byte, i) => bytes[i] === byte);

async function unpacked(bytes, most = UNPACKED_MAX) {
  if (starts(bytes, [0x28, 0xb5, 0x2f, 0xfd])) return unzstd(bytes, most);
  if (!starts(bytes, [0x1f, 0x8b])) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error(`It has more than ${most.toLocaleString("en")} bytes when it is unpacked. This page opens no more.`);
    }
    parts.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/* Base64, as a page holds its trace. */
function decoded(text) {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)), PIECE = 1 << 16;
  for (let from = 0, at = 0; from < text.length; from += PIECE) {
    const part = atob(text.slice(from, from + PIECE));
    for (let i = 0; i < part.length; i++) out[at++] = part.charCodeAt(i);
  }
  return out;
}

function holdsTrace(bytes) {
  const most = Math.min(bytes.length - 3, 65536);
  for (let at = 0; at < most; at++) if (starts(bytes.subarray(at, at + 4), SYNC)) return true;
  return false;
}

/* The text of a recorder as a trace with these features, in pieces; `stats` says which features it lacks. */
function importedWith(form, features, bytes, room) {
  const { calls } = engine, parts = [];
  const text = calls.hs_lab_import_new(form, features);
  const drain = () => {
    for (let count; (count = calls.hs_lab_import_take(text, room, Reader.PIECE) >>> 0) > 0; ) parts.push(engine.bytes(room, count).slice());
  };
  let status = 0;
  for (let from = 0; from < bytes.length && status === 0; from += Reader.PIECE) {
    const part = bytes.subarray(from, from + Reader.PIECE);
    engine.bytes(room, part.length).set(part);
    status = calls.hs_lab_import_push(text, room, part.length);
    drain();
  }
  if (status === 0) status = calls.hs_lab_import_finish(text);
  drain();
  const at = engine.take(engine.width("hs_lab_import_stats"));
  calls.hs_lab_import_stats(text, at);
  const stats = engine.read("hs_lab_import_stats", at);
  calls.free(at);
  calls.hs_lab_import_delete(text);
  if (status !== 0 && stats.wanted === 0) throw new Error("The page has no memory left.");
  return { parts, stats };
}

/* Text of a recorder as a trace: hs_import_form_t by how it begins. Where a line needs a feature that the trace
 * has not, the import begins again with it. There are three. */
function imported(bytes) {
  const head = new TextDecoder().decode(bytes.subarray(0, 4096));
  const form = /^v [0-9a-f]+/.test(head) ? 1 : /^= Start|^@ .*:\[0x[0-9a-f]+\] [-+<>] 0x/.test(head) ? 2 : 0;
  const room = engine.take(Reader.PIECE);
  let features = 0, built = importedWith(form, features, bytes, room);
  while (built.stats.wanted !== 0) {
    features |= built.stats.wanted;
    built = importedWith(form, features, bytes, room);
  }
  engine.calls.free(room);
  const { parts, stats } = built;
  return { bytes: new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0)), parts, stats };
}

/* The trace that is replayed from now on, and what is known of it. */
function use(bytes, known) {
  const { census: figures, health } = known;
  if (figures.events === 0) throw new Error(NO_EVENTS);
  const { lost_chunks, malformed_chunks, skipped_bytes, lost_events, newer_chunks, next_trace, truncated, ended, stopped } = health;
  whole = lost_chunks + malformed_chunks + skipped_bytes + lost_events + newer_chunks === 0 && next_trace === NEVER && truncated === 0 && ended + stopped > 0;
  [trace, census] = [bytes, figures];
  keep(null);
  return known;
}

/* What a census finds in a trace; `stats`: of the text that it was made from. */
function about(bytes, stats) {
  const reader = new Reader(engine, null);
  try {
    reader.push(bytes);
    if (reader.finish() !== 0) throw new Error(NO_EVENTS);
    const [figures, health] = ["hs_lab_reader_census", "hs_lab_reader_health"].map((name) => engine.figures(name, reader.at));
    return { census: figures, health, stats, tasks: reader.names(0), marks: reader.names(1), sites: reader.names(2), metadata: reader.metadata() };
  } finally {
    reader.close();
  }
}

/* `text`: the page's own trace, of which it tells what a census would find, if it has not very many names. */
async function open(job) {
  if (job.text !== undefined) {
    const own = await unpacked(decoded(job.text));
    return use(own, facts ?? about(own, null));
  }
  let bytes = await unpacked(new Uint8Array(job.bytes), job.most ?? UNPACKED_MAX), stats = null;
  if (bytes.length === 0) throw new Error("It is empty.");
  if (!holdsTrace(bytes)) {
    const built = imported(bytes);
    if (built.stats.events <= built.stats.bad_lines) { /* most lines are no events: a device printed it */
      const log = readLog(engine, bytes);
      if (log !== null) return { log };
    }
    if (built.stats.events === 0) throw new Error("It is neither a trace, nor a text with heap events, nor a log in which a line tells of a heap.");
    let at = 0;
    for (const part of built.parts) {
      built.bytes.set(part, at);
      at += part.length;
    }
    ({ bytes, stats } = built);
  }
  return use(bytes, about(bytes, stats));
}

/* The blocks that the page sees from now on. */
function keep(result) {
  if (blocks !== result) blocks?.close();
  blocks = result;
}

/* Every event on the memory of the job. On the way it tells the figures so far and, with `blocks`, a part: a picture of
   the blocks so far, with the lines above it. `every`: ms between two tellings, in place of those above. */
async function replay(job, tell) {
  const mine = ++running, begun = performance.now();
  const reader = new Reader(engine, job.config, { blocks: job.blocks });
  const result = job.blocks ? new Blocks(engine, reader, mine) : null;
  const every = job.every ?? PERIOD;
  let heard = begun, reported = begun, due = begun + (job.every ?? FIRST);
  try {
    for (let from = 0; from < trace.length; from += Reader.PIECE) {
      reader.push(trace.subarray(from, from + Reader.PIECE));
      const now = performance.now();
      if (now - heard < every) continue;
      const draws = job.picture && now >= due;
      if (draws || now - reported >= (job.every ?? TELLING)) {
        const coarse = reader.some("hs_lab_summary", "hs_lab_capsets", "hs_lab_needs");
        const progress = { share: Math.min(1, (from + Reader.PIECE) / trace.length), coarse };
        if (draws) {
          keep(result);
          progress.part = { figures: reader.some("hs_lab_regions", "hs_lab_marks"), timeline: reader.timeline(), picture: result.picture(job.picture) };
          const after = performance.now();
          due = after + (job.every ?? Math.max(SHARE * (after - now), after - begun));
        }
        tell(progress);
        reported = performance.now();
      }
      await breath();
      if (mine !== running) return { ended: true };
      heard = performance.now();
    }
    reader.finish();
    const out = { figures: reader.all(), timeline: reader.timeline() };
    if (result === null) return out;
    keep(result);
    const { blocks: count, failures } = result.count();
    return { ...out, blocks: count, failures, picture: job.picture ? result.picture(job.picture) : null };
  } finally {
    if (result === null || blocks !== result) reader.close();
  }
}

/* The holders that leak, by the recorded program's own events; `why`: no trace like this can show it. */
function leaks() {
  const { calls, face } = engine, { verdicts, reasons } = face.leaks, events = BigInt(census.events);
  const none = (reason) => ({ keys: [], why: engine.text(calls.hs_lab_leak_reason_text(reason)) });
  if (!whole) return none(reasons.not_whole);
  const first = new Reader(engine, null), reader = new Reader(engine, null), { kept } = reader;
  try {
    for (const reading of [first, reader]) {
      calls.hs_lab_reader_watch(reading.at, 0n, events, reading === first ? 0 : first.at);
      reading.push(trace);
      reading.finish();
    }
    const total = engine.cleared(8, kept), given = ["hs_lab_holders", "hs_lab_lives", "hs_lab_live"].flatMap((name) => {
      const { at, count } = engine.raw(name, kept, reader.at);
      return [at, count];
    });
    const judge = (rows, capacity) => {
      if (calls.hs_lab_leaks(...given, 1, rows, capacity, total) !== 0) throw new Error("The page has no memory left.");
      return engine.view.getUint32(total, true);
    };
    const size = judge(0, 0), at = engine.cleared(size * engine.width("hs_lab_leak_row"), kept);
    judge(at, size);
    const rows = engine.list("hs_lab_leak_row", { at, count: size });
    if (rows.length !== 0 && rows.every((row) => row.reason === reasons.only_growth)) return none(reasons.only_growth);
    return { keys: rows.filter((row) => row.verdict === verdicts.leak).map((row) => row.task * 2 ** 32 + row.site), why: null };
  } finally {
    reader.close();
    first.close();
  }
}

/* Numbers above 2^53 are texts in the page's own facts. */
const numbers = (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? BigInt(value) : value]));

const JOBS = {
  async start(job) {
    const [module, text] = await Promise.all([job.engine, job.facts].map((one) => unpacked(decoded(one))));
    const { face, trace: known, ...shown } = JSON.parse(new TextDecoder().decode(text));
    engine = await Engine.made(module, face);
    facts = known === undefined ? null : { ...known, stats: null, census: numbers(known.census), health: numbers(known.health) };
    return { ...shown, allocators: engine.allocators };
  },
  open,
  replay,
  picture: (job) => blocks.picture(job),
  line: (job) => blocks.line(job),
  range: (job) => ({ rows: blocks.range(job) }),
  difference: (job) => ({ rows: blocks.difference(job) }),
  pick: (job) => ({ life: blocks.pick(job.event, job.region, job.address), whose: blocks.whose(job.region, job.address) }),
  sizes(job) {
    const of = (name) => {
      const text = new TextEncoder().encode(`${name}_t`), at = engine.take(text.length + 1);
      engine.bytes(at, text.length + 1).fill(0);
      engine.bytes(at, text.length).set(text);
      const size = engine.calls.hs_lab_sizeof(at) >>> 0;
      engine.calls.free(at);
      return [name, size];
    };
    return { sizes: Object.fromEntries(job.names.map(of)) };
  },
  times: (job) => ({ times: job.events.map((event) => blocks.timeAt(event)) }),
  moment: (job) => ({ event: blocks.eventAt(job.time) }),
  leaks,
};

/* Questions about the blocks that are shown are answered at once, while a replay is under way, too. */
const AT_ONCE = new Set(["picture", "line", "range", "difference", "pick", "times", "moment"]);

async function answer({ id, what, ...job }) {
  try {
    const answered = await JOBS[what](job, (progress) => self.postMessage({ id, progress }, pixelsOf(progress.part)));
    self.postMessage({ id, answer: answered }, pixelsOf(answered));
  } catch (error) {
    self.postMessage({ id, error: String(error.message ?? error), region: error.region ?? null });
  }
}
/* Pictures are handed over, not copied. */
function pixelsOf(reported) {
  const pixels = reported?.pixels ?? reported?.picture?.pixels;
  return pixels === undefined ? [] : [pixels.buffer];
}

/* One after another, in their order; a replay lets the next message in while it runs. */
let queue = Promise.resolve();
self.onmessage = ({ data }) => {
  if (AT_ONCE.has(data.what)) return void answer(data);
  if (data.what === "replay" || data.what === "open") running++;
  queue = queue.then(() => answer(data));
};
