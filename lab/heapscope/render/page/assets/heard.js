/* How the heap of a device stands that is heard: the rows that heapscope/logs/live/picture.py makes of the same structs;
   and its recording replayed as it comes (model.py). This file runs in a worker. */
"use strict";

const NOT_TOLD = Number(NEVER);
const reportedNumber = (value) => (value === NOT_TOLD ? null : value);

/* The recorded heaps on a memory of the page, after every event. After a loss it begins anew at the next snapshot. */
class LiveModel {
  constructor(engine, memory, need) {
    Object.assign(this, { engine, memory, need, reader: null, before: 0 });
    this.restart();
  }
  close() {
    this.reader?.close();
    this.reader = null;
  }
  restart() {
    if (this.reader !== null) this.before = this.spells();
    this.close();
    this.reader = new Reader(this.engine, { ...this.memory.config, needs: this.need === null ? [] : [{ size: this.need.size, caps: 0 }] });
    this.missing = null; /* chunks before the reader's first */
  }
  push(chunks) {
    for (const chunk of chunksOf(chunks)) {
      this.read(chunk);
      if (this.lost()) {
        this.restart();
        this.read(chunk);
      }
    }
  }
  read(chunk) {
    this.reader.push(chunk);
    this.missing ??= Number(this.figures("hs_lab_reader_health").lost_chunks);
  }
  figures(name) { return this.engine.figures(name, this.reader.at); }
  lost() {
    const event = Number(this.figures("hs_lab_reader_loss").event);
    return (event !== 0 && event !== NOT_TOLD) || (event === 0 && Number(this.figures("hs_lab_reader_health").lost_chunks) > (this.missing ?? 0));
  }
  known() { return Number(this.figures("hs_lab_reader_loss").event) === NOT_TOLD && Number(this.figures("hs_lab_reader_health").chunks) > 0; }
  by() { return this.figures("hs_lab_reader_census").events === this.figures("hs_lab_reader_health").events ? "replay" : "laid anew"; }
  /* How often the need stopped fitting, event by event. */
  spells() { return this.need === null ? 0 : this.before + Number(this.figures("hs_lab_needs")[0].spells); }
  /* Would the need be served now? It was looked at after the last event, as after each. */
  answer() {
    const events = Number(this.figures("hs_lab_summary").event_count);
    if (!this.known() || events === 0) return WatchedNeed.UNKNOWN;
    return { fits: Number(this.figures("hs_lab_needs")[0].last_event) !== events - 1, by: this.by(), largest: Number(this.figures("hs_lab_capsets")[0].largest_allocatable) };
  }
  regions() {
    const known = this.known(), by = this.by();
    const own = this.memory.config.regions;
    return this.figures("hs_lab_regions").map((row, i) => ({
      name: this.memory.pool ? "pool" : this.memory.regions[i].split(" 0x")[0], caps: own[i].caps.reduce((one, other) => one | other, 0) >>> 0, start: own[i].start, size: own[i].size, time: null,
      free: known ? row.free : null, minimum: known ? row.minimum_free : null, largest: known ? row.largest_allocatable : null, by: known ? by : "",
    }));
  }
}

