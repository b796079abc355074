"use strict";
/* Begins: the page's own trace, or a file that is dropped or chosen. It also says when the charts may be drawn. */
(() => {
  const { root, find } = HS.explore;
  const AFTER = 100, LATEST = 3000; /* ms from the first picture to the charts, so that it is seen first; and ms that they wait at most */
  const drop = find("drop"), own = HS.packedText("trace");
  let count = 0;

  /* The charts wait for the first picture of the blocks, and keep the page busy while the worker replays. */
  HS.painted = own === null ? null : new Promise((resolve) => {
    HS.pictured = () => setTimeout(resolve, AFTER);
    window.addEventListener("DOMContentLoaded", () => setTimeout(resolve, LATEST));
  });

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
    const opened = own === null ? null : HS.ask("open", { text: own }); /* the worker begins with it when it has the engine */
    opened?.catch(() => {});
    const { memories, colours, patterns, others, startup, allocator, looks, allocators } = await HS.begun;
    Object.assign(HS, { memories, colours, patterns, others, startup, allocator, looks, allocators });
    HS.device?.begin();
    if (opened !== null) await HS.explore.open(opened, null);
    document.documentElement.dataset.explorer = "yes";
  }
  start().catch((error) => {
    HS.pictured?.();
    find("says").textContent = `This browser cannot run the replay: ${error.message}`;
    document.documentElement.dataset.explorer = "failed";
  });
  if (drop !== null) document.documentElement.dataset.ready = "yes";
})();
