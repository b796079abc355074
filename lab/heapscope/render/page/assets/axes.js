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
        major_tick_line_color: quiet,
      });
    }
    for (const grid of chart.center) {
      if (grid.type === "Grid") grid.grid_line_color = line;
      if (grid.type === "Span" && grid.dimension === "height") grid.line_color = ink;
    }
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
