"use strict";
/* Where regions stand in the picture: each is a strip, `v` goes from 0 on top to 1. Both the page and its worker read
   this. */
const PLACES = {
  /* Regions by the square root of their sizes, the highest address on top; rows of hs_lab_regions. */
  strips(regions) {
    const used = regions.map((row, region) => ({ region, start: row.start, size: row.size, weight: row.has_heap ? Math.sqrt(row.size) : 0 })).filter((one) => one.weight > 0).sort((a, b) => b.start - a.start);
    const whole = used.reduce((sum, one) => sum + one.weight, 0), gap = used.length > 1 ? 0.012 : 0;
    let v = 0;
    return used.map((one) => {
      const high = (one.weight / whole) * (1 - gap * (used.length - 1));
      const built = { ...one, v0: v, v1: v + high };
      v += high + gap;
      return built;
    });
  },
  /* The parts of the strips that a window shows, on so many rows of pixels. */
  visible(strips, height, { low, high }) {
    const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
    const place = (v) => ((v - low) / (high - low)) * height;
    return strips.filter((one) => one.v1 > low && one.v0 < high).map((one) => {
      const per = one.size / (one.v1 - one.v0);
      return {
        region: one.region, top: Math.round(clamp(place(one.v0), 0, height)), bottom: Math.round(clamp(place(one.v1), 0, height)),
        high: one.start + one.size - Math.max(0, low - one.v0) * per, low: one.start + Math.max(0, one.v1 - high) * per,
      };
    }).filter((one) => one.bottom > one.top);
  },
  address(strips, v) {
    const strip = strips.find((one) => v >= one.v0 && v <= one.v1);
    return strip === undefined ? null : { region: strip.region, address: strip.start + Math.floor(((strip.v1 - v) / (strip.v1 - strip.v0)) * strip.size) };
  },
};
