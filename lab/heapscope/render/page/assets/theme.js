"use strict";
/* Light or dark, the list of sections, printing. One name, HS, is shared by the page's scripts. */
const HS = {
  onTheme: [],
  /* It stands behind the scripts of the engine, which do not read it. */
  get data() {
    const data = JSON.parse(document.getElementById("data").textContent);
    Object.defineProperty(HS, "data", { value: data });
    return data;
  },
};

(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let wanted = null; // null: as the system has it

  function show(theme) {
    root.dataset.shown = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    for (const tell of HS.onTheme) tell(theme);
  }
  function current() {
    return wanted ?? (system.matches ? "dark" : "light");
  }
  HS.theme = () => root.dataset.shown;
  button.addEventListener("click", () => {
    wanted = current() === "dark" ? "light" : "dark";
    show(wanted);
  });
  system.addEventListener("change", () => show(current()));
  /* Paper is white. */
  const closed = () => [...document.querySelectorAll("details:not([open])")];
  let opened = [];
  window.addEventListener("beforeprint", () => {
    show("light");
    opened = closed();
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    show(current());
    for (const one of opened) one.open = false;
  });
  document.getElementById("print").addEventListener("click", () => window.print());
  show(current());

  /* A page in a notebook has no address of its own, so its links scroll by script. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link === null || location.protocol !== "about:") return;
    event.preventDefault();
    document.getElementById(link.getAttribute("href").slice(1))?.scrollIntoView();
  });

  const nav = document.querySelector("nav");
  for (const section of document.querySelectorAll("section[id]")) {
    const link = document.createElement("a");
    link.href = "#" + section.id;
    link.textContent = section.dataset.nav ?? section.querySelector("h2").textContent;
    nav.append(link);
  }
})();
