"use strict";
/* Bars open by a click and by the keyboard without a script; on paper all of them are open. */
(() => {
  const closed = [];
  window.addEventListener("beforeprint", () => {
    for (const bar of document.querySelectorAll("details:not([open])")) {
      bar.open = true;
      closed.push(bar);
    }
  });
  window.addEventListener("afterprint", () => {
    while (closed.length) closed.pop().open = false;
  });
  document.documentElement.dataset.ready = "yes";
})();
