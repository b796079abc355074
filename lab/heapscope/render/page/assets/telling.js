"use strict";
/* What is stated beside the picture: the range, the pins, the block and the cursor. */
(() => {
  const { find, number, filter, filters, taskName, siteName, seen, words } = HS.explore;
  const { clamp, hex, seconds } = words;

  function table(box, rows, columns) {
    box.replaceChildren(...rows.slice(0, 200).map((row) => {
      const built = HS.node("tr");
      built.append(HS.node("td", taskName(row.task)), HS.node("td", siteName(row.site)), ...columns.map((name) => HS.node("td", number(row[name]), { class: "number" })));
      return built;
    }));
  }
  /* Nothing is said of an event that the replay has not reached. */
  const waits = (event) => seen.shown.partial && event >= seen.shown.picture.events;
  /* The next frame, with what was stated so far; a page that is not seen has none. */
  const frame = () => new Promise((resolve) => (document.hidden ? resolve() : requestAnimationFrame(() => setTimeout(resolve, 0))));
  let ranges = 0;
  /* The sums come first; the table and the flames, which take the browser longer, in the frame after them. */
  async function showRange() {
    const { range, shown } = seen, mine = ++ranges;
    find("range").hidden = range === null;
    if (range === null) return;
    const { left, right } = range, requested = await filters();
    if (waits(right - 1)) return void (find("rangesays").textContent = "The end of the range is not replayed yet.");
    const [{ rows }, { times }] = await Promise.all([HS.ask("range", { ...range, filter: requested }), HS.ask("times", { events: [left, right - 1] })]);
    const sum = (name) => rows.reduce((total, row) => total + row[name], 0), span = `From event ${number(left)}${seconds(times[0])} to ${number(right)}${seconds(times[1])}`;
    find("rangesays").textContent = requested.failed ? `${span}: ${number(sum("blocks"))} requests for ${number(sum("bytes"))} B failed.` : `${span}: ${number(sum("blocks"))} blocks with ${number(sum("bytes"))} B were allocated there, and ${number(sum("stayed"))} with ${number(sum("stayed_bytes"))} B were still live at its end.`;
    await frame();
    if (mine !== ranges) return;
    table(find("rangerows"), rows, ["blocks", "bytes", "stayed", "stayed_bytes"]);
    find("rangeflame").replaceChildren(...HS.explore.flame(rows, (name) => {
      filter.site.value = name;
      HS.explore.changed();
    }));
  }
  async function showPins() {
    const { pins } = seen, both = pins.A !== undefined && pins.B !== undefined;
    find("pins").hidden = !both;
    if (!both) return;
    if (waits(Math.max(pins.A, pins.B))) return void (find("pinsays").textContent = "The later pin is not replayed yet.");
    const requested = await filters();
    const { rows } = await HS.ask("difference", { first: pins.A, second: pins.B, filter: requested });
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0), count = rows.reduce((sum, row) => sum + row.blocks, 0);
    const { times } = await HS.ask("times", { events: [pins.A, pins.B] }), span = `From event ${number(pins.A)}${seconds(times[0])} to event ${number(pins.B)}${seconds(times[1])}`;
    find("pinsays").textContent = requested.failed ? `${span}, ${number(count)} requests for ${number(bytes)} B failed.` : `${span}, live bytes changed by ${number(bytes)}.`;
    table(find("pinrows"), rows, ["blocks", "bytes"]);
  }
  async function showLife() {
    seen.asks = showLife;
    const { cursor, shown } = seen, place = PLACES.address(shown.strips, cursor.y);
    if (place === null) return say("There is no region at the cursor.");
    if (waits(cursor.event)) return say(`Event ${number(Math.floor(cursor.event))} is not replayed yet.`);
    const { life, whose } = await HS.ask("pick", { event: Math.floor(cursor.event), ...place });
    find("life").hidden = life === null;
    if (life === null) return say(`Event ${number(Math.floor(cursor.event))}, ${hex(place.address)}: ${{ startup: "start-up", allocator: "the allocator's own" }[whose] ?? "no block of the trace is there"}.`);
    const near = (one) => (one === null ? "none" : `${hex(one.address)}, ${number(one.size)} B, ${taskName(one.task)}, ${siteName(one.site)}, from event ${number(one.born)}`);
    const facts = [
      ["Block", `${hex(life.address)}, ${number(life.size)} B, in ${shown.memory.regions[life.region]}`],
      ["Task", taskName(life.task)], ["Call site", siteName(life.site)],
      ["Allocated", `event ${number(life.born)}${seconds(life.born_time)}`],
      ["Freed", life.died === null ? "never" : `event ${number(life.died)}${seconds(life.died_time)}, after ${number(life.died - life.born)} events`],
      ["Below it then", near(life.below)], ["Above it then", near(life.above)],
    ];
    find("lifefacts").replaceChildren(...facts.flatMap(([name, value]) => [HS.node("dt", name), HS.node("dd", value)]));
    say(`${hex(life.address)}: ${number(life.size)} B of ${taskName(life.task)}, ${siteName(life.site)}.`);
  }
  const say = (text) => (find("cursor").textContent = text);
  async function sayCursor() {
    seen.asks = sayCursor;
    const { cursor, shown } = seen, place = PLACES.address(shown.strips, cursor.y), event = Math.floor(cursor.event);
    if (waits(event)) return say(`Event ${number(event)} is not replayed yet.`);
    const { times } = await HS.ask("times", { events: [event] });
    const time = shown.timeline;
    const bucket = time === null ? 0 : clamp(Math.floor(event / time.width), 0, time.buckets - 1) * time.series;
    const figures = time === null ? "" : ` In its span at most ${number(time.most[bucket])} B were live, and the largest block was ${number(time.least[bucket + 1])} B at its least.`;
    say(`Event ${number(event)}${seconds(times[0])}${place === null ? "" : `, ${hex(place.address)}`}.${figures}`);
  }
  Object.assign(HS.explore, { showRange, showPins, showLife, say, sayCursor });
  function notes() {
    const { census, health, stats } = seen.opened, stated = [];
    stated.push(`It has ${number(census.events)} heap events of ${number(census.tasks)} tasks; at most ${number(census.live_peak)} B were live in the recorded program.`);
    if (stats?.bad_lines > 0) stated.push(`${number(stats.bad_lines)} lines are no events; the first is line ${number(stats.first_bad)}.`);
    if (health.facts_lost) stated.push("The metadata of the recording is damaged: its word size, its allocator and its origin are not known. Nothing tells whether the sizes are those of a chip.");
    if (health.lost_events > 0) stated.push(`${number(health.lost_events)} events are missing. The replay ends at the first gap.`);
    if (health.truncated || !health.ended) stated.push("The trace breaks off: its end is missing.");
    if (health.skipped_bytes > 0) stated.push(`${number(health.skipped_bytes)} bytes are damaged and were left out.`);
    find("answer").replaceChildren(...stated.map((one) => HS.node("li", one)));
    find("first").hidden = false;
  }
  HS.explore.notes = notes;
})();
