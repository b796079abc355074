/* Every block of a replay: where it was and from when to when, as the engine told it event by event.
   This file runs in a worker. */
"use strict";

class Blocks {
  constructor(engine) {
    this.engine = engine;
    this.count = 0;
    this.events = 0;
    this.room = 1 << 14;
    this.live = new Map(); /* key of a live block: its number */
    this.columns = { born: Float64Array, died: Float64Array, address: Uint32Array, size: Uint32Array, task: Uint32Array, site: Uint32Array, region: Uint8Array };
    for (const [name, Kind] of Object.entries(this.columns)) this[name] = new Kind(this.room);
    this.time = new Float64Array(this.room);
    this.lost = { count: 0, room: 1 << 10, event: new Float64Array(1 << 10), size: new Float64Array(1 << 10), task: new Uint32Array(1 << 10), site: new Uint32Array(1 << 10) }; /* failed requests, in their order */
    const { size, fields } = engine.face.structs.hs_lab_export_row;
    this.row = size;
    this.at = Object.fromEntries(fields.map((field) => [field.name, field.at]));
    this.buffer = engine.take(size * Blocks.ROWS);
  }

  grow() {
    this.room *= 2;
    for (const name of Object.keys(this.columns)) {
      const old = this[name];
      this[name] = new this.columns[name](this.room);
      this[name].set(old);
    }
  }

  /* Takes the events that the reader has kept. */
  drain(reader) {
    const { calls } = this.engine;
    for (;;) {
      const count = calls.hs_lab_export_rows(reader.at, this.buffer, Blocks.ROWS) >>> 0;
      for (let i = 0; i < Math.min(count, Blocks.ROWS); i++) this.event(this.buffer + i * this.row);
      if (count < Blocks.ROWS) return;
    }
  }

  event(from) {
    const view = this.engine.view, { at } = this;
    const event = Number(view.getBigUint64(from + at.event, true));
    const outcome = view.getUint8(from + at.outcome), call = view.getUint8(from + at.call);
    if (event >= this.time.length) {
      const old = this.time;
      this.time = new Float64Array(2 * event + 2);
      this.time.set(old);
    }
    this.time[event] = Number(view.getBigUint64(from + at.time, true));
    this.events = Math.max(this.events, event + 1);
    const old = view.getBigUint64(from + at.block, true), key = view.getBigUint64(from + at.new_block, true);
    const size = Number(view.getBigUint64(from + at.size, true));
    if (outcome === Blocks.FAILED) {
      this.fail({ event, size, task: view.getUint32(from + at.task, true), site: view.getUint32(from + at.site, true) });
    }
    if (outcome === Blocks.ZERO && call === Blocks.REALLOC && view.getBigUint64(from + at.freed, true) > 0n) {
      return void this.end(old, event);
    }
    if (outcome !== Blocks.OK) return;
    if (call === Blocks.FREE) return void this.end(old, event);
    const region = view.getUint32(from + at.region, true);
    this.end(call === Blocks.REALLOC ? old : key, event);
    if (region === 0xffffffff || size === 0) return;
    if (this.count === this.room) this.grow();
    const block = this.count++;
    this.born[block] = event;
    this.died[block] = Infinity;
    this.address[block] = view.getUint32(from + at.address, true);
    this.size[block] = size;
    this.task[block] = view.getUint32(from + at.task, true);
    this.site[block] = view.getUint32(from + at.site, true);
    this.region[block] = region;
    this.live.set(key, block);
  }

  fail(row) {
    const { lost } = this;
    if (lost.count === lost.room) {
      lost.room *= 2;
      for (const name of ["event", "size", "task", "site"]) {
        const old = lost[name];
        lost[name] = new old.constructor(lost.room);
        lost[name].set(old);
      }
    }
    for (const [name, value] of Object.entries(row)) lost[name][lost.count] = value;
    lost.count++;
  }

  end(key, event) {
    const block = this.live.get(key);
    if (block === undefined) return;
    this.died[block] = event;
    this.live.delete(key);
  }

  done() {
    this.engine.calls.free(this.buffer);
    this.live.clear();
  }

