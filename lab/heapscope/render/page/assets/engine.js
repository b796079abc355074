/* The library in this page: its functions, with structs written and read by what the page was told of
   them. This file runs in a worker. */
"use strict";

const NEVER = 0xffffffffffffffffn;

class Engine {
  static async made(bytes, face) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const engine = new Engine();
    engine.face = face;
    engine.calls = instance.exports;
    engine.calls._initialize();
    if (engine.calls.hs_lab_abi() !== face.abi) throw new Error("The engine has another interface.");
    engine.allocators = [];
    for (let index = 0; ; index++) {
      const name = engine.calls.hs_lab_allocator_name(index);
      if (name === 0) break;
      engine.allocators.push(engine.text(name));
    }
    return engine;
  }

  get view() {
    if (this.seen === undefined || this.seen.buffer !== this.calls.memory.buffer) {
      this.seen = new DataView(this.calls.memory.buffer); /* growing the memory makes it anew */
    }
    return this.seen;
  }

  take(size) {
    const at = this.calls.malloc(Math.max(size, 8));
    if (at === 0) throw new Error("The page has no memory left.");
    return at >>> 0;
  }

  bytes(at, count) { return new Uint8Array(this.calls.memory.buffer, at, count); }

  text(at) {
    const all = new Uint8Array(this.calls.memory.buffer);
    return new TextDecoder().decode(all.slice(at, all.indexOf(0, at)));
  }

  /* ---- structs ---- */
  number(kind, at) {
    const view = this.view;
    switch (kind) {
      case "uint8_t": return view.getUint8(at);
      case "uint16_t": return view.getUint16(at, true);
      case "int": case "int32_t": return view.getInt32(at, true);
      case "uint32_t": case "size_t": return view.getUint32(at, true);
      case "double": return view.getFloat64(at, true);
      default: {
        const wide = kind === "int64_t" ? view.getBigInt64(at, true) : view.getBigUint64(at, true);
        const near = Number(wide);
        return Number.isSafeInteger(near) ? near : wide;
      }
    }
  }

  width(kind) {
    const struct = this.face.structs[kind];
    if (struct !== undefined) return struct.size;
    if (kind === "char") return 1;
    if (kind === "double") return 8;
    const bits = /\d+/.exec(kind);
    return bits === null ? 4 : Number(bits[0]) / 8;
  }

  value(field, at) {
    if (field.struct !== undefined) return this.read(field.struct, at);
    if (field.array !== undefined) return this.number("uint32_t", at);
    return this.number(field.number, at);
  }

  read(struct, at) {
    const out = {};
    for (const field of this.face.structs[struct].fields) {
      const from = at + field.at;
      if (field.count === undefined) out[field.name] = this.value(field, from);
      else if (field.number === "char") {
        const text = this.bytes(from, field.count);
        const end = text.indexOf(0);
        out[field.name] = new TextDecoder().decode(text.slice(0, end < 0 ? field.count : end));
      } else {
        const width = this.width(field.struct ?? field.number);
        out[field.name] = Array.from({ length: field.count }, (_, i) => this.value(field, from + i * width));
      }
    }
    return out;
  }

  put(kind, at, value) {
    const view = this.view;
    if (this.face.structs[kind] !== undefined) return void this.fill(kind, at, value, this.kept);
    switch (this.width(kind)) {
      case 1: view.setUint8(at, Number(value)); break;
      case 2: view.setUint16(at, Number(value), true); break;
      case 4: view.setUint32(at, Number(value) >>> 0, true); break;
      default: view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
    }
  }

  /* Writes an object into zeroed memory; an array stands beside its count. */
  fill(struct, at, object, kept) {
    this.kept = kept;
    this.face.structs[struct].fields.forEach((field, index) => {
      const value = Array.isArray(object) ? object[index] : object[field.name];
      if (value === undefined || value === null) return;
      const to = at + field.at;
      if (field.array !== undefined) {
        const width = this.width(field.array);
        if (value.length === 0) return;
        const rows = this.cleared(width * value.length, kept);
        value.forEach((one, i) => this.put(field.array, rows + i * width, one));
        this.view.setUint32(to, rows, true);
        const count = this.face.structs[struct].fields.find((one) => one.name === `${field.name.replace(/s$/, "")}_count`);
        this.view.setUint32(at + count.at, value.length, true);
      } else if (field.number === "char") {
        this.bytes(to, field.count - 1).set(new TextEncoder().encode(value).slice(0, field.count - 1));
      } else if (field.count !== undefined) {
        const kind = field.struct ?? field.number;
        value.forEach((one, i) => this.put(kind, to + i * this.width(kind), one));
      } else this.put(field.struct ?? field.number, to, value === true ? 1 : value === false ? 0 : value);
    });
  }

  cleared(size, kept) {
    const at = this.take(size);
    kept.push(at);
    this.bytes(at, size).fill(0);
    return at;
  }

  /* The answer of a function of the figures as it lies in memory, which `kept` has from then on. */
  raw(name, kept, reader, ...index) {
    const { struct, rows } = this.face.calls[name], call = this.calls[name], width = this.width(struct);
    const count = rows ? call(reader, ...index, 0, 0) >>> 0 : 1, at = this.cleared(width * count, kept);
    if (rows) call(reader, ...index, at, count);
    else call(reader, at);
    return { at, count };
  }
  list(struct, { at, count }) { return Array.from({ length: count }, (_, i) => this.read(struct, at + i * this.width(struct))); }
  /* The same as a struct, or its rows. */
  figures(name, reader, ...index) {
    const { struct, rows } = this.face.calls[name], kept = [];
    const read = this.list(struct, this.raw(name, kept, reader, ...index));
    kept.forEach((at) => this.calls.free(at));
    return rows ? read : read[0];
  }
}

