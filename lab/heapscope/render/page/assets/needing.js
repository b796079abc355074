/* A request that has to fit at any time, asked of a device that is heard: would it be served now, and who stands in
   the way? As heapscope/logs/live/needs.py and blocks.py do it. This file runs in a worker. */
"use strict";

class WatchedNeed {
  constructor(size) { Object.assign(this, { size, answer: WatchedNeed.UNKNOWN, last: null, stopped: 0 }); }

  /* Takes a new answer; `spells`: how often it stopped fitting, where each event was looked at. True: it stopped since. */
  look(answer, spells) {
    const before = this.stopped;
    this.stopped = spells ?? this.stopped + (answer.fits === false && this.last !== false ? 1 : 0);
    this.answer = answer;
    this.last = answer.fits ?? this.last;
    return this.stopped > before;
  }
}
WatchedNeed.UNKNOWN = { fits: null, by: "", largest: null };

const Needing = {
  REASONS: {
    blocks: "between the live blocks are at most", heap: "the heap said that its largest free block has",
    replay: "the largest that its heap would serve is", "laid anew": "the largest that its heap would serve, were it laid out anew, is",
  },

  /* After each piece of the stream: no answer is known between two pieces. */
  look(listening) {
    const { need, model } = listening, known = listening.figures().known !== 0;
    const regions = Needing.asked(model?.regions() ?? Heard.told(listening), listening.engine.face.capabilities);
    const blocks = known ? Heard.blocks(listening) : [];
    const answer = model === null ? Needing.heard(need.size, regions, blocks, known) : model.answer();
    if (need.look(answer, model === null ? null : model.spells())) listening.telling.happened("need", Needing.stopped(need, regions, blocks, listening));
  },

  /* Those that plain malloc may be served from. */
  asked(regions, { DEFAULT, "8BIT": bytes }) {
    for (const bit of [DEFAULT, bytes]) {
      const result = regions.filter((one) => one.caps & bit);
      if (result.length > 0) return result;
    }
    return regions;
  },
  /* Between the live blocks is at most so much room: that it does not fit is then sure. That it fits is the heap's word. */
  heard(size, regions, blocks, known) {
    if (regions.length === 0) return WatchedNeed.UNKNOWN;
    if (known) {
      const room = Math.max(...regions.map((one) => Heard.longest(Heard.within(blocks, one), one)));
      if (room < size) return { fits: false, by: "blocks", largest: room };
    }
    const stated = regions.map((one) => one.largest).filter((one) => one !== null), largest = Math.max(0, ...stated);
    if (stated.length > 0 && largest >= size) return { fits: true, by: "heap", largest };
    return stated.length > 0 && stated.length === regions.length ? { fits: false, by: "heap", largest } : WatchedNeed.UNKNOWN;
  },

  /* The owners of the stretch of `size` bytes whose live bytes are fewest. */
  way(size, regions, blocks, listening) {
    let best = [], least = null;
    for (const region of regions) {
      const inside = Heard.within(blocks, region), end = region.start + region.size;
      const starts = [region.start, ...inside.map((one) => one.address + one.size)], ends = [...inside.map((one) => one.address), end];
      const sums = [0];
      for (const one of inside) sums.push(sums.at(-1) + one.size);
      for (let first = 0, last = 0; first < starts.length; first++) {
        last = Math.max(last, first);
        while (last < ends.length && ends[last] - starts[first] < size) last++;
        if (last === ends.length) break;
        const held = sums[last] - sums[first];
        if (least === null || held < least) [best, least] = [inside.slice(first, last), held];
      }
    }
    return Heard.owners(Heard.held(best), null, listening).owners;
  },
  stopped(need, regions, blocks, listening) {
    const what = `${bytesOf(need.size)} for malloc`, { fits, by, largest } = need.answer;
    if (fits !== false) return `${what} did not fit for a moment`;
    const text = `${what} do not fit: ${Needing.REASONS[by]} ${bytesOf(largest ?? 0)}`, [first] = Needing.way(need.size, regions, blocks, listening);
    if (first === undefined) return text;
    return `${text}; most in the way: ${first.task || "an unknown task"} with ${bytesOf(first.live)} in ${several(first.blocks, "block")}${first.site === "" ? "" : `, ${first.site}`}`;
  },
  rows(listening, regions, blocks) {
    const { need } = listening;
    if (need === null) return [];
    const requested = Needing.asked(regions, listening.engine.face.capabilities);
    return [{ size: need.size, stopped: need.stopped, ...need.answer, in_the_way: need.answer.fits === false ? Needing.way(need.size, requested, blocks, listening) : [] }];
  },
};
