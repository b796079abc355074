/* What looks wrong on the page that is open, a line each. A bar with a value has a width and a height,
   a chart has marks and its texts are whole, no text is cut off, lies on another or outside. */
() => {
  const wrong = [];
  const all = (root, what) => [...root.querySelectorAll(what)];
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".hidden, .skip");
  const name = (one) => {
    const inside = one.closest("section, aside, header, footer");
    const where = inside ? inside.id || inside.className || inside.tagName.toLowerCase() : "page";
    const text = one.textContent.trim().slice(0, 40);
    return `${where}: <${one.tagName.toLowerCase()}${one.className ? ` class="${one.className}"` : ""}> ${text}`;
  };
  const say = (one, what) => wrong.push(`${name(one)}: ${what}`);
  const round = (number) => Math.round(number * 10) / 10;

  /* ---- bars and swatches: what has no text and is there to be seen ----------------------------- */
  for (const bar of all(document, "main i, main .ramp, main .flame button, main .swatch").filter(shown)) {
    const { width, height } = bar.getBoundingClientRect();
    if (bar.style.width && parseFloat(bar.style.width) === 0) continue;
    if (width < 1 || height < 1) say(bar, `is ${round(width)} wide and ${round(height)} high`);
    const style = getComputedStyle(bar);
    const inked = style.backgroundImage !== "none" || !/, 0\)$|transparent/.test(style.backgroundColor) ||
      parseFloat(style.borderTopWidth) >= 1;
    if (!inked) say(bar, "has no colour");
  }
  for (const box of all(document, "main .stackbar, main .meter, main .flame, main .cards, main tbody").filter(shown)) {
    if (!box.children.length) say(box, "is empty");
  }
  for (const one of all(document, "main section").filter(shown)) {
    if (one.innerText.trim().length < 10 || one.clientHeight < 40) say(one, "is empty");
  }

  /* ---- charts ---------------------------------------------------------------------------------- */
  const within = (one) => [...all(one, "*"), ...(one.shadowRoot ? all(one.shadowRoot, "*") : [])]
    .flatMap((each) => (each.shadowRoot ? [each, ...within(each.shadowRoot)] : [each]));
  const near = (pixels, i, colour) => [0, 1, 2].every((k) => Math.abs(pixels[i + k] - colour[k]) < 26);
  const rgb = (colour) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  };
  const pale = ["--line", "--quiet", "--ink"].map((each) =>
    rgb(getComputedStyle(document.documentElement).getPropertyValue(each).trim()));
  for (const box of all(document, "main [data-chart]").filter(shown)) {
    const chart = Bokeh.documents[0].get_model_by_name(box.dataset.chart);
    const view = chart && (Bokeh.index.find_one(chart) ?? Bokeh.index.get_one(chart));
    if (!view) { say(box, "has no chart"); continue; }
    const { left, top, width, height } = view.frame.bbox;
    if (width < 120 || height < 60) say(box, `has ${round(width)} x ${round(height)} for its marks`);
    const canvases = within(box).filter((one) => one instanceof HTMLCanvasElement && one.width && one.height);
    let marks = 0, edge = 0;
    for (const canvas of canvases) {
      const ratio = canvas.width / Math.max(1, canvas.clientWidth || canvas.width);
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let y = 0; y < canvas.height; y++) {
        for (let x = 0; x < canvas.width; x++) {
          const i = 4 * (y * canvas.width + x);
          if (data[i + 3] < 60) continue;
          if (x === 0 || y === 0 || x === canvas.width - 1 || y === canvas.height - 1) edge++;
          const inside = x > left * ratio && x < (left + width) * ratio && y > top * ratio && y < (top + height) * ratio;
          if (inside && !pale.some((colour) => near(data, i, colour))) marks++;
        }
      }
    }
    if (marks < 40) say(box, `has ${marks} pixels of marks`);
    if (edge) say(box, `has ${edge} pixels of text or marks cut off at its edge`);
    for (const { glyph, data_source: source, name: which } of chart.renderers) {
      if (!which || /^(pins|short|marks|strip)/.test(which)) continue;
      if (!Object.values(source.data).some((values) => values.length)) say(box, `${which} (${glyph.type}) has no data`);
    }
  }

  /* ---- texts ----------------------------------------------------------------------------------- */
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX);
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    if (!node.textContent.trim() || /^(SCRIPT|STYLE)$/.test(holder.tagName) || !shown(holder)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    let cut = null, scrolled = false, shortened = false;
    for (let box = holder; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (scrolls(box)) { scrolled = true; break; }
      if (style.overflowX === "visible") continue;
      shortened ||= style.textOverflow === "ellipsis" && box.title.startsWith(box.textContent);
      cut ??= box;
    }
    if (shortened) continue; // whole in its title
    for (const spot of range.getClientRects()) {
      if (spot.width < 1 || spot.height < 1) continue;
      texts.push({ holder, spot, scrolled });
      if (cut) {
        const box = cut.getBoundingClientRect();
        if (spot.right > box.right + 1 || spot.left < box.left - 1 || spot.bottom > box.bottom + 4 || spot.top < box.top - 4) {
          say(holder, "is cut off");
        }
      }
      if (!scrolled && (spot.right > innerWidth + 1 || spot.left < -1)) say(holder, "lies outside of the window");
    }
    const card = holder.closest(".card, .hero, .table, .chart, summary, button, details, td, th, .pill");
    if (card && !scrolled) {
      const room = card.getBoundingClientRect(), spot = range.getBoundingClientRect();
      if (spot.right > room.right + 1 || spot.left < room.left - 1) say(holder, `sticks out of <${card.tagName.toLowerCase()} class="${card.className}">`);
    }
  }
  texts.sort((a, b) => a.spot.top - b.spot.top);
  texts.forEach((one, number) => {
    for (let i = number + 1; i < texts.length && texts[i].spot.top < one.spot.bottom - 4; i++) {
      const two = texts[i];
      if (one.scrolled || two.scrolled) continue;
      const across = Math.min(one.spot.right, two.spot.right) - Math.max(one.spot.left, two.spot.left);
      if (across > 3 && Math.min(one.spot.bottom, two.spot.bottom) - two.spot.top > 4) {
        say(one.holder, `lies on ${name(two.holder)}`);
      }
    }
  });
  if (document.documentElement.scrollWidth > innerWidth) {
    wrong.push(`page: it is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  }
  return [...new Set(wrong)];
}
