/* How the heap of a device that is heard is doing, by the structs of the engine's listener, with names and null in
   place of what is not known. This file runs in a worker. */
"use strict";

const reportedNumber = (value) => (value === Number(NEVER) ? null : value);

const Heard = {
  /* Everything as it stands, and what was printed and happened since the last moment. */
  moment(listening) {
    const figures = listening.figures(), health = listening.health(), facts = listening.facts();
    const open = listening.number > listening.recordings.length;
    const lately = listening.lately(), grown = lately.grown !== 0;
    return {
      bytes: listening.bytes, before: listening.before, recording: listening.number - listening.before, boot: facts.boot ?? "", reset: facts.reset ?? "", chip: facts.chip ?? "",
      time: lately.clocked ? lately.time : null, rate: lately.rated ? lately.rate : null, churn: lately.rated ? lately.churn : null, window: grown ? lately.window : null, growth: grown ? lately.growth : null,
      known: figures.known !== 0, level: figures.level, filtered: figures.filtered !== 0, live: reportedNumber(figures.live), live_blocks: reportedNumber(figures.live_blocks), live_peak: figures.live_peak,
      events: health.events, failures: figures.failures, snapshots: figures.snapshots, corrections: figures.corrections,
      memory: Heard.memory(listening, figures.hertz),
      owners: Heard.owners(listening, "hs_lab_listener_owners").map((one) => ({ ...one, growth: grown ? one.growth : null })), owners_left_out: Math.max(0, lately.owners - Heard.OWNERS),
      losses: Heard.losses(listening, figures, health),
      needs: listening.watched().map((one, index) => ({ ...one, in_the_way: Heard.inTheWay(listening, index) })),
      recordings: Heard.recordings(listening),
      text: { size: listening.text_taken, characters: listening.characters, odd: listening.odd, left_out: listening.text_left_out }, current_left_out: open ? listening.current.left_out : 0,
      ...listening.telling.take(),
    };
  },

  recordings: (listening) => listening.recordings.map(({ kept, ...one }) => ({ ...one, size: kept?.size ?? 0, dropped: kept === null })),
  memory: (listening, hertz) => listening.rows("hs_lab_listener_memories").map(numbered).map((row) => ({
    name: listening.memory === null ? listening.called(Listening.REGIONS, row.region) : Heard.regionName(listening.memory, row.region),
    capabilities: capsText(row.caps, listening.engine.face.capabilities), size: row.size, by: listening.word("source", row.by),
    free: reportedNumber(row.free), largest: reportedNumber(row.largest), minimum: reportedNumber(row.minimum),
    said: hertz === 0 || reportedNumber(row.age) === null ? null : row.age / hertz,
    live: reportedNumber(row.live), blocks: reportedNumber(row.blocks), room: reportedNumber(row.room),
  })),
  regionName: (memory, region) => (memory.pool ? "pool" : memory.regions[region].split(" 0x")[0]),
  /* Those that hold most. */
  owners: (listening, call, ...index) => listening.rows(call, ...index).slice(0, Heard.OWNERS).map(numbered).map(({ task, site, ...one }) => ({ task: listening.called(Listening.TASKS, task), site: listening.called(Listening.SITES, site), ...one })),
  inTheWay: (listening, index) => Heard.owners(listening, "hs_lab_listener_in_the_way", index),

  losses(listening, figures, health) {
    const kinds = figures.lost.map((events, number) => ({ kind: listening.word("lost", number), events, size: reportedNumber(figures.lost_bytes[number]) }));
    return {
      events: health.lost_events, left_out: figures.left_out, missing: figures.missing, kinds: kinds.filter((one) => one.events > 0), chunks: health.lost_chunks, damaged_chunks: figures.damaged_chunks,
      damaged_bytes: figures.damaged_bytes, late_chunks: figures.late_chunks, malformed_chunks: health.malformed_chunks,
    };
  },
  OWNERS: 12,
};

let listening = null;
Object.assign(JOBS, {
  listen(job) {
    const before = listening?.recordings;
    listening?.close();
    listening = new Listening(engine, job.most, before);
    if (job.need > 0) listening.watch(job.need);
    listening.replay(job.memory ?? null);
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
    listening.replay(job.memory);
    return {};
  },
  recording(job) {
    const one = listening.recordings[job.index];
    return { bytes: one.kept.joined(), label: one.label };
  },
  console: () => ({ bytes: listening.text.joined() }),
  /* What a log says so far that comes from a device without a recorder; null: nothing of a heap. */
  consolesays: () => ({ log: listening.text.size > 0 && listening.text.size <= Heard.LOG ? readLog(engine, listening.text.joined()) : null }),
});
Heard.LOG = 1 << 20; /* bytes of a log that is read anew while it grows */
