"use strict";
/* Frames as wide as what they held; a click shows what is below one. */
(() => {
  const COLOURS = ["#fbbf24", "#fb923c", "#f59e0b", "#fca56b", "#fcd34d", "#f4a261", "#eab676"];

  /* A frame of less than this share of the width is not drawn by itself, percent. */
  const NARROW = 0.12;

  function hash(text) {
    let value = 7;
    for (let i = 0; i < text.length; i++) value = (value * 31 + text.charCodeAt(i)) >>> 0;
    return value;
  }
  function measure(node, name) {
    node.total = node.own[name];
    for (const child of node.children) node.total += measure(child, name);
    node.children.sort((a, b) => b.total - a.total);
    return node.total;
  }
  function draw(box, state) {
    const { root, path, name } = state;
    measure(root, name);
    const top = path.at(-1);
    const levels = path.map((node) => [{ node, left: 0, width: 100, above: true }]);
    let frames = [{ node: top, left: 0, width: 100 }];
    while (frames.length) {
      const below = [];
      for (const frame of frames) {
        let left = frame.left;
        const narrow = { own: {}, children: [], total: 0, count: 0 };
        for (const node of frame.node.children) {
          const width = top.total ? (100 * node.total) / top.total : 0;
          if (width > NARROW) {
            below.push({ node, left, width, parent: frame });
            left += width;
          } else {
            narrow.total += node.total;
            narrow.count += node.total > 0;
          }
        }
        // Children come widest first, so those too narrow to see are the rest: one frame.
        const width = top.total ? (100 * narrow.total) / top.total : 0;
        narrow.name = `${HS.number(narrow.count)} narrow frame${narrow.count === 1 ? "" : "s"}`;
        if (width > NARROW) below.push({ node: narrow, left, width, parent: frame, closed: true });
      }
      if (below.length) levels.push(below);
      frames = below;
    }
    box.replaceChildren(...levels.map((level) => drawLevel(box, state, level)));
  }
  function trail(frame, state) {
    if (frame.above) return state.path.slice(0, state.path.indexOf(frame.node) + 1);
    const nodes = [];
    for (let at = frame; at.parent; at = at.parent) nodes.unshift(at.node);
    return [...state.path, ...nodes];
  }
  function drawLevel(box, state, level) {
    const line = HS.element("div", "level");
    for (const frame of level) {
      const { node } = frame;
      const button = HS.element("button", "", node.name);
      const share = state.root.total ? ((100 * node.total) / state.root.total).toFixed(1) : "0.0";
      const unit = state.name === "allocations" ? "allocations" : "B";
      const says = `${node.name}: ${HS.number(node.total)} ${unit}, ${share} %`;
      button.type = "button";
      button.title = says;
      button.style.left = `${frame.left}%`;
      button.style.width = `calc(${frame.width}% - 1px)`;
      button.style.background = COLOURS[hash(node.name) % COLOURS.length];
      const tell = () => { box.parentElement.querySelector("[data-flame-says]").textContent = says; };
      button.addEventListener("focus", tell);
      button.addEventListener("mouseenter", tell);
      if (!frame.closed) button.addEventListener("click", () => { state.path = trail(frame, state); draw(box, state); tell(); });
      line.append(button);
    }
    return line;
  }
  for (const box of document.querySelectorAll("[data-flame]")) {
    const { measures, root } = HS.data.sides[Number(box.dataset.flame)].flame;
    const names = Object.keys(measures);
    const state = { root, path: [root], name: names[0] };
    const group = box.parentElement.querySelector("[data-flame-measures]");
    for (const name of names) {
      const label = HS.element("label");
      const input = HS.element("input");
      Object.assign(input, { type: "radio", name: "measure", value: name, checked: name === state.name });
      input.addEventListener("change", () => { state.name = name; draw(box, state); });
      label.append(input, measures[name]);
      group.append(label);
    }
    draw(box, state);
  }
})();
