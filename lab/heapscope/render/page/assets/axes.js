"use strict";
/* What every chart has: BokehJS, axes in the colours of the page, and a legend that switches its parts. */
(() => {
  /* BokehJS takes a browser longer than all other scripts, so it stands in the page as text that does not run by itself. */
  HS.drawCharts = async () => {
    document.head.append(Object.assign(document.createElement("script"), { textContent: document.getElementById("bokeh").textContent }));
    await Bokeh.embed.embed_items(HS.data.docs, [HS.data.item]);
    HS.doc = Bokeh.documents[Bokeh.documents.length - 1];
  };

  HS.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  HS.paintAxes = (chart) => {
    const [ink, quiet, line] = ["--ink", "--quiet", "--line"].map(HS.colour);
    for (const axis of [...chart.below, ...chart.left]) {
      axis.setv({
        major_label_text_color: quiet, axis_label_text_color: quiet, axis_line_color: quiet,
        major_tick_line_color: axis.major_tick_line_color === null ? null : quiet, /* null: it has too many */
      });
    }
    for (const grid of chart.center) {
      if (grid.type === "Grid") grid.grid_line_color = line;
      if (grid.type === "Span" && grid.dimension === "height") grid.line_color = ink;
    }
  };

  /* ---- what is in sight: a range whose bounds are all of the axis ---- */
  HS.zoom = (range, factor, around, narrowest = 0) => {
    const [least, most] = range.bounds, wide = range.end - range.start;
    const width = Math.min(most - least, Math.max(narrowest, wide * factor));
    const start = Math.min(Math.max(least, around - width * ((around - range.start) / wide)), most - width);
    range.setv({ start, end: start + width });
  };
  HS.showAll = (range) => {
    const [start, end] = range.bounds;
    range.setv({ start, end });
  };
  /* False: this key does not zoom. */
  HS.zoomKey = (key, range, around, narrowest) => {
    if (key === "0") HS.showAll(range);
    else if (!"+=-".includes(key)) return false;
    else HS.zoom(range, key === "-" ? 2 : 0.5, around, narrowest);
    return true;
  };

  /* The pointer and the keys over a chart. `move` gets the place in the chart's numbers, whether it is in the frame, and
     where the box beside the pointer goes; `blur`: in place of `leave` when the keys go elsewhere. */
  HS.follow = (box, chart, { move, leave, press, blur = leave }) => {
    const plot = box.querySelector(".plot");
    chart.on_event("mousemove", ({ x, y, sx, sy }) => {
      const { x_range: wide, y_range: high } = chart;
      const inside = x >= wide.start && x <= wide.end && y >= high.start && y <= high.end;
      move(x, y, inside, { x: sx + plot.offsetLeft, y: sy + plot.offsetTop });
    });
    plot.addEventListener("mouseleave", leave);
    box.addEventListener("keydown", press);
    box.addEventListener("blur", blur);
  };

  /* A button that tells whether it is on; act: called with the new state. */
  HS.toggle = (box, name, swatch, act) => {
    const button = HS.element("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.append(swatch, name);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      act(on);
    });
    box.append(button);
  };
})();
