"use strict";
/* A device's log that was opened: sentences and tables. */
(() => {
  const { find, number } = HS.explore;
  const address = (value) => `0x${value.toString(16).padStart(8, "0")}`;
  const text = (heading, of) => ({ heading, of: (row) => HS.plain(of(row)), number: false });
  const figure = (name, heading) => ({ heading, of: (row) => (row[name] === null ? "" : `${row.unit > 1 ? "about " : ""}${number(row[name])}`), number: true });
  const line = { heading: "line", of: (row) => number(row.line), number: true };
  const COLUMNS = {
    failed: [figure("size", "bytes"), text("who", (row) => row.who), text("capabilities", (row) => row.capabilities), figure("count", "times"), figure("line", "first line"), figure("last", "last line")],
    states: [line, text("memory", (row) => (row.address === null ? (row.memory === "any" ? row.name : row.memory) : address(row.address))), figure("free", "free"), figure("largest", "largest reported"), figure("min", "minimum free"), figure("used", "used"), figure("total", "total"), text("as printed", (row) => `${row.quote}${row.cut || row.unended ? " (the line is cut)" : ""}`)],
    starts: [line, text("address", (row) => (row.address === null ? "" : address(row.address))), figure("size", "bytes"), text("as printed", (row) => row.quote)],
  };

  function show(box, columns, rows) {
    box.hidden = rows.length === 0;
    const head = columns.map((one) => HS.node("th", one.heading, { scope: "col", ...(one.number ? { class: "number" } : {}) }));
    box.querySelector("tr").replaceChildren(...head);
    box.querySelector("tbody").replaceChildren(...rows.map((row) => {
      const built = HS.node("tr");
      built.append(...columns.map((one) => HS.node("td", one.of(row), one.number ? { class: "number" } : {})));
      return built;
    }));
  }
  function* about(log) {
    yield `It has ${number(log.lines)} lines.`;
    for (const [name, what] of [["chip", "a chip"], ["idf", "a version of ESP-IDF"]]) if (log[name] !== null) yield `The last line that names ${what} is line ${number(log[name].line)}: ${HS.plain(log[name].name)}.`;
    for (const [name, title] of [["states", "figures"], ["starts", "memory at the start"]]) if (log[`${name}_count`] > log[name].length) yield `The table of ${title} shows the last ${number(log[name].length)} of ${number(log[`${name}_count`])} lines.`;
    if (log.others > 0) yield `${number(log.others)} lines tell of starts, tasks, heap traces, faults or another system, which this page does not show.`;
    if (log.unread > 0) yield `${number(log.unread)} lines look like lines of memory and are not understood.`;
    yield "The page shows what single lines state. The command heapscope log judges the whole: the last state, what still fits, whether devices are mixed, which releases the figures are of, and whether memory leaks.";
  }

  HS.explore.showLog = (log, name) => {
    find("says").textContent = HS.plain(log.sentences[0] ?? `${name}: no line states free memory or a request that failed.`);
    find("logsays").replaceChildren(...[...log.sentences.slice(1).map(HS.plain), ...about(log)].map((one) => HS.node("li", one)));
    for (const [key, columns] of Object.entries(COLUMNS)) show(find("logged").querySelector(`[data-log="${key}"]`), columns, log[key]);
  };
})();
