"use strict";
/* Forty tasks are distinguished by ten colours and four patterns: plain, rising, falling, dotted. Both the page and its
   worker read this. */
const PATTERN = {
  /* Whether the pixel has the mark of the pattern. */
  marks(pattern, x, y) {
    if (pattern === 1) return (x + y) % 6 < 2;
    if (pattern === 2) return (x - y + 60000) % 6 < 2;
    return pattern === 3 && x % 5 < 2 && y % 5 < 2;
  },
  parse: (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)),
  /* The colour of the marks: dark on a light colour, light on a dark one. */
  mark([r, g, b]) {
    const dark = 0.3 * r + 0.59 * g + 0.11 * b < 115;
    return [r, g, b].map((value) => Math.round(dark ? 255 - (255 - value) * 0.35 : value * 0.38));
  },
  css(hex, pattern) {
    const mark = `rgb(${PATTERN.mark(PATTERN.parse(hex)).join(" ")})`;
    if (pattern === 1 || pattern === 2) return `repeating-linear-gradient(${pattern === 1 ? 135 : 45}deg, ${hex} 0 3px, ${mark} 3px 5px)`;
    return pattern === 3 ? `radial-gradient(${mark} 35%, ${hex} 40%) 0 0 / 5px 5px` : hex;
  },
};
