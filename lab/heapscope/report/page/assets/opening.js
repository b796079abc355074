"use strict";
/* Begins: the page's own trace, or a file that is dropped or chosen. */
(() => {
  const { root, find } = HS.explore;
  const drop = find("drop");
  let count = 0;

  async function open(file) {
    try {
      await HS.explore.open(HS.ask("open", { bytes: await file.arrayBuffer() }), file.name);
      document.documentElement.dataset.files = String(++count);
    } catch (error) {
      find("opened").hidden = true;
      find("logged").hidden = true;
      find("says").textContent = `${HS.plain(file.name)}: ${error.message}`;
    }
  }
  if (drop !== null) {
    for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (one) => one.preventDefault());
    window.addEventListener("drop", (one) => one.dataTransfer.files.length > 0 && open(one.dataTransfer.files[0]));
    find("file").addEventListener("change", (one) => one.target.files.length > 0 && open(one.target.files[0]));
  }
  async function start() {
    const { memories, colours, patterns, others, allocators } = await HS.begun;
    Object.assign(HS, { memories, colours, patterns, others, allocators });
    HS.device?.begin();
    if (HS.own !== null) await HS.explore.open(HS.own, null);
    document.documentElement.dataset.explorer = "yes";
  }
  window.addEventListener("DOMContentLoaded", () => {
    start().catch((error) => {
      HS.firstPainted?.();
      find("says").textContent = `This browser cannot run the replay: ${error.message}`;
      document.documentElement.dataset.explorer = "failed";
    });
    if (drop !== null) document.documentElement.dataset.ready = "yes";
  });
})();
