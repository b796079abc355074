/* A device that is heard: the engine's listener takes its stream apart and says what happened; here the recordings and
   the log are kept, and what is new since the last moment. This file runs in a worker. */
"use strict";

/* Bytes kept in their order; the memory grows by small pieces, as a device may start again and again. */
class Kept {
  constructor() { Object.assign(this, { parts: [], size: 0 }); }

  add(bytes) {
    for (let from = 0; from < bytes.length; ) {
      const at = this.size % Kept.PART;
      if (at === 0) this.parts.push(new Uint8Array(Kept.PART));
      const part = bytes.subarray(from, from + Kept.PART - at);
      this.parts.at(-1).set(part, at);
      this.size += part.length;
      from += part.length;
    }
  }
  joined() {
    const out = new Uint8Array(this.size);
    this.parts.forEach((part, i) => out.set(part.subarray(0, Math.min(Kept.PART, this.size - i * Kept.PART)), i * Kept.PART));
    return out;
  }
}
Kept.PART = 1 << 14;

function joinedBytes(one, other) {
  if (one.length === 0) return other;
  const out = new Uint8Array(one.length + other.length);
  out.set(one);
  out.set(other, one.length);
  return out;
}

/* Log lines and happenings since the last moment. Bounded: of more, lines are counted, and happenings by kind. */
class Telling {
  constructor() { this.empty(); }
  empty() { Object.assign(this, { lines: [], left_out: 0, happenings: [], more: new Map() }); }

  log(lines) {
    const room = Telling.MOST - this.lines.length;
    this.lines.push(...lines.slice(0, room));
    this.left_out += Math.max(0, lines.length - room);
  }
  happened(kind, text, count = 1) {
    if (this.happenings.length < Telling.MOST) this.happenings.push({ kind, text, count, after_lines: this.lines.length });
    else this.more.set(kind, (this.more.get(kind) ?? 0) + count);
  }
  take() {
    const more = [...this.more].map(([kind, count]) => ({ kind, text: `${plain(count)} more of the kind '${kind}'`, count, after_lines: this.lines.length }));
    const reported = { log: this.lines, log_left_out: this.left_out, happenings: [...this.happenings, ...more] };
    this.empty();
    return reported;
  }
}
Telling.MOST = 1000;

/* One connection to a device. `most`: bytes of recordings that are kept, and of the log an eighth of that; `before`:
   the recordings of connections before it, which stay. */
class Listening {
  constructor(engine, most = Listening.MOST, before = []) {
    this.engine = engine;
    this.at = engine.calls.hs_lab_listener_new();
    if (this.at === 0) throw new Error("The page has no memory left.");
    this.room = engine.take(Listening.ROOM);
    this.noticed = engine.take(Reader.PIECE);
    this.cell = engine.take(16);
    Object.assign(this, { most, telling: new Telling(), text: new Kept(), text_taken: 0, text_left_out: 0, bytes: 0, characters: 0, odd: 0, decoder: new TextDecoder() });
    Object.assign(this, { recordings: before, before: before.length, number: before.length, current: null, memory: null, config: [] });
    this.kept = before.reduce((sum, one) => sum + (one.kept?.size ?? 0), 0);
  }

  close() {
    this.engine.calls.hs_lab_listener_delete(this.at);
    for (const at of [this.room, this.noticed, this.cell, ...this.config]) this.engine.calls.free(at);
    this.at = 0;
  }
  checked(status) { if (status !== 0) throw new Error("The page has no memory left."); }

