"use strict";
/* Every block of a replay: where it was and from when to when. The engine keeps them (lab/native/history) and is asked for
   pictures, sums and single blocks. This file runs in a worker. */

class Blocks {
  constructor(engine, reader, run) {
    Object.assign(this, { engine, reader, run });
    this.strips = PLACES.strips(engine.figures("hs_lab_regions", reader.at));
    this.before = this.strips.map((strip) => this.first(strip)); /* by strip: what lies there and is no block of the trace */
    this.filtered = null; /* the filter that was asked for last; later blocks are asked, too */
  }

  /* Before the first event: the allocator's structures in front of all pieces, and used pieces, which are start-up's. */
  first({ region, start }) {
    const { engine, reader } = this, { calls } = engine, kept = [], width = engine.width("hs_lab_piece_row");
    const count = calls.hs_lab_pieces(reader.at, region, 0, Blocks.ALL, 0, 0) >>> 0, at = engine.cleared(width * count, kept);
    calls.hs_lab_pieces(reader.at, region, 0, Blocks.ALL, at, count);
    const pieces = engine.list("hs_lab_piece_row", { at, count });
    kept.forEach((one) => calls.free(one));
    const used = pieces.filter((one) => one.state !== Blocks.FREE).map(({ address, size }) => ({ address, size, whose: "startup" }));
    return [{ address: start, size: (pieces[0]?.address ?? start) - start, whose: "allocator" }, ...used];
  }

  close() { this.reader.close(); }
  count() { return this.engine.figures("hs_lab_history", this.reader.at); }

  /* Calls a function with structs, which are freed after it; `made`: pairs of a struct's name and its object. */
  with(built, call) {
    const { engine } = this, kept = [];
    try {
      const places = built.map(([name, object]) => {
        const at = engine.cleared(engine.width(name), kept);
        engine.fill(name, at, object, kept);
        return at;
      });
      const status = call(...places, (size) => engine.cleared(size, kept));
      if (status !== undefined && status !== 0) throw new Error("The page has no memory left.");
    } finally {
      for (const at of kept) engine.calls.free(at);
    }
  }

  filter(filter) {
    const requested = JSON.stringify(filter);
    if (requested === this.filtered) return;
    const whole = (value, round) => Math.min(Blocks.ALL, Math.max(0, round(value)));
    const sites = filter.sites === null ? [] : Array((filter.sites.at(-1) ?? -1) + 1).fill(0);
    for (const site of filter.sites ?? []) sites[site] = 1;
    const set = {
      task: filter.task ?? Blocks.ALL, region: filter.region ?? Blocks.ALL, size_min: whole(filter.least, Math.ceil), size_max: whole(filter.most, Math.floor),
      age: whole(filter.age, Math.ceil), stays: filter.stays, failed: filter.failed, by_site: filter.sites !== null, by_holder: filter.leaks !== null, sites, holders: filter.leaks ?? [],
    };
    this.with([["hs_lab_filter", set]], (at) => this.engine.calls.hs_lab_history_filter(this.reader.at, at));
    this.filtered = requested;
  }

  /* A window as the engine takes it. */
  view({ left, right, low, high }, width, height) {
    const parts = (value) => Math.max(0, Math.round(value * Blocks.PARTS));
    const strips = PLACES.visible(this.strips, height, { low, high }).map((one) => ({ ...one, low: parts(one.low), high: parts(one.high) }));
    return [["hs_lab_view", { left: parts(left), right: parts(right), width, height, strips }]];
  }

  /* Each pixel is a colour of the block in it; a block has one at least. Where not all blocks pass, `live` are the bytes of
     those that do after the last event of each column, until line() tells the most in it. */
  picture({ view, width, height, filter, colours, other, startup, allocator, bad }) {
    this.filter(filter);
    const { engine, reader } = this, built = { waits: filter.active && !filter.failed };
    this.with(this.view(view, width, height), (at, room) => {
      const owners = room(2 * width * height), failed = room(4 * width), live = room(8 * width);
      const status = engine.calls.hs_lab_history_draw(reader.at, at, owners, failed, live), memory = engine.calls.memory.buffer;
      built.failed = new Uint32Array(memory, failed, width).slice();
      built.live = built.waits ? Float64Array.from(new BigUint64Array(memory, live, width), Number) : null;
      built.pixels = Blocks.coloured(new Uint16Array(memory, owners, width * height), width, height, colours, other);
      return status;
    });
    this.under(built, width, height, view, { startup, allocator });
    if (filter.failed) this.across(built, width, height, view, bad);
    return { ...built, run: this.run, view, width, height, filter, bad, events: this.count().events, times: [view.left, view.right - 1].map((event) => this.timeAt(event)) };
  }
  line({ view, width, filter }) {
    this.filter(filter);
    const { engine, reader } = this, built = {};
    this.with(this.view(view, width, 1), (at, room) => {
      const most = room(8 * width), status = engine.calls.hs_lab_history_most(reader.at, at, most);
      built.live = Float64Array.from(new BigUint64Array(engine.calls.memory.buffer, most, width), Number);
      return status;
    });
    return built;
  }

