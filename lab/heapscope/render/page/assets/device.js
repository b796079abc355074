"use strict";
/* A device that is listened to: what came is handed to the worker, and how its heap stands is shown as it comes. */
(() => {
  const box = document.querySelector("[data-device]");
  const find = (name) => box.querySelector(`[data-${name}]`);
  const form = find("connect"), button = (name) => box.querySelector(`[data-act="${name}"]`);
  const number = (value) => Number(value).toLocaleString("en-US");
  const PERIOD = 200, QUIET = 60, SILENCE = 5000, SAYS = 2000; /* ms: a moment, a line without an end, no byte, a log without a recorder */
  const WAITING = 8 << 20; /* bytes that wait for the worker; then the port waits */
  const LINES = 400, LAST = 12, POINTS = 600; /* of the log, of what happened, of the curve */
  const ODD = 0.2, ENOUGH = 100; /* the share of characters that no text has, and of how many at least */
  const LEVELS = ["every event", "soon freed blocks as counts", "a sample", "failed requests only"];
  let port = null, waiting = [], held = 0, busy = false, next = 0, timer = null, moment = null, state = {};

  const say = (text) => { if (find("state").textContent !== text) find("state").textContent = text; };

  /* ---- bytes ---- */
  function joined(pieces) {
    const out = new Uint8Array(pieces.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of pieces) {
      out.set(one, at);
      at += one.length;
    }
    return out;
  }
  async function take(bytes) {
    waiting.push(bytes);
    held += bytes.length;
    clearTimeout(state.silence);
    const sent = pump();
    if (held > WAITING) await sent;
  }
  async function hear(job, what = "hear") {
    const begun = performance.now(), answer = await HS.ask(what, job);
    if (answer.moment !== undefined) {
      show(answer.moment);
      next = performance.now() + Math.max(PERIOD, 5 * (performance.now() - begun));
    }
  }
  async function pump() {
    if (busy) return state.pumping;
    busy = true;
    clearTimeout(timer);
    state.pumping = (async () => {
      try {
        while (waiting.length > 0) {
          const pieces = [joined(waiting)];
          waiting = [];
          held = 0;
          await hear({ pieces, moment: performance.now() >= next });
        }
      } catch (error) {
        broken(error);
      }
      busy = false;
      timer = setTimeout(() => !busy && port !== null && hear({ quiet: true, moment: true }).catch(broken), QUIET);
    })();
    return state.pumping;
  }
  /* The worker cannot go on, so there is nobody to read for. */
  function broken(error) {
    state.broken ??= error.message;
    port?.stop();
  }

  /* ---- the connection ---- */
  async function connect() {
    const baud = Number(form.baud.value);
    button("connect").disabled = true;
    try {
      port = await HS.serial.connect(baud);
    } catch (error) {
      button("connect").disabled = false;
      if (!(error instanceof HS.serial.PortError)) throw error;
      return void say(error.message);
    }
    try {
      await begin(baud);
      const end = await port.read(take, (name) => (state.line[name] = (state.line[name] ?? 0) + 1));
      await ended(end);
    } catch (error) {
      await ended(error.message);
    }
  }
  async function begin(baud) {
    [waiting, held, busy, next, moment] = [[], 0, false, 0, null];
    state = { baud, line: {}, points: [], lines: [], lines_left_out: 0, failed: [], happened: [], kinds: {}, said: null, reading: false, read: 0, recording: 0 };
    await HS.ask("listen", { memory: chosen(), need: Math.floor(Number(form.need.value)) });
    button("stop").disabled = false;
    button("stop").focus();
    find("heard").hidden = false;
    say(`Listening at ${number(baud)} baud. Nothing came yet.`);
    state.silence = setTimeout(() => say(`Listening at ${number(baud)} baud. Nothing came yet: does the device run, and does this port have its log?`), SILENCE);
  }
  const ENDS = { stopped: "Stopped.", unplugged: "The device was unplugged, or its port went away.", ended: "The port ended." };
  async function ended(end) {
    clearTimeout(state.silence);
    clearTimeout(timer);
    await port.close();
    port = null;
    try {
      await pump();
      clearTimeout(timer);
      state.said = null;
      await hear({}, "heardall");
    } catch (error) {
      end = error.message;
    }
    const focused = document.activeElement === button("stop");
    button("stop").disabled = true;
    button("connect").disabled = false;
    if (focused) button("connect").focus();
    end = state.broken ?? end;
    const why = ENDS[end] ?? `The port broke off: ${end}`;
    say(`${why} ${summary()}`);
    if (moment !== null && moment.recording === 0 && moment.text.size > 0 && !garbage()) await answerLog();
    document.documentElement.dataset.heard = String(Number(document.documentElement.dataset.heard ?? 0) + 1);
  }
  /* A console without a recorder is answered as a log that is dropped. */
  async function answerLog() {
    const { bytes } = await HS.ask("console");
    try {
      await HS.explore.open(HS.ask("open", { bytes: bytes.buffer }), "The console of the device");
    } catch (error) {
      HS.explore.find("says").textContent = `The console of the device: ${error.message}`;
    }
  }
  const chosen = () => (form.replayed.selectedIndex <= 0 ? null : HS.memories[form.replayed.selectedIndex - 1]);

  /* ---- in words ---- */
  const garbage = () => moment.recording === 0 && moment.text.characters >= ENOUGH && moment.text.odd > ODD * moment.text.characters;
  function summary() {
    if (moment === null || moment.bytes === 0) return "Nothing came.";
    const recordings = moment.recording;
    return `${number(moment.bytes)} B came, ${recordings === 0 ? "no recording among them" : `${number(recordings)} recording${recordings === 1 ? "" : "s"} among them`}.`;
  }
  function heap() {
    if (moment.recording === 0) return "No chunk of a recording yet.";
    const { boot, reset, chip, time, level } = moment;
    const whose = [`Recording ${number(moment.before + moment.recording)}`, ...(boot ? [`boot ${boot}`] : []), ...(reset ? [`after ${reset}`] : []), ...(chip ? [chip] : []), ...(time === null ? [] : [`${time.toLocaleString("en-US", { maximumFractionDigits: 3 })} s`])];
    const live = moment.live === null ? "Live blocks are not known until a whole snapshot arrives" : `${number(moment.live)} B are live in ${number(moment.live_blocks)} blocks`;
    const grew = moment.growth === null ? "" : `, ${signed(moment.growth)} B in ${moment.window.toFixed(0)} s`, rates = moment.rate === null ? "" : ` There are ${number(Math.round(moment.rate))} events and ${number(Math.round(moment.churn))} B asked for a second.`;
    const recorded = level > 0 || moment.filtered ? ` Recorded: ${LEVELS[Math.min(level, 3)]}${moment.filtered ? ", filtered" : ""}.` : "";
    return `${whose.join(", ")}. ${live}${grew}; the peak was ${number(moment.live_peak)} B. ${number(moment.events)} events, ${number(moment.failures)} failed requests.${rates}${recorded}`;
  }
  function notes() {
    const { losses, text } = moment, stated = [];
    const { missing } = losses, tell = (value, words) => value > 0 && stated.push(words);
    if (garbage()) stated.push(`${Math.round((100 * text.odd) / text.characters)} % of what came is neither text nor a recording: the speed is probably wrong. Stop, choose the speed that the device has, and connect again.`);
    if (moment.recording > 0) stated.push(missing === 0 ? "No event is missing." : `${number(missing)} events are missing.`);
    tell(losses.left_out, `${number(losses.left_out)} events were left out on purpose, by a level or a filter.`);
    tell(losses.chunks, `${number(losses.chunks)} chunks are missing.`);
    tell(losses.damaged_chunks, `${number(losses.damaged_chunks)} chunks are damaged (${number(losses.damaged_bytes)} B).`);
    tell(losses.late_chunks, `${number(losses.late_chunks)} chunks of the boot before came late and are left aside.`);
    tell(losses.malformed_chunks, `${number(losses.malformed_chunks)} chunks are written wrong.`);
    tell(moment.corrections, `${number(moment.corrections)} blocks were corrected by snapshots.`);
    for (const [name, count] of Object.entries(state.line)) stated.push(`The line had ${number(count)} ${name}${count === 1 ? "" : "s"}${name === "framing error" ? ": the speed may be wrong" : ""}.`);
    tell(moment.current_left_out, `The page has no room for more: ${number(moment.current_left_out)} B of this recording were left out at its end.`);
    tell(text.left_out, `${number(text.left_out)} B of the log were left out: the page keeps its beginning.`);
    if (state.said !== null) stated.push(...state.said.sentences.map(HS.plain), "When you stop, the whole log is answered above as a file is.");
    find("notes").replaceChildren(...stated.map((one) => HS.node("li", one)));
  }

  /* ---- tables ---- */
  const signed = (value) => `${value > 0 ? "+" : ""}${number(value)}`;
  const reported = (value) => (value === null ? "not told" : number(value));
  const COLUMNS = {
    memory: [["Memory", (one) => HS.plain(one.name)], ["capabilities", (one) => (one.name === "pool" && one.by !== "heap" ? "any" : one.capabilities)], ["bytes", (one) => reported(one.size)], ["free", (one) => reported(one.free)], ["largest block", (one) => reported(one.largest)], ["least free", (one) => reported(one.minimum)], ["live", (one) => reported(one.live)], ["at most fits", (one) => reported(one.room)], ["told by", (one) => (one.by || "nobody") + (one.said === null ? "" : `, ${one.said.toFixed(1)} s ago`)]],
    owners: [["Task", (one) => HS.plain(one.task) || "not told"], ["Call site", (one) => HS.plain(one.site)], ["bytes", (one) => reported(one.live)], ["blocks", (one) => reported(one.blocks)], ["grew by", (one) => (one.growth === null ? "not known" : signed(one.growth))]],
    needs: [["Need", (one) => reported(one.size)], ["fits", (one) => ({ true: "yes", false: "no" })[one.fits] ?? "not known"], ["told by", (one) => one.by || "nobody"], ["largest block", (one) => reported(one.largest)], ["stopped fitting, times", (one) => reported(one.stopped)]],
    way: [["Task", (one) => HS.plain(one.task) || "not told"], ["Call site", (one) => HS.plain(one.site)], ["bytes", (one) => reported(one.live)], ["blocks", (one) => reported(one.blocks)]],
    failed: [["Request", (one) => HS.plain(one.text)]],
    happened: [["Event", (one) => HS.plain(one.text)]],
    recordings: [["Recording", (one) => `${number(one.number)}, ${HS.plain(one.label)}`], ["File", (one) => one], ["after", (one) => HS.plain(one.reset) || "not told"], ["events", (one) => reported(one.events)], ["missing", (one) => reported(one.lost)], ["failed", (one) => reported(one.failures)], ["bytes kept", (one) => (one.dropped ? "none: later ones needed the room" : `${number(one.size)}${one.left_out > 0 ? `, ${number(one.left_out)} left out at its end` : ""}`)]],
  };
  const WORDS = ["fits", "Memory", "capabilities", "told by", "Task", "Call site", "Request", "Event", "Recording", "File", "after"];
  function table(name, rows) {
    const built = box.querySelector(`[data-rows="${name}"]`), columns = COLUMNS[name];
    built.hidden = rows.length === 0;
    const kind = (heading) => (WORDS.includes(heading) ? {} : { class: "number" });
    if (built.querySelector("th") === null) built.querySelector("tr").replaceChildren(...columns.map(([heading]) => HS.node("th", heading, { scope: "col", ...kind(heading) })));
    built.querySelector("tbody").replaceChildren(...rows.map((row, index) => {
      const line = HS.node("tr");
      line.append(...columns.map(([heading, of]) => (heading === "File" ? actions(row, index) : HS.node("td", of(row), kind(heading)))));
      return line;
    }));
  }
  function actions(row, index) {
    const cell = HS.node("td"), whose = `recording ${row.number}`;
    if (row.dropped || row.size === 0) return cell;
    for (const [act, text] of [["save", "Save as .hst"], ["explore", "Explore"]]) cell.append(HS.node("button", text, { type: "button", "data-act": act, "data-index": index, "aria-label": `${text}: ${whose}` }), " ");
    return cell;
  }
  function showRecordings() {
    const key = JSON.stringify(moment.recordings);
    if (key === state.recordings) return; /* a button that has the focus stays */
    state.recordings = key;
    table("recordings", moment.recordings);
  }

  /* ---- the curve ---- */
  function curve() {
    if (state.recording !== moment.recording) [state.recording, state.points] = [moment.recording, []];
    const heard = moment.memory.filter((one) => one.free !== null);
    const series = heard.flatMap((one) => [[`${one.name}: free`, one.free], [`${one.name}: largest block`, one.largest]]);
    if (moment.recording > 0) series.push(["live bytes", moment.live]);
    if (!series.some(([, value]) => value !== null)) return;
    const time = moment.time ?? performance.now() / 1000, { points } = state;
    if ((points.length === 0 || time > points.at(-1).time || points.at(-1).series.length !== series.length)) {
      if (points.length > 0 && points.at(-1).series.length !== series.length) points.length = 0;
      points.push({ time, series });
    }
    if (points.length > POINTS) state.points = points.filter((_, i) => i % 2 === 1);
    find("curve").hidden = state.points.length < 2;
    if (state.points.length > 1) drawCurve(state.points);
  }
  function drawCurve(points) {
    const svg = find("curve").querySelector("svg"), first = points[0].time, last = points.at(-1).time;
    const top = points.reduce((most, one) => one.series.reduce((result, [, value]) => Math.max(result, value ?? 0), most), 1), names = points.at(-1).series.map(([name]) => name);
    const look = (i) => ({ colour: HS.colours[(i >> 1) % HS.colours.length], dash: i % 2 === 1 ? "7 5" : "none" });
    svg.setAttribute("aria-label", `${names.join(", ")} over time, from 0 to ${number(top)} B. The table below has the last values.`);
    svg.replaceChildren(...names.map((_, i) => {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
      line.setAttribute("points", points.filter((one) => one.series[i][1] !== null).map((one) => `${((1000 * (one.time - first)) / Math.max(last - first, 1e-9)).toFixed(1)},${(178 - (174 * one.series[i][1]) / top).toFixed(1)}`).join(" "));
      for (const [name, value] of Object.entries({ fill: "none", stroke: look(i).colour, "stroke-width": "2", "stroke-dasharray": look(i).dash, "vector-effect": "non-scaling-stroke" })) line.setAttribute(name, value);
      return line;
    }));
    find("top").textContent = `${number(top)} B`;
    find("span").textContent = `the last ${(last - first).toFixed(1)} s`;
    if (find("keys").dataset.names === names.join("\n")) return;
    find("keys").dataset.names = names.join("\n");
    find("keys").replaceChildren(...names.map((name, i) => {
      const key = HS.node("li", null, { class: "key" }), swatch = HS.node("i", null, { class: "swatch" });
      swatch.style.background = i % 2 === 1 ? `repeating-linear-gradient(90deg, ${look(i).colour} 0 3px, transparent 3px 5px)` : look(i).colour;
      key.append(swatch, HS.plain(name));
      return key;
    }));
  }

  /* ---- a moment ---- */
  function show(now) {
    moment = now;
    for (const one of now.happenings) {
      state.happened.push(one);
      if (one.kind === "failed") state.failed.push(one);
    }
    state.happened = state.happened.slice(-LAST);
    state.failed = state.failed.slice(-LAST);
    if (now.log.length > 0 || now.log_left_out > 0) {
      state.lines = [...state.lines, ...now.log.map((one) => HS.plain(one)), ...(now.log_left_out > 0 ? [`... ${number(now.log_left_out)} lines were too fast to be shown ...`] : [])].slice(-LINES);
      const shown = find("lines"), below = shown.scrollHeight - shown.scrollTop - shown.clientHeight < 40;
      find("console").hidden = false;
      shown.textContent = state.lines.join("\n");
      if (below) shown.scrollTop = shown.scrollHeight;
    }
    if (port !== null && now.bytes > 0) say(garbage() ? "The speed is probably wrong: what comes is neither text nor a recording." : now.recording > 0 ? `Listening at ${number(state.baud)} baud: a recording comes.` : `Listening at ${number(state.baud)} baud: a log comes, and no recording yet.`);
    find("now").textContent = HS.plain(heap());
    notes();
    curve();
    table("memory", now.memory);
    table("needs", now.needs);
    table("way", now.needs.flatMap((one) => one.in_the_way));
    table("owners", now.owners);
    table("failed", state.failed.toReversed());
    table("happened", state.happened.toReversed());
    showRecordings();
    if (now.recording === 0) readLog(state);
    document.documentElement.dataset.moments = String(Number(document.documentElement.dataset.moments ?? 0) + 1);
  }
  /* The log of a device without a recorder, as far as it came, at most once in a while. */
  async function readLog(own) {
    if (own.reading || own !== state || port === null || moment.recording > 0 || moment.text.size === own.read) return;
    own.reading = true;
    own.read = moment.text.size;
    const { log } = await HS.ask("consolesays");
    if (own === state && port !== null) {
      own.said = log;
      notes();
    }
    setTimeout(() => {
      own.reading = false;
      readLog(own);
    }, SAYS);
  }

  /* ---- files ---- */
  function save(bytes, name) {
    const link = HS.node("a", null, { download: name, href: URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
  async function act(name, index) {
    if (name === "stop") return void port?.stop();
    if (name === "console") return save((await HS.ask("console")).bytes, "heard.log");
    const { bytes, label } = await HS.ask("recording", { index });
    const same = moment.recordings.slice(0, index).filter((one) => one.label === label).length;
    const file = `heard-${label}${same === 0 ? "" : `-${same + 1}`}.hst`;
    if (name === "save") return save(bytes, file);
    await HS.explore.open(HS.ask("open", { bytes: bytes.buffer }), file);
    HS.explore.root.scrollIntoView();
  }

  if (!HS.serial.there()) return;
  find("without").hidden = true;
  find("with").hidden = false;
  box.addEventListener("click", (one) => {
    const pressed = one.target.closest("[data-act]");
    if (pressed === null || pressed.dataset.act === "connect") return;
    act(pressed.dataset.act, Number(pressed.dataset.index)).catch((error) => say(error.message));
  });
  form.addEventListener("submit", (one) => {
    one.preventDefault();
    if (port === null) connect().catch((error) => say(error.message));
  });
  window.addEventListener("beforeunload", (one) => port !== null && one.preventDefault());
  form.replayed.addEventListener("change", () => port !== null && HS.ask("heardon", { memory: chosen() }).catch((error) => say(error.message)));
  HS.device = {
    get last() { return moment; },
    get happened() { return state.happened; },
    begin() {
      button("connect").disabled = false;
      form.replayed.replaceChildren(HS.node("option", "what the device's heap says"), ...HS.memories.map((one) => HS.node("option", `by a replay on ${one.name}`)));
    },
  };
})();