  /* Whether a block passes the filters: task, sites (a set), sizes, age, region, whether it stays, or was leaked. */
  passes(block, filter) {
    const { size } = this, end = this.died[block];
    return (
      (filter.task === null || this.task[block] === filter.task) &&
      (filter.sites === null || filter.sites.has(this.site[block])) &&
      size[block] >= filter.least && size[block] <= filter.most &&
      (filter.region === null || this.region[block] === filter.region) &&
      (filter.age === 0 || Math.min(end, this.events) - this.born[block] >= filter.age) &&
      (!(filter.stays || filter.leaks !== null) || end === Infinity) &&
      (filter.leaks === null || filter.leaks.has(this.task[block] * 4294967296 + this.site[block]))
    );
  }

  /* The failed requests from event `left` to before `right` that pass: a request has no region and no age. */
  *failedIn(left, right, filter) {
    const { lost } = this;
    for (let i = 0; i < lost.count; i++) {
      if (lost.event[i] < left) continue;
      if (lost.event[i] >= right) return;
      if ((filter.task === null || lost.task[i] === filter.task) && (filter.sites === null || filter.sites.has(lost.site[i])) && lost.size[i] >= filter.least && lost.size[i] <= filter.most) yield i;
    }
  }
  failedRows(left, right, filter) {
    const rows = new Map();
    for (const i of this.failedIn(left, right, filter)) {
      const row = this.rowFor(rows, this.lost.task[i], this.lost.site[i]);
      row.blocks++;
      row.bytes += this.lost.size[i];
    }
    return [...rows.values()].sort((a, b) => b.bytes - a.bytes);
  }

  /* The most bytes that the blocks that pass had live, a pixel each. */
  liveLine({ left, right, width, filter }) {
    const change = new Float64Array(this.events + 1), most = new Float64Array(width), across = width / (right - left);
    for (let block = 0; block < this.count; block++) {
      if (!this.passes(block, filter)) continue;
      change[this.born[block]] += this.size[block];
      if (this.died[block] < this.events) change[this.died[block]] -= this.size[block];
    }
    let now = 0;
    for (let event = 0; event < Math.min(right, this.events); event++) {
      now += change[event];
      if (event + 1 <= left) continue;
      const x0 = Math.max(0, Math.floor((event - left) * across)), x1 = Math.min(width, Math.max(x0 + 1, Math.floor((event + 1 - left) * across)));
      for (let x = x0; x < x1; x++) if (now > most[x]) most[x] = now;
    }
    return most;
  }

