"use strict";
/* Curves: what lies under the pointer, which ones are drawn, zoom, the list of contents. */
(() => {
  const NEAR = 28; // pixels
  const MANY = 7; // curves, which are switched off together
  const find = (name) => HS.doc.get_model_by_name(name);
  const boxOf = (plot) => document.querySelector(`[data-chart="${plot.name}"]`);

  /* ---- numbers -------------------------------------------------------------------------------- */
  function figure(value) {
    if (Number.isInteger(value)) return HS.number(value);
    const size = Math.abs(value);
    if (size >= 1000) return value.toLocaleString("en", { maximumFractionDigits: 1 });
    return value.toLocaleString("en", { maximumSignificantDigits: 4 });
  }
  function withUnit(value, unit) {
    return unit ? `${figure(value)} ${unit}` : figure(value);
  }
  function place(plot, x) {
    const name = plot.x.labels[Math.round(x)];
    return name ?? `${plot.x.heading} ${withUnit(x, plot.x.unit)}`;
  }

  /* ---- what is near --------------------------------------------------------------------------- */
  /* Pixels for data: across and up from the corner of the frame. */
  function scales(plot) {
    const chart = find(plot.name), log = plot.logarithmic ? Math.log : (value) => value;
    const { x_range: wide, y_range: high } = chart;
    const across = chart.inner_width / (wide.end - wide.start);
    const up = chart.inner_height / (log(high.end) - log(high.start));
    return {
      x: (value) => (value - wide.start) * across,
      y: (value) => (log(value) - log(high.start)) * up,
    };
  }
  function values(plot, number) {
    const { x, y } = find(`${plot.name}/${number}`).data;
    return { x, y };
  }
  /* The place in ascending numbers that is nearest to one of them; of equals the first. */
  function nearest(numbers, to) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < to) low = middle + 1; else high = middle;
    }
    if (low === numbers.length) return low - 1;
    return low && to - numbers[low - 1] <= numbers[low] - to ? low - 1 : low;
  }
  function shown(plot) {
    return plot.series.map((_, number) => number).filter((number) => plot.on[number]);
  }
  /* The x of the nearest point: across only for lines, in both directions where all are dots. */
  function nearestX(plot, x, y) {
    const at = scales(plot), chosen = shown(plot);
    const dots = !plot.x.labels.length && chosen.every((number) => plot.series[number].points);
    let best = null, least = Infinity;
    for (const number of chosen) {
      const curve = values(plot, number);
      if (!curve.x.length) continue;
      const candidates = dots ? curve.x.keys() : [nearest(curve.x, x)];
      for (const i of candidates) {
        if (dots && Number.isNaN(curve.y[i])) continue;
        const dx = at.x(curve.x[i]) - at.x(x), dy = dots ? at.y(curve.y[i]) - at.y(y) : 0;
        const distance = dx * dx + dy * dy;
        if (distance < least) { least = distance; best = curve.x[i]; }
      }
    }
    return best;
  }
  /* A row for each curve that has a figure here, the highest first; with how far it is from the
     one that is beside it. */
  function rowsAt(plot, x) {
    const at = scales(plot), result = new Map();
    for (const number of shown(plot)) {
      const curve = values(plot, number);
      if (!curve.x.length) continue;
      const i = nearest(curve.x, x);
      const far = Math.abs(at.x(curve.x[i]) - at.x(x));
      if (far < (plot.series[number].points ? 1 : NEAR) && !Number.isNaN(curve.y[i])) {
        result.set(number, curve.y[i]);
      }
    }
    return [...result].sort((a, b) => b[1] - a[1]).map(([number, value]) => {
      const other = plot.series.findIndex((one) => one.beside === number);
      const reported = other < 0 ? undefined : result.get(other);
      const apart = reported ? ` (${percent(100 * (value - reported) / reported)})` : "";
      return [plot.series[number].name, withUnit(value, plot.unit) + apart, plot.series[number].colour];
    });
  }
  function percent(value) {
    return `${value > 0 ? "+" : ""}${value.toFixed(1)} %`;
  }

  /* ---- pointer and keys ----------------------------------------------------------------------- */
  function hide(plot) {
    find(`${plot.name}/cursor`).visible = false;
    HS.hideTip(boxOf(plot));
  }
  function say(plot, x, at) {
    const rows = x === null ? [] : rowsAt(plot, x);
    if (!rows.length) { hide(plot); return; }
    find(`${plot.name}/cursor`).setv({ location: x, visible: true });
    HS.showTip(boxOf(plot), [{ head: place(plot, x) }, ...rows], at);
  }
  /* The x of all drawn points in sight, ascending. */
  function stops(plot) {
    const { start, end } = find(plot.name).x_range;
    const all = new Set(shown(plot).flatMap((number) => [...values(plot, number).x]));
    return [...all].filter((x) => x >= start && x <= end).sort((a, b) => a - b);
  }
  function press(plot, event) {
    const range = find(plot.name).x_range;
    const middle = plot.cursor ?? (range.start + range.end) / 2;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const places = stops(plot);
      if (!places.length) return;
      const here = plot.cursor === null ? -1 : nearest(places, plot.cursor);
      const next = here < 0 ? (step > 0 ? 0 : places.length - 1) : here + step * (event.shiftKey ? 10 : 1);
      plot.cursor = places[Math.max(0, Math.min(places.length - 1, next))];
      const chart = find(plot.name);
      say(plot, plot.cursor, { x: 70 + scales(plot).x(plot.cursor), y: chart.inner_height / 4 });
    } else if (event.key === "Escape") leave(plot);
    else if (!HS.zoomKey(event.key, range, middle)) return;
    event.preventDefault();
  }
  function leave(plot) {
    plot.cursor = null;
    hide(plot);
  }
  function listen(plot) {
    const chart = find(plot.name);
    HS.follow(boxOf(plot), chart, {
      move(x, y, inside, at) {
        plot.cursor = inside ? nearestX(plot, x, y) : null;
        say(plot, plot.cursor, at);
      },
      leave: () => leave(plot),
      press: (event) => press(plot, event),
      blur: () => hide(plot),
    });
    const button = document.querySelector(`[data-all="${plot.name}"]`);
    button.addEventListener("click", () => HS.showAll(chart.x_range));
    for (const end of ["start", "end"]) {
      chart.x_range.properties[end].change.connect(() => {
        const [least, most] = chart.x_range.bounds;
        button.hidden = chart.x_range.start <= least && chart.x_range.end >= most;
      });
    }
  }

  /* ---- legend and names on the axis ----------------------------------------------------------- */
  function legend(plot) {
    const box = document.querySelector(`[data-legend="${plot.name}"]`), chart = find(plot.name);
    plot.series.forEach((curve, number) => {
      HS.toggle(box, curve.name, swatch(curve), (on) => {
        plot.on[number] = on;
        for (const one of chart.renderers) {
          if (one.name.startsWith(`${plot.name}/${number}/`)) one.visible = on;
        }
      });
    });
    if (plot.series.length < MANY) return;
    const all = HS.element("button", "", "none"), buttons = [...box.children];
    all.type = "button";
    all.addEventListener("click", () => {
      const wanted = String(all.textContent === "all");
      for (const one of buttons) if (one.getAttribute("aria-pressed") !== wanted) one.click();
      all.textContent = wanted === "true" ? "none" : "all";
    });
    box.append(all);
  }
  function swatch(curve) {
    if (!curve.points) return HS.swatch(curve.colour, `swatch line ${curve.dash}`);
    const built = HS.swatch(curve.dash === "dashed" ? "none" : curve.colour, "swatch dot");
    built.style.borderColor = curve.colour;
    return built;
  }
  /* Names lie where each has its room, lean where not, and stand where there are many. */
  function turn(plot) {
    const count = plot.x.labels.length, chart = find(plot.name);
    if (!count || !chart.inner_width) return;
    const room = chart.inner_width / count;
    const turned = plot.upright || room < 44 ? Math.PI / 2 : room < 92 ? Math.PI / 5 : 0;
    if (chart.below[0].major_label_orientation !== turned) chart.below[0].major_label_orientation = turned;
  }

  /* ---- the list of contents ------------------------------------------------------------------- */
  function contents() {
    const entries = [...document.querySelectorAll(".contents:not(.alone) > ol > li")];
    const chapters = entries.map((entry) => document.getElementById(entry.querySelector("a").hash.slice(1)));
    const follow = () => {
      const here = chapters.filter((one) => one.getBoundingClientRect().top < 140).length - 1;
      entries.forEach((entry, number) => entry.classList.toggle("here", number === here));
    };
    if (!entries.length) return;
    window.addEventListener("scroll", follow, { passive: true });
    follow();
  }
  /* A link into a folded table opens it. */
  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  }

  async function start() {
    contents();
    window.addEventListener("hashchange", unfold);
    unfold();
    if (HS.data.plots.length) {
      await HS.drawCharts();
      for (const plot of HS.data.plots) {
        plot.on = plot.series.map(() => true);
        plot.cursor = null;
        legend(plot);
        listen(plot);
        new ResizeObserver(() => turn(plot)).observe(boxOf(plot));
        find(plot.name).properties.inner_width.change.connect(() => turn(plot));
      }
      const paint = () => HS.data.plots.forEach((plot) => HS.paintAxes(find(plot.name)));
      HS.onTheme.push(paint);
      paint();
    }
    document.documentElement.dataset.ready = "yes";
  }
  start();
})();