  /* Start-up lies there all the time; a block of the trace is drawn above it. */
  under({ pixels }, width, height, view, colours) {
    for (const strip of PLACES.visible(this.strips, height, view)) {
      const rows = strip.bottom - strip.top, per = rows / (strip.high - strip.low), row = (address) => Math.min(rows, Math.max(0, Math.round((address - strip.low) * per)));
      const pieces = this.before[this.strips.findIndex((one) => one.region === strip.region)];
      for (const { address, size, whose } of pieces) {
        const from = (strip.bottom - row(address + size)) * width, to = (strip.bottom - row(address)) * width;
        for (let at = from; at < to; at++) if (pixels[at] === 0) pixels[at] = colours[whose];
      }
    }
  }

  /* Failed requests have no place: each is a line across all strips. */
  across({ failed, pixels }, width, height, view, bad) {
    const strips = PLACES.visible(this.strips, height, view);
    failed.forEach((count, x) => {
      if (count > 0) for (const strip of strips) for (let y = strip.top; y < strip.bottom; y++) pixels[y * width + x] = bad;
    });
  }

  /* Owners by column as colours by row, in pieces of rows that a processor's memory nearby can hold. */
  static coloured(owners, width, height, colours, other) {
    const pixels = new Uint32Array(width * height), plain = new Uint32Array(65536).fill(other), marks = new Uint32Array(65536), patterns = new Uint8Array(65536), TALL = 32;
    plain[0] = 0;
    colours.filter(([task]) => task < 65534).forEach(([task, { colour, mark, pattern }]) => {
      plain[task + 1] = colour;
      marks[task + 1] = mark;
      patterns[task + 1] = pattern;
    });
    for (let top = 0; top < height; top += TALL) {
      const bottom = Math.min(height, top + TALL);
      for (let x = 0; x < width; x++) {
        for (let y = top; y < bottom; y++) {
          const owner = owners[x * height + y];
          pixels[y * width + x] = patterns[owner] > 0 && PATTERN.marks(patterns[owner], x, y) ? marks[owner] : plain[owner];
        }
      }
    }
    return pixels;
  }

  /* null: the event is not replayed yet. */
  timeAt(event) { return event >= this.count().events ? null : Number(BigInt.asUintN(64, this.engine.calls.hs_lab_history_time(this.reader.at, BigInt(Math.max(0, Math.floor(event)))))); }
  /* The first event at a time or later. */
  eventAt(time) { return Number(this.engine.calls.hs_lab_history_event(this.reader.at, BigInt(Math.max(0, Math.ceil(time))))); }

  /* The block at an address after an event, and the blocks beside it when it was born; null: none. */
  pick(event, region, address) {
    const { engine } = this, { size } = engine.face.structs.hs_lab_life, result = [];
    this.with([], (room) => {
      const rows = room(3 * size);
      engine.calls.hs_lab_history_pick(this.reader.at, BigInt(event), region, address, rows);
      for (let i = 0; i < 3; i++) result.push(engine.read("hs_lab_life", rows + i * size));
    });
    const reported = (row) => (row.block === Blocks.ALL ? null : typeof row.died === "bigint" ? { ...row, died: null, died_time: null } : row);
    const [block, below, above] = result.map(reported);
    return block === null ? null : { ...block, below, above };
  }
  whose(region, address) {
    const pieces = this.before[this.strips.findIndex((one) => one.region === region)];
    return pieces.find((one) => address >= one.address && address < one.address + one.size)?.whose ?? null;
  }

  rows() { return this.engine.figures("hs_lab_history_sums", this.reader.at); }
  /* Who allocated from event `left` to before `right` between two heights: by task and site, and what of it was live at
     the end of the range. */
  range({ filter, ...view }) {
    this.filter(filter);
    this.with(this.view(view, 1, Blocks.FINE), (at) => this.engine.calls.hs_lab_history_range(this.reader.at, at));
    return this.rows().sort((a, b) => b.bytes - a.bytes);
  }
  /* Live bytes by task and site after event `second` less those after event `first`. */
  difference({ first, second, filter }) {
    this.filter(filter);
    this.with([], () => this.engine.calls.hs_lab_history_difference(this.reader.at, BigInt(first), BigInt(second)));
    return this.rows().filter((row) => row.bytes !== 0 || row.blocks !== 0).sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes));
  }
}
Blocks.ALL = 0xffffffff;
Blocks.FREE = 0; /* HS_LAB_PIECE_FREE */
Blocks.PARTS = 65536; /* HS_LAB_HISTORY_PARTS */
Blocks.FINE = 1 << 20; /* rows of a range, which are not drawn: no strip is too low for one */