  /* Number of the first block born at `event` or later: they are in the order of their births. */
  from(event) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.born[middle] < event) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* A picture of the window: events `left` to `right`, and of each strip (a region from `low` to `high`)
     the lines `top` to `bottom`. Each pixel is a colour of the block in it; a block has one at least. */
  picture({ left, right, width, height, strips, filter, colours, other, bad }) {
    const pixels = new Uint32Array(width * height), failed = new Uint32Array(width);
    for (const i of this.failedIn(left, right, filter)) failed[Math.min(width - 1, Math.floor(((this.lost.event[i] - left) / (right - left)) * width))]++;
    const more = { failed, live: filter.active && !filter.failed ? this.liveLine({ left, right, width, filter }) : null, times: [left, right - 1].map((event) => this.timeAt(event)) };
    if (filter.failed) {
      failed.forEach((count, x) => {
        if (count > 0) for (const strip of strips) for (let y = strip.top; y < strip.bottom; y++) pixels[y * width + x] = bad;
      });
      return { pixels, ...more };
    }
    const place = new Map(strips.map((strip) => [strip.region, strip]));
    const across = width / (right - left);
    const last = this.from(right);
    for (let block = 0; block < last; block++) {
      if (this.died[block] <= left) continue;
      const strip = place.get(this.region[block]);
      if (strip === undefined) continue;
      const address = this.address[block];
      if (address >= strip.high || address + this.size[block] <= strip.low) continue;
      if (!this.passes(block, filter)) continue;
      const down = (strip.bottom - strip.top) / (strip.high - strip.low);
      const x0 = Math.max(0, Math.floor((this.born[block] - left) * across));
      const x1 = Math.min(width, Math.max(x0 + 1, Math.floor((this.died[block] - left) * across)));
      const low = Math.max(strip.low, address), high = Math.min(strip.high, address + this.size[block]);
      const y1 = Math.min(strip.bottom, Math.ceil(strip.bottom - (low - strip.low) * down));
      const y0 = Math.max(strip.top, Math.min(y1 - 1, Math.round(strip.bottom - (high - strip.low) * down)));
      const { colour, mark, pattern } = colours[this.task[block]] ?? { colour: other, pattern: 0 };
      for (let y = y0; y < y1; y++) {
        pixels.fill(colour, y * width + x0, y * width + x1);
        if (pattern > 0) for (let x = x0; x < x1; x++) if (PATTERN.marks(pattern, x, y)) pixels[y * width + x] = mark;
      }
    }
    return { pixels, ...more };
  }

  timeAt(event) { return this.time[Math.max(0, Math.min(Math.floor(event), this.events - 1))] ?? 0; }
  /* The first event at a time or later. */
  eventAt(time) {
    let low = 0, high = this.events;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* The block at an address after an event; null: none. */
  pick(event, region, address) {
    for (let block = this.from(event + 1) - 1; block >= 0; block--) {
      if (this.region[block] === region && this.died[block] > event && this.address[block] <= address && address < this.address[block] + this.size[block]) return block;
    }
    return null;
  }

  /* A block's life: its own row, and the blocks beside it when it was born. */
  life(block) {
    const event = this.born[block], mine = this.address[block];
    let below = null, above = null;
    for (let one = this.from(event + 1) - 1; one >= 0; one--) {
      if (one === block || this.region[one] !== this.region[block] || this.died[one] <= event) continue;
      if (this.address[one] < mine) { if (below === null || this.address[one] > this.address[below]) below = one; }
      else if (above === null || this.address[one] < this.address[above]) above = one;
    }
    const row = (one) => (one === null ? null : this.rowOf(one));
    return { ...this.rowOf(block), below: row(below), above: row(above) };
  }

  rowOf(block) {
    const died = this.died[block] === Infinity ? null : this.died[block];
    return {
      block, born: this.born[block], died, address: this.address[block], size: this.size[block],
      task: this.task[block], site: this.site[block], region: this.region[block],
      born_time: this.time[this.born[block]], died_time: died === null ? null : this.time[died],
    };
  }

  /* Who allocated from event `left` to before `right`, within `strips`: by task and site, and what of it was live
     at the end of the range. */
  range({ left, right, strips, filter }) {
    if (filter.failed) return this.failedRows(left, right, filter);
    const place = new Map(strips.map((strip) => [strip.region, strip]));
    const rows = new Map();
    const last = this.from(right);
    for (let block = this.from(left); block < last; block++) {
      const strip = place.get(this.region[block]);
      if (strip === undefined || this.address[block] >= strip.high || this.address[block] + this.size[block] <= strip.low) continue;
      if (!this.passes(block, filter)) continue;
      const row = this.rowFor(rows, this.task[block], this.site[block]);
      row.blocks++;
      row.bytes += this.size[block];
      if (this.died[block] >= right) {
        row.stayed++;
        row.stayed_bytes += this.size[block];
      }
    }
    return [...rows.values()].sort((a, b) => b.bytes - a.bytes);
  }

  /* Live bytes by task and site after event `second` less those after event `first`. */
  difference({ first, second, filter }) {
    if (filter.failed) return this.failedRows(Math.min(first, second) + 1, Math.max(first, second) + 1, filter);
    const rows = new Map();
    for (const [event, sign] of [[first, -1], [second, 1]]) {
      const last = this.from(event + 1);
      for (let block = 0; block < last; block++) {
        if (this.died[block] <= event || !this.passes(block, filter)) continue;
        const row = this.rowFor(rows, this.task[block], this.site[block]);
        row.blocks += sign;
        row.bytes += sign * this.size[block];
      }
    }
    return [...rows.values()].filter((row) => row.bytes !== 0 || row.blocks !== 0).sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes));
  }

  rowFor(rows, task, site) {
    const key = task * 4294967296 + site;
    let row = rows.get(key);
    if (row === undefined) {
      row = { task, site, blocks: 0, bytes: 0, stayed: 0, stayed_bytes: 0 };
      rows.set(key, row);
    }
    return row;
  }
}
/* HS_LAB_OUTCOME_* and hs_event_kind_t. */
Object.assign(Blocks, { OK: 0, FAILED: 1, ZERO: 3, REALLOC: 4, FREE: 5 });
Blocks.ROWS = 4096;