/* A trace that is read by a census (config null), or replayed on a memory. */
class Reader {
  constructor(engine, config, { blocks = false } = {}) {
    this.engine = engine;
    this.kept = [];
    const status = engine.cleared(8, this.kept);
    let at = 0;
    if (config !== null) {
      at = engine.cleared(engine.width("hs_lab_config"), this.kept);
      engine.fill("hs_lab_config", at, config, this.kept);
    }
    this.at = engine.calls.hs_lab_reader_new(at, status, status + 4);
    if (this.at === 0) {
      const code = engine.view.getInt32(status, true), where = engine.view.getUint32(status + 4, true);
      this.close();
      const error = new Error("This memory cannot be replayed.");
      error.region = config !== null && where < config.regions.length ? where : null;
      error.status = code;
      throw error;
    }
    if (blocks) engine.calls.hs_lab_reader_export(this.at, Reader.HISTORY, 1n);
    this.room = engine.take(Reader.PIECE);
    this.kept.push(this.room);
  }

  push(piece) {
    for (let from = 0; from < piece.length; from += Reader.PIECE) {
      const part = piece.subarray(from, from + Reader.PIECE);
      this.engine.bytes(this.room, part.length).set(part);
      const status = this.engine.calls.hs_lab_reader_push(this.at, this.room, part.length);
      if (status !== 0) throw new Error(`The trace cannot be read: status ${status}.`);
    }
  }

  finish() { return this.engine.calls.hs_lab_reader_finish(this.at); }

  some(...names) {
    return Object.fromEntries(names.map((name) => [name, this.engine.figures(name, this.at)]));
  }

  all() {
    const out = {};
    for (const name of this.engine.face.figures) out[name] = this.engine.figures(name, this.at);
    for (const [name, of] of Object.entries(this.engine.face.nested)) {
      out[name] = out[of].map((_, index) => this.engine.figures(name, this.at, index));
    }
    return out;
  }

  /* The least and the most of every series, a row a bucket; null: none. */
  timeline() {
    const { engine } = this, { calls } = engine;
    const at = engine.take(64);
    calls.hs_lab_timeline(this.at, at);
    const head = engine.read("hs_lab_timeline", at);
    calls.free(at);
    if (head.buckets === 0 || head.series === 0) return null;
    const cells = head.buckets * head.series;
    const room = engine.take(cells * 8 + head.buckets * 8);
    const most = room + cells * 4, times = most + cells * 4;
    calls.hs_lab_timeline_values(this.at, room, most, times);
    const memory = calls.memory.buffer;
    const out = {
      ...head,
      least: new Uint32Array(memory, room, cells).slice(),
      most: new Uint32Array(memory, most, cells).slice(),
      first_time: Array.from({ length: head.buckets }, (_, i) => engine.number("uint64_t", times + 8 * i)),
      task: Array.from({ length: head.tasks }, (_, i) => calls.hs_lab_timeline_task(this.at, i) >>> 0),
    };
    calls.free(room);
    return out;
  }

  /* By index, those that are named or used: a trace chooses how high its indices are. */
  names(table) {
    const { engine } = this, { calls } = engine;
    const at = engine.take(8), out = {};
    const next = (from) => calls.hs_lab_reader_name_next(this.at, table, from) >>> 0;
    for (let index = next(0); index !== 0xffffffff; index = next(index + 1)) {
      const size = calls.hs_lab_reader_name(this.at, table, index, at) >>> 0;
      const from = engine.view.getUint32(at, true);
      out[index] = from === 0 ? null : new TextDecoder().decode(engine.bytes(from, size).slice());
    }
    calls.free(at);
    return out;
  }

  metadata() {
    const { engine } = this, { calls } = engine;
    const at = engine.take(8), out = {};
    const count = calls.hs_lab_reader_metadata_count(this.at) >>> 0;
    for (let index = 0; index < count; index++) {
      const size = calls.hs_lab_reader_metadata(this.at, index, at, at + 4) >>> 0;
      const key = engine.view.getUint32(at, true), value = engine.view.getUint32(at + 4, true);
      if (key !== 0) out[engine.text(key)] = new TextDecoder().decode(engine.bytes(value, size).slice());
    }
    calls.free(at);
    return out;
  }

  close() {
    if (this.at) this.engine.calls.hs_lab_reader_delete(this.at);
    for (const at of this.kept) this.engine.calls.free(at);
    this.at = 0;
    this.kept = [];
  }
}
Reader.PIECE = 1 << 16;
Reader.HISTORY = 16; /* HS_LAB_EXPORT_HISTORY */
