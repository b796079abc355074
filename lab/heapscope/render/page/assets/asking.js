"use strict";
/* The worker of this page: HS.ask(what, job) promises its answer. The trace stands behind this script, so that the worker
   unpacks the engine while the browser reads it. */
(() => {
  HS.packedText = (name) => document.querySelector(`script[data-packed="${name}"]`)?.textContent.trim() ?? null;

  const requested = new Map();
  let worker = null, next = 0;
  function startWorker() {
    worker = new Worker(URL.createObjectURL(new Blob([HS.packedText("worker")], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => {
      const one = requested.get(data.id);
      if (data.progress !== undefined) return void one.progress?.(data.progress);
      requested.delete(data.id);
      if (data.error === undefined) one.resolve(data.answer);
      else one.reject(Object.assign(new Error(data.error), { region: data.region }));
    };
    worker.onerror = (event) => {
      for (const one of requested.values()) one.reject(new Error(event.message || "The worker of the page ended."));
      requested.clear();
    };
  }
  HS.ask = (what, job = {}, progress = null) =>
    new Promise((resolve, reject) => {
      const id = next++;
      requested.set(id, { resolve, reject, progress });
      worker.postMessage({ id, what, ...job });
    });

  /* HS.begun: what the worker has for the page. Whoever awaits it is told of an error. */
  HS.begun = (async () => {
    startWorker();
    return HS.ask("start", { engine: HS.packedText("engine"), facts: HS.packedText("explore") });
  })();
  HS.begun.catch(() => {});

  /* Names are bytes that somebody else chose: what would not be seen is written as an escape. */
  HS.plain = (name) => name.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).slice(0, 400);
  HS.node = (name, content = null, set = {}) => {
    const built = document.createElement(name);
    if (content !== null) built.textContent = content;
    for (const [key, value] of Object.entries(set)) built.setAttribute(key, value);
    return built;
  };
})();