const Heard = {
  /* Everything as it stands, and what was printed and happened since the last moment. */
  moment(listening) {
    const figures = listening.figures(), health = listening.health(), facts = listening.facts();
    const open = listening.number > listening.recordings.length, known = figures.known !== 0 && open;
    const blocks = known ? Heard.blocks(listening) : [];
    const hertz = /^[0-9]{1,15}$/.test(facts.clock_hz ?? "") ? Number(facts.clock_hz) : 0;
    const regions = listening.model?.regions() ?? Heard.told(listening);
    const time = hertz > 0 && (health.features & 2) !== 0 ? figures.last_time / hertz : null, held = Heard.held(blocks);
    const lately = listening.trend.lately({ time: time ?? performance.now() / 1000, events: health.events, asked: figures.asked, live: known ? figures.live : null, owners: held });
    return {
      bytes: listening.bytes, before: listening.before, recording: listening.number - listening.before, boot: facts.boot ?? "", reset: facts.reset ?? "", chip: facts.chip ?? "",
      time, rate: lately.rate, churn: lately.churn, window: lately.window, growth: lately.growth,
      known, level: figures.level, filtered: figures.filtered !== 0, live: known ? figures.live : null, live_blocks: known ? figures.live_blocks : null, live_peak: figures.live_peak,
      events: health.events, failures: figures.failures, snapshots: figures.snapshots, corrections: figures.corrections,
      memory: Heard.memory(regions, blocks, known && (listening.model === null || Heard.liesIn(regions, blocks)), figures.last_time, hertz, listening.engine.face.capabilities),
      ...Heard.owners(held, lately.from, listening),
      losses: Heard.losses(figures, health),
      needs: Needing.rows(listening, regions, blocks),
      recordings: Heard.recordings(listening),
      text: { size: listening.text_taken, characters: listening.characters, odd: listening.odd, left_out: listening.text_left_out }, current_left_out: open ? listening.current.left_out : 0,
      ...listening.telling.take(),
    };
  },

  recordings: (listening) => listening.recordings.map(({ kept, ...one }) => ({ ...one, size: kept?.size ?? 0, dropped: kept === null })),
  blocks: (listening) => listening.rows("hs_lab_listener_blocks").map(numbered),
  told(listening) {
    return listening.rows("hs_lab_listener_regions").map(numbered).filter((row) => row.start !== NOT_TOLD && row.size !== NOT_TOLD && row.size !== 0).map((row) => ({
      name: listening.called(Listening.REGIONS, row.index), caps: row.caps, start: row.start, size: row.size,
      free: reportedNumber(row.free), minimum: reportedNumber(row.minimum), largest: reportedNumber(row.largest), time: reportedNumber(row.time), by: row.free === NOT_TOLD ? "" : "heap",
    }));
  },

  /* Regions of one name and the same capabilities together. */
  memory(regions, blocks, known, now, hertz, capabilities) {
    const groups = new Map();
    for (const one of regions) groups.set(`${one.caps} ${one.name}`, [...(groups.get(`${one.caps} ${one.name}`) ?? []), one]);
    const sum = (list) => list.reduce((one, other) => one + other, 0);
    const all = (group, name) => group.map((one) => one[name]);
    const whole = (result) => (result.includes(null) ? null : result);
    return [...groups.values()].map((group) => {
      const inside = group.map((one) => Heard.within(blocks, one)), times = all(group, "time").filter((one) => one !== null);
      const free = whole(all(group, "free")), minimum = whole(all(group, "minimum")), largest = whole(all(group, "largest"));
      return {
        name: group[0].name, capabilities: capsText(group[0].caps, capabilities), size: sum(all(group, "size")), by: group[0].by,
        free: free && sum(free), largest: largest && Math.max(...largest), minimum: minimum && sum(minimum),
        said: times.length > 0 && hertz > 0 ? Math.max(0, now - Math.min(...times)) / hertz : null,
        live: known ? sum(inside.flat().map((one) => one.size)) : null, blocks: known ? sum(inside.map((some) => some.length)) : null,
        room: known ? Math.max(...group.map((one, i) => Heard.longest(inside[i], one))) : null,
      };
    });
  },
  /* Every live block lies in one of them: a pool is not where a device has its memory. */
  liesIn: (regions, blocks) => regions.reduce((sum, one) => sum + Heard.within(blocks, one).length, 0) >= blocks.length,
  within(blocks, { start, size }) {
    const place = (address) => {
      let low = 0;
      for (let high = blocks.length; low < high; ) {
        const middle = (low + high) >> 1;
        if (blocks[middle].address < address) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return blocks.slice(place(start), place(start + size));
  },
  /* Bytes of the longest stretch in which no live block lies. */
  longest(inside, { start, size }) {
    const end = start + size;
    let most = 0, begin = start;
    for (const one of inside) {
      most = Math.max(most, Math.min(one.address, end) - begin);
      begin = Math.max(begin, Math.min(one.address + one.size, end));
    }
    return Math.max(most, end - begin);
  },

  /* Bytes and blocks of each owner, by task and call site. */
  held(blocks) {
    const held = new Map();
    for (const { owned, task, site, size } of blocks) {
      const by = owned !== 0 ? task : Listening.UNKNOWN, key = `${by} ${site}`, one = held.get(key) ?? { by, site, live: 0, blocks: 0 };
      one.live += size;
      one.blocks++;
      held.set(key, one);
    }
    return held;
  },
  owners(held, from, listening) {
    const order = [...held.values()].sort((one, other) => other.live - one.live || one.by - other.by || one.site - other.site);
    const owners = order.slice(0, Heard.OWNERS).map(({ by, site, live, blocks: count }) => ({ task: listening.called(Listening.TASKS, by), site: listening.called(Listening.SITES, site), live, blocks: count, growth: from && live - (from.owners.get(`${by} ${site}`)?.live ?? 0) }));
    return { owners, owners_left_out: order.length - owners.length };
  },

  losses(figures, health) {
    const kinds = figures.lost.map((events, number) => ({ kind: Heard.KINDS[number], events, size: number === 0 || number === 5 ? null : figures.lost_bytes[number] }));
    return {
      events: health.lost_events, left_out: figures.left_out, kinds: kinds.filter((one) => one.events > 0), chunks: health.lost_chunks, damaged_chunks: figures.damaged_chunks,
      damaged_bytes: figures.damaged_bytes, late_chunks: figures.late_chunks, malformed_chunks: health.malformed_chunks,
    };
  },
  OWNERS: 12,
  KINDS: ["anything else", "malloc", "calloc", "aligned", "realloc", "free", "failed request"],
};

function capsText(bits, known) {
  const names = Object.entries(known).filter(([, bit]) => bits & bit).map(([name]) => name);
  const rest = Object.values(known).reduce((left, bit) => left & ~bit, bits) >>> 0;
  return [...names, ...(rest === 0 ? [] : [`0x${rest.toString(16)}`])].join("|") || "0";
}

let listening = null;
const replayedOn = (memory) => {
  listening.model?.close();
  listening.model = null;
  if (memory === null) return;
  const model = new LiveModel(engine, memory, listening.need);
  if (listening.number > listening.recordings.length && listening.current.left_out === 0) model.push(listening.current.kept.joined());
  listening.model = model;
};

Object.assign(JOBS, {
  listen(job) {
    const before = listening?.recordings;
    listening?.close();
    listening = new Listening(engine, job.most, before);
    if (job.need > 0) listening.need = new WatchedNeed(job.need);
    if (job.memory !== null && job.memory !== undefined) replayedOn(job.memory);
    return {};
  },
  /* The next bytes; `quiet`: nothing came for a moment. */
  hear(job) {
    for (const bytes of job.pieces ?? []) listening.take(bytes);
    if (job.quiet) listening.quiet();
    return job.moment ? { moment: Heard.moment(listening) } : {};
  },
  /* Nothing follows: the last moment, and the last recording as it is then. */
  heardall() {
    listening.finish();
    const moment = Heard.moment(listening);
    listening.closeRecording();
    return { moment: { ...moment, current_left_out: 0, recordings: Heard.recordings(listening) } };
  },
  heardon(job) {
    replayedOn(job.memory);
    return {};
  },
  recording(job) {
    const one = listening.recordings[job.index];
    return { bytes: one.kept.joined(), label: one.label };
  },
  console: () => ({ bytes: listening.text.joined() }),
  /* What a log says so far that comes from a device without a recorder; null: nothing of a heap. */
  consolesays: () => ({ log: listening.text.size > 0 && listening.text.size <= Heard.LOG ? readLog(engine, engine.face, listening.text.joined()) : null }),
});
Heard.LOG = 1 << 20; /* bytes of a log that is read anew while it grows */
