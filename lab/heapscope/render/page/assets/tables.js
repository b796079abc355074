"use strict";
/* Tables: a click on a heading sorts, the field above searches. */
(() => {
  function compare(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  function key(row, column, isNumber) {
    const cell = row.cells[column];
    if (!isNumber) return cell.textContent.toLowerCase();
    return cell.dataset.value === "" ? -Infinity : Number(cell.dataset.value);
  }
  function sort(table, heading, column) {
    const isNumber = heading.classList.contains("number");
    const first = isNumber ? "descending" : "ascending";
    const was = heading.getAttribute("aria-sort");
    const order = was === null ? first : was === "ascending" ? "descending" : "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row) => [key(row, column, isNumber), row]);
    rows.sort((a, b) => sign * compare(a[0], b[0]));
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
  }
  function search(box, words) {
    const rows = [...box.querySelector("tbody").rows];
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    return words.length ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows` : "";
  }
  for (const box of document.querySelectorAll("[data-table]")) {
    const table = box.querySelector("table");
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => sort(table, heading, column));
    });
    const input = box.querySelector("input[type=search]");
    const says = box.querySelector("[data-shown]");
    const always = says.textContent;
    input?.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      says.textContent = search(box, words) || always;
    });
  }
})();
