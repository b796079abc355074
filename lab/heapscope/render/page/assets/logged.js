"use strict";
/* A device's log that was opened: sentences and tables. */
(() => {
  const { find, number } = HS.explore;
  const address = (value) => `0x${value.toString(16).padStart(8, "0")}`;
  const text = (name, heading, of = (row) => HS.plain(String(row[name]))) => ({ heading, of, number: false });
  const figure = (name, heading) => ({ heading, of: (row) => (row[name] === null ? "not told" : number(row[name])), number: true });
  const COLUMNS = {
    failed: [figure("size", "bytes"), text("who", "who"), text("capabilities", "capabilities"), figure("count", "times"), figure("line", "first line"), figure("last", "last line")],
    regions: [text("address", "region", (row) => address(row.address)), figure("size", "bytes"), figure("free", "free"), figure("min", "minimum free"), figure("largest", "largest reported"), figure("used_blocks", "used blocks"), figure("free_blocks", "free blocks")],
    figures: [text("memory", "memory"), text("name", "figure"), figure("first", "first"), figure("last", "last"), figure("least", "least"), figure("most", "most"), figure("count", "lines"), figure("line", "last line")],
    boot: [text("address", "region", (row) => address(row.address)), figure("size", "bytes"), text("name", "type"), figure("line", "line")],
  };
  const MOST = 500; /* rows of a table */

  function show(box, columns, rows) {
    box.hidden = rows.length === 0;
    const head = columns.map((one) => HS.made("th", one.heading, { scope: "col", ...(one.number ? { class: "number" } : {}) }));
    box.querySelector("tr").replaceChildren(...head);
    box.querySelector("tbody").replaceChildren(...rows.slice(0, MOST).map((row) => {
      const built = HS.made("tr");
      built.append(...columns.map((one) => HS.made("td", one.of(row), one.number ? { class: "number" } : {})));
      return built;
    }));
  }
  function about(log) {
    const stated = [`It has ${number(log.lines)} lines${log.boots > 1 ? ` of ${number(log.boots)} starts` : ""}. The chip is ${log.chip === "" ? "not told" : HS.plain(log.chip)}, the version of ESP-IDF ${log.idf === "" ? "is not told" : `is ${HS.plain(log.idf)}`}${log.framework === "" ? "" : `, the framework is ${HS.plain(log.framework)}`}.`];
    if (log.two_devices) stated.push("Its times go to and fro: the lines of two devices alternate, and figures of both are mixed.");
    if (log.summary !== null && !log.summary.complete) stated.push("The last heap summary is not whole: its sums are those of the regions that are there.");
    for (const [name, rows] of Object.entries(COLUMNS).map(([key]) => [key, log[key]])) if (rows.length > MOST) stated.push(`The table of ${name} shows the first ${number(MOST)} of ${number(rows.length)} rows.`);
    if (log.desk > 0) stated.push(`${number(log.desk)} lines tell of tasks, heap traces or another system. The command heapscope log adds them up; this page does not.`);
    if (log.unread > 0) stated.push(`${number(log.unread)} lines look like lines of memory and are not understood.`);
    stated.push("Figures are as the device printed them. The command heapscope log also says what still fits, which releases the figures are of, and whether memory leaks.");
    return stated;
  }

  HS.explore.showLog = (log, name) => {
    find("says").textContent = HS.plain(log.sentences[0] ?? `${name}: no line tells the state of a heap.`);
    find("logsays").replaceChildren(...log.sentences.slice(1).map((one) => HS.made("li", HS.plain(one))), ...about(log).map((one) => HS.made("li", one)));
    for (const [key, columns] of Object.entries(COLUMNS)) show(find("logged").querySelector(`[data-log="${key}"]`), columns, log[key]);
  };
})();