  /* ---- bytes ---- */
  take(bytes) {
    const { calls } = this.engine;
    this.bytes += bytes.length;
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + Reader.PIECE);
      this.engine.bytes(this.room, part.length).set(part);
      this.checked(calls.hs_lab_listener_push(this.at, this.room, part.length, this.cell));
      from += this.engine.view.getUint32(this.cell, true);
      while (!this.wentOn()) this.checked(calls.hs_lab_listener_next(this.at));
    }
  }
  quiet() { this.telling.log(this.lines()); }
  finish() {
    const { calls } = this.engine;
    this.checked(calls.hs_lab_listener_flush(this.at));
    while (!this.wentOn()) {
      this.checked(calls.hs_lab_listener_next(this.at));
      this.checked(calls.hs_lab_listener_flush(this.at));
    }
    this.quiet();
  }

  /* Takes out what a piece of the stream told. False: another recording begins. */
  wentOn() {
    let text = this.drained("hs_lab_listener_text");
    const figures = this.figures();
    for (const notice of this.notices()) {
      const before = notice.text - this.text_taken;
      this.log(text.subarray(0, before));
      text = text.subarray(before);
      this.notice(notice);
    }
    this.log(text);
    for (const chunk of this.pieces("hs_lab_listener_chunk")) this.write(chunk);
    if (figures.over !== 0) this.closeRecording();
    return figures.over === 0;
  }
  log(text) {
    this.text_taken += text.length;
    const characters = this.decoder.decode(text, { stream: true });
    this.characters += characters.length;
    this.odd += characters.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd]/g)?.length ?? 0;
    const kept = text.subarray(0, Math.max(0, this.most / 8 - this.text.size));
    this.text.add(kept);
    this.text_left_out += text.length - kept.length;
    if (text.length > 0) this.telling.log(this.lines(text));
  }
  /* The whole lines that this text makes; none: it was quiet. */
  lines(text = new Uint8Array(0)) {
    const { engine } = this, at = engine.take(text.length);
    engine.bytes(at, text.length).set(text);
    this.checked(engine.calls.hs_lab_listener_log(this.at, at, text.length));
    engine.calls.free(at);
    const lines = new TextDecoder().decode(this.drained("hs_lab_listener_lines"));
    return lines.split("\n").slice(0, -1);
  }

  /* Room is made by the oldest recordings; of one that is larger than all room its beginning is kept. */
  write(chunk) {
    while (this.kept + chunk.length > this.most) {
      const oldest = this.recordings.find((one) => one.kept !== null);
      if (oldest === undefined) break;
      this.kept -= oldest.kept.size;
      oldest.kept = null;
    }
    const { current } = this;
    if (current.left_out > 0 || this.kept + chunk.length > this.most) current.left_out += chunk.length;
    else {
      current.kept.add(chunk);
      this.kept += chunk.length;
    }
  }

  /* ---- what the engine's listener has ---- */
  *pieces(call) {
    for (let count; (count = this.engine.calls[call](this.at, this.room, Listening.ROOM) >>> 0) > 0; ) yield this.engine.bytes(this.room, count).slice();
  }
  drained(call) { return [...this.pieces(call)].reduce(joinedBytes, new Uint8Array(0)); }
  *notices() {
    const width = this.engine.width("hs_lab_notice"), most = Math.floor(Reader.PIECE / width);
    for (let count; (count = this.engine.calls.hs_lab_listener_notices(this.at, this.noticed, most) >>> 0) > 0; ) {
      for (let at = this.noticed; at < this.noticed + count * width; at += width) yield { at, ...numbered(this.engine.read("hs_lab_notice", at)) };
    }
  }
  rows(name, ...index) { return this.engine.figures(name, this.at, ...index); }
  figures() { return numbered(this.rows("hs_lab_listener_figures")); }
  health() { return numbered(this.rows("hs_lab_listener_health")); }
  watched() { return this.rows("hs_lab_listener_watched").map(numbered).map(({ size, fits, by, largest, stopped }) => ({ size, stopped, fits: [false, true, null][fits], by: this.word("source", by), largest: reportedNumber(largest) })); }
  /* What the engine calls a source, a notice, or a kind of lost events. */
  word(what, number) { return this.engine.text(this.engine.calls[`hs_lab_${what}_name`](number)); }
  lately() {
    const { engine } = this, at = engine.take(engine.width("hs_lab_lately"));
    this.checked(engine.calls.hs_lab_listener_lately(this.at, performance.now() / 1000, 0, at));
    const read = numbered(engine.read("hs_lab_lately", at));
    engine.calls.free(at);
    return read;
  }
  watch(size) {
    const kept = [], at = this.engine.cleared(this.engine.width("hs_lab_need"), kept);
    this.engine.fill("hs_lab_need", at, { size }, kept);
    this.checked(this.engine.calls.hs_lab_listener_watch(this.at, at, 1));
    kept.forEach((one) => this.engine.calls.free(one));
  }
  /* On this memory from now on, and what was recorded so far unless it was left out; null: on none. */
  replay(memory) {
    const { engine } = this, kept = [];
    let at = 0;
    if (memory !== null) {
      at = engine.cleared(engine.width("hs_lab_config"), kept);
      engine.fill("hs_lab_config", at, memory.config, kept);
    }
    this.checked(engine.calls.hs_lab_listener_replay(this.at, at, this.cell));
    this.config.forEach((one) => engine.calls.free(one));
    Object.assign(this, { memory, config: kept });
    if (memory === null || this.number === this.recordings.length || this.current.left_out > 0) return;
    const chunks = this.current.kept.joined(), room = engine.take(chunks.length);
    engine.bytes(room, chunks.length).set(chunks);
    this.checked(engine.calls.hs_lab_listener_replay_chunks(this.at, room, chunks.length));
    engine.calls.free(room);
  }
  name(table, index) {
    const size = this.engine.calls.hs_lab_listener_name(this.at, table, index, this.cell) >>> 0, from = this.engine.view.getUint32(this.cell, true);
    return from === 0 ? null : new TextDecoder().decode(this.engine.bytes(from, size).slice());
  }
  facts() {
    const { calls, view } = this.engine, out = {};
    const count = calls.hs_lab_listener_metadata_count(this.at) >>> 0;
    for (let index = 0; index < count; index++) {
      const size = calls.hs_lab_listener_metadata(this.at, index, this.cell, this.cell + 4) >>> 0;
      const key = view.getUint32(this.cell, true), value = view.getUint32(this.cell + 4, true);
      if (key !== 0) out[this.engine.text(key)] = size === 0 ? "" : new TextDecoder().decode(this.engine.bytes(value, size).slice());
    }
    return out;
  }
  called(table, index) {
    if (table === Listening.TASKS && index === Listening.UNKNOWN) return "";
    const raw = this.name(table, index);
    if (table === Listening.SITES) return index === 0 ? "" : (raw ?? `site ${index}`);
    return raw !== null && raw.trim() !== "" ? raw : `${{ 0: "task", 1: "mark", 5: "region" }[table]} ${index}`;
  }
  owner(task, site) { return [this.called(Listening.TASKS, task) || "an unknown task", this.called(Listening.SITES, site)].filter((one) => one !== "").join(", "); }

  /* ---- recordings ---- */
  beginRecording() {
    this.number++;
    this.current = { number: this.number, kept: new Kept(), left_out: 0 };
  }
  closeRecording() {
    if (this.number === this.recordings.length) return;
    const figures = this.figures(), health = this.health(), facts = this.facts();
    this.engine.calls.hs_lab_listener_label(this.at, this.room, Listening.SENTENCE);
    Object.assign(this.current, { label: this.engine.text(this.room), boot: facts.boot ?? "", reset: facts.reset ?? "", chip: facts.chip ?? "", events: health.events, lost: figures.missing, ended: health.ended !== 0, failures: figures.failures });
    this.recordings.push(this.current);
    this.telling.happened("file", `recording ${this.number - this.before} is over`);
  }
  notice({ at, kind, owned, task, site, index, count }) {
    if (kind === Listening.BEGINS) this.beginRecording();
    const { calls } = this.engine;
    calls.hs_lab_listener_sentence(this.at, at, this.room, Listening.SENTENCE);
    let text = this.engine.text(this.room);
    if (kind === Listening.STOPPED) text = `${bytesOf(this.watched()[index].size)} for malloc ${text}`;
    if (kind === Listening.MARKED) text += this.called(Listening.MARKS, index);
    this.telling.happened(this.word("notice", kind), owned === 0 ? text : text + this.owner(task, site), count);
  }
}
Listening.MOST = 1 << 28;
Listening.ROOM = 1 << 17; /* a chunk fits */
Listening.SENTENCE = 512;
[Listening.BEGINS, Listening.MARKED, Listening.STOPPED] = [0, 3, 5];
[Listening.TASKS, Listening.MARKS, Listening.SITES, Listening.REGIONS] = [0, 1, 2, 5];
Listening.UNKNOWN = -1;

/* A struct's numbers, where none has to be exact above 2^53. */
function numbered(row) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? value.map(Number) : typeof value === "object" ? numbered(value) : Number(value)]));
}
