/* Which holders leak: heapscope/answers/leaks/evidence.py and verdict.py again, on the engine's own rows, since a page has no
   numpy. The constants and the names are those of the Python files; a test compares the verdicts. This file runs in a
   worker. */
"use strict";

const Leaking = (() => {
  const AGES = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2], STARTUP = 1 / 32, POOL_LIFE = 2, FADES = 3.5, POOL_FREES = 1 / 3;
  const FREED_MOST = 0.05, OLD_LEAST = 8, UNSTEADY = 0.0005, FALSE_SHARE = 0.05, EVENTS_OWN = 0.5, MOMENTS = 65;
  const sum = (values) => values.reduce((total, one) => total + one, 0);
  const even = (value) => (value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value));

  /* ---- tails of distributions ---- */
  const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  function lgamma(x) {
    const t = x + 6.5, series = LANCZOS.reduce((total, one, i) => total + (i === 0 ? one : one / (x - 1 + i)), 0);
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
  }
  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    if (x < 2) { /* the series of erf */
      let term = x, total = x;
      for (let n = 1; Math.abs(term) > 1e-17 * total; n++) total += (term *= (-x * x) / n) / (2 * n + 1);
      return 1 - (2 / Math.sqrt(Math.PI)) * total;
    }
    let value = 0; /* its continued fraction, from the inside out */
    for (let n = 60; n > 0; n--) value = n / 2 / (x + value);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + value);
  }
  const normalAbove = (z) => 0.5 * erfc(z / Math.SQRT2);
  const widthOf = (mean) => Math.ceil(12 * Math.sqrt(mean)) + 50;
  function sumDown(last, most, width, ratio) {
    let log = last, total = Math.exp(last);
    for (let below = most; below > Math.max(0, most - 2 * width); below--) total += Math.exp((log += Math.log(ratio(below))));
    return Math.min(1, total);
  }
  function poissonAtMost(count, mean) {
    const most = Math.ceil(count);
    if (mean <= 0 || most > mean + widthOf(mean)) return 1;
    return sumDown(most * Math.log(mean) - mean - lgamma(most + 1), most, widthOf(mean), (below) => below / mean);
  }
  function binomialAtMost(count, number) {
    const tries = Math.floor(number), most = Math.ceil(count);
    if (most >= tries || most > tries * POOL_FREES + widthOf(tries)) return 1;
    const last = lgamma(tries + 1) - lgamma(most + 1) - lgamma(tries - most + 1) + most * Math.log(POOL_FREES) + (tries - most) * Math.log(1 - POOL_FREES);
    return sumDown(last, most, widthOf(tries), (below) => (below * ((1 - POOL_FREES) / POOL_FREES)) / (tries - below + 1));
  }

  function varianceRatio(counts) {
    let found = 1;
    for (const width of [1, 2, 4]) {
      const wide = Array.from({ length: Math.floor(counts.length / width) }, (_, i) => sum(counts.slice(i * width, (i + 1) * width)));
      let bends = 0, sums = 0;
      for (let i = 2; i < wide.length; i++) {
        bends += (wide[i] - 2 * wide[i - 1] + wide[i - 2]) ** 2;
        sums += wide[i] + 4 * wide[i - 1] + wide[i - 2];
      }
      if (wide.length >= 8 && sums > 0) found = Math.max(found, bends / sums / (1 + 2 * Math.sqrt(2 / (wide.length - 2))));
    }
    return found;
  }
  const placeOf = (alive) => sum(alive.map((count, i) => (count * (i + 0.5)) / alive.length)) / sum(alive);
  function fades(alive, variance) {
    const number = sum(alive) / variance;
    if (number === 0) return 1;
    const rest = Math.exp(-FADES), mean = 1 / FADES - rest / (1 - rest), deviation = Math.sqrt(1 / FADES ** 2 - rest / (1 - rest) ** 2);
    return normalAbove(((placeOf(alive) - mean) / deviation) * Math.sqrt(number));
  }

  /* ---- one holder: `alive` births that stay, by stretch; `freed[b][f]` the others ---- */
  function atAge({ alive: all, freed }, age) {
    const stretches = all.length - 1, first = 1 + Math.ceil(STARTUP * stretches), last = stretches - age;
    if (last - first < OLD_LEAST) return null;
    const old = freed.map((row, born) => row.map((count, end) => (end - Math.max(born, 1) >= age ? count : 0)));
    const alive = all.slice(first, last + 1), rows = old.slice(first, last + 1).map(sum), ended = sum(rows), made = sum(alive) + ended;
    if (made < OLD_LEAST) return null;
    const variance = varianceRatio(alive.map((count, i) => count + rows[i]));
    const turned = all.filter((_, end) => old.slice(0, first).some((row) => row[end] > 0)).length;
    let exposure = sum(alive.map((count, i) => count * (stretches - age - (first + i) + 0.5)));
    for (let born = first; born <= last; born++) old[born].forEach((count, end) => (exposure += count * Math.max(end - born - age, 0)));
    exposure /= POOL_LIFE * stretches;
    const chance = Math.max(poissonAtMost(ended / variance, exposure / variance), binomialAtMost(ended / variance + turned, made / variance + turned), fades(alive, variance), fades([...alive].reverse(), variance));
    return { chance, steady: ended <= FREED_MOST * made && steady(all, freed, alive, variance, first), testable: true, old: sum(alive), ended };
  }
  function steady(all, freed, alive, variance, first) {
    const number = sum(alive) / variance;
    if (number === 0) return false;
    const slows = normalAbove((0.5 - placeOf(alive)) * Math.sqrt(12 * number)) < UNSTEADY;
    const reached = (alive.findLastIndex((count) => count > 0) + 1) / alive.length;
    return !slows && reached ** number >= UNSTEADY && !emptied(all, freed, alive, first);
  }
  function emptied(all, freed, alive, first) {
    const rate = sum(alive) / alive.length;
    for (let moment = first + 2; moment < all.length; moment++) {
      const expected = rate * (moment - first), gone = sum(freed.slice(first, moment - 1).map((row) => row[moment]));
      if (expected >= 6 && gone >= expected / 2 && sum(all.slice(first, moment)) < 0.3 * expected) return true;
    }
    return false;
  }
  const NOTHING = { chance: 1, steady: false, testable: false };
  function evidence(lives) {
    if (sum(lives.alive) + lives.blocks < OLD_LEAST) return NOTHING;
    const ages = [...new Set(AGES.map((age) => Math.max(2, even(age * (lives.alive.length - 1)))))].sort((a, b) => a - b);
    const found = ages.map((age) => atAge(lives, age)).filter((one) => one !== null);
    return found.find((one) => one.ended <= FREED_MOST * (one.old + one.ended)) ?? found.at(-1) ?? NOTHING;
  }

  /* ---- all holders: rows of hs_lab_lives and hs_lab_live ---- */
  const keyOf = (row) => row.task * 4294967296 + row.site;
  function leaks(ended, live, looks) {
    const holders = new Map(), size = looks.length, last = looks[size - 1];
    const of = (row) => {
      if (!holders.has(keyOf(row))) holders.set(keyOf(row), { alive: Array(size).fill(0), rows: [], blocks: 0 });
      return holders.get(keyOf(row));
    };
    for (const row of ended) {
      const holder = of(row);
      holder.rows.push(row);
      holder.blocks += row.blocks;
    }
    for (const row of live) {
      const after = looks.findIndex((look) => look > row.birth);
      of(row).alive[after < 0 ? size - 1 : after]++;
    }
    if (sum([...holders.values()].map((one) => sum(one.alive.slice(1)))) > EVENTS_OWN * (last - looks[0])) return null;
    const found = [...holders].map(([key, holder]) => {
      const freed = Array.from({ length: size }, () => Array(size).fill(0));
      if (sum(holder.alive) + holder.blocks >= OLD_LEAST) for (const row of holder.rows) freed[row.born][row.freed] += row.blocks;
      freed[0][0] = 0;
      return { key, ...evidence({ alive: holder.alive, freed, blocks: holder.blocks }) };
    });
    const chances = found.filter((one) => one.testable).map((one) => (one.steady ? one.chance : 1)).sort((a, b) => a - b), tested = Math.max(1, chances.length);
    const passed = chances.map((chance, i) => [chance, (FALSE_SHARE * (i + 1)) / tested]).filter(([chance, step]) => chance <= step);
    const limit = passed.length > 0 ? passed.at(-1)[1] : FALSE_SHARE / tested;
    return found.filter((one) => one.testable && one.steady && one.chance <= limit).map((one) => one.key);
  }

  /* The events before which the live blocks are looked at. */
  const looksOf = (events) => [...new Set(Array.from({ length: MOMENTS }, (_, i) => Math.floor((events / (MOMENTS - 1)) * i)))];
  return { leaks, looksOf };
})();
