"use strict";
/* The map of address x time: its colours, and what lies under the pointer. */
(() => {
  const RAMP = [[49, 54, 149], [69, 117, 180], [116, 196, 200], [253, 219, 110], [240, 101, 52], [178, 10, 60]];
  const OWNER = { free: 0, allocator: 1, startup: 2, task: 3, others: 255 };
  const GAP = 5;

  const { parse } = PATTERN;
  function ownerColour(map, owner) {
    if (owner === OWNER.allocator) return map.allocator;
    if (owner === OWNER.startup) return map.startup;
    return owner === OWNER.others ? map.others : map.colours[owner - OWNER.task];
  }
  /* The memory of a private heap or a pool is a block of the region that it was taken from. */
  function startup(map) {
    const owned = map.strips.some((strip) => /^(private|pool) /.test(strip.kind));
    return owned ? "start-up, or the memory of a private heap or pool" : "start-up";
  }
  function ownerPattern(map, owner) {
    return owner >= OWNER.task && owner !== OWNER.others ? map.patterns[owner - OWNER.task] : 0;
  }
  function ownerName(map, owner) {
    if (owner === OWNER.allocator) return "the allocator";
    if (owner === OWNER.startup) return startup(map);
    return owner === OWNER.others ? "other tasks" : map.tasks[owner - OWNER.task];
  }
  function ramp(share) {
    const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
    const i = Math.min(RAMP.length - 2, Math.floor(at)), part = at - i;
    return RAMP[i].map((value, k) => Math.round(value + part * (RAMP[i + 1][k] - value)));
  }
  function pixel([r, g, b], alpha) {
    return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
  }
  function cells(side) {
    return HS.find(`${side.number}/map`).tags[0].data;
  }
  /* The span of a logarithmic plane's values, zeros left out. */
  function extent(values) {
    let least = 255, most = 1;
    for (const value of values) {
      if (value && value < least) least = value;
      if (value > most) most = value;
    }
    return [Math.min(least, most), most];
  }
  function palette(side, mode) {
    const map = side.map, table = new Array(256);
    if (mode === "owner") {
      for (let i = 1; i < 256; i++) {
        const colour = ownerColour(map, i);
        table[i] = colour ? parse(colour) : [128, 128, 128];
      }
      return table;
    }
    const [least, most] = extent(cells(side)[mode]);
    for (let i = 0; i < 256; i++) table[i] = ramp((i - least) / Math.max(1, most - least));
    return table;
  }
  function paint(side, mode) {
    const { map } = side, { owner, used } = cells(side), plane = cells(side)[mode];
    const colours = palette(side, mode);
    const plain = palette(side, "owner");
    map.strips.forEach((strip, index) => {
      const source = HS.find(`${side.number}/map/strip${index}`);
      const image = source.data.image[0];
      for (let column = 0; column < map.columns; column++) {
        for (let row = 0; row < strip.rows; row++) {
          const cell = column * map.rows + strip.first_row + row;
          /* Statics have no size or age: they keep their own colour. */
          const byOwner = mode === "owner" || !plane[cell];
          const colour = byOwner && PATTERN.marks(ownerPattern(map, owner[cell]), column, row) ? PATTERN.mark(plain[owner[cell]]) : byOwner ? plain[owner[cell]] : colours[plane[cell]];
          image[row * map.columns + column] =
            used[cell] ? pixel(colour, 40 + Math.round((215 * used[cell]) / 255)) : 0;
        }
      }
      source.change.emit();
    });
    legend(side, mode);
  }
  function legend(side, mode) {
    const box = document.querySelector(`[data-map-legend="${side.number}"]`);
    box.replaceChildren();
    const key = (colour, name, pattern = 0) => {
      const built = HS.element("span", "key");
      built.append(HS.swatch(colour, "swatch", pattern), name);
      box.append(built);
    };
    if (mode === "owner") {
      const present = new Set(cells(side).owner);
      for (const owner of [...present].sort((a, b) => a - b)) {
        if (owner > OWNER.startup) key(ownerColour(side.map, owner), ownerName(side.map, owner), ownerPattern(side.map, owner));
      }
    } else {
      const [least, most] = extent(cells(side)[mode]);
      const value = (code) => Math.round(2 ** ((code - 1) / 8));
      const built = HS.element("span", "key");
      const bar = HS.element("span", "ramp");
      const stops = RAMP.map((colour) => `rgb(${colour.join(" ")})`).join(", ");
      bar.style.background = `linear-gradient(90deg, ${stops})`;
      const unit = mode === "size" ? "B" : "events";
      built.append(`${mode}: ${HS.number(value(least))}`, bar, `${HS.number(value(most))} ${unit}`);
      box.append(built);
    }
    const others = new Set(cells(side).owner);
    if (others.has(OWNER.startup)) key(side.map.startup, startup(side.map));
    if (others.has(OWNER.allocator)) key(side.map.allocator, "the allocator's own");
  }

  /* ---- under the pointer ---------------------------------------------------------------------- */
  function rowAt(map, y) {
    let bottom = map.rows + GAP * map.strips.length;
    for (const strip of map.strips) {
      bottom -= GAP + strip.rows;
      const row = Math.floor(y - bottom);
      if (row >= 0 && row < strip.rows) return [strip, row];
    }
    return null;
  }
  const hex = (value) => "0x" + value.toString(16).padStart(8, "0");
  function blockRows(side, number) {
    const { blocks } = side.map;
    const born = blocks.born[number], died = blocks.died[number];
    const end = side.columns.first_event.at(-1) + side.width;
    const rows = [
      { head: `block at ${hex(blocks.address[number])}` },
      ["task", blocks.task_names[blocks.task[number]]],
      ["size", HS.bytes(blocks.size[number])],
      ["held with rounding", HS.bytes(blocks.held[number])],
      ["allocated at", HS.moment(side, born, blocks.born_time[number])],
      died === null ? ["freed", "never"] : ["freed at", HS.moment(side, died, blocks.died_time[number])],
      ["lifetime", died === null ? `over ${HS.number(Math.max(0, end - born))} events`
        : `${HS.number(died - born)} events`],
    ];
    const site = blocks.site_names[blocks.site[number]];
    if (site) rows.splice(2, 0, ["site", site]);
    if (side.clock && died !== null) {
      rows.push(["", HS.duration(side, blocks.died_time[number] - blocks.born_time[number])]);
    }
    return rows;
  }
  HS.tips.map = (side, x, y) => {
    const result = rowAt(side.map, y);
    if (result === null || x < 0 || x >= side.map.columns * side.width) return null;
    const [strip, row] = result;
    const column = HS.column(side, x);
    const { owner, used, block } = cells(side);
    const cell = column * side.map.rows + strip.first_row + row;
    const from = strip.start + Math.floor((strip.size * row) / strip.rows);
    const to = strip.start + Math.floor((strip.size * (row + 1)) / strip.rows);
    const rows = block[cell] ? blockRows(side, block[cell] - 1)
      : [{ head: used[cell] ? ownerName(side.map, owner[cell]) : "free" }];
    rows.push(["row", `${hex(from)} to ${hex(to - 1)}, ${strip.kind}`]);
    if (used[cell] && used[cell] < 255) {
      rows.push(["free in it", `${HS.number(Math.round((to - from) * (1 - used[cell] / 255)))} B of ${HS.bytes(to - from)}`]);
    }
    rows.push(["after", HS.moment(side, side.moments.event[column], side.moments.time[column])]);
    return rows;
  };

  HS.startMaps = () => {
    let mode = "owner";
    const all = () => HS.data.sides.forEach((side) => paint(side, mode));
    for (const input of document.querySelectorAll("input[name=colour]")) {
      input.addEventListener("change", () => { mode = input.value; all(); });
    }
    all();
  };
})();
