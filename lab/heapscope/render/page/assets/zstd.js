/* Unpacks zstd, which browsers do not: RFC 8878, without dictionaries. This file runs in a worker.
   The file may be anybody's: each number that it tells is held against a bound before it is used. */
"use strict";

const unzstd = (() => {
  const MAGIC = 0xfd2fb528, SKIPPED = 0x184d2a50;
  const BLOCK_MAX = 1 << 17;
  const damaged = (what) => new Error(`It is damaged: ${what}.`);
  const highest = (value) => 31 - Math.clz32(value);

  /* Bits from the last to the first: what lies before the first one reads as zeros. */
  class Backward {
    constructor(bytes, from, end) {
      if (end <= from || bytes[end - 1] === 0) throw damaged("a stream of bits has no end");
      this.bytes = bytes;
      this.from = from;
      this.left = (end - from) * 8 - (8 - highest(bytes[end - 1])); /* bits; below 0: read too far */
    }
    peek(count) {
      const to = this.left - count;
      if (to < 0) return this.left <= 0 ? 0 : this.at(0, this.left) << -to;
      return this.at(to, count);
    }
    at(bit, count) {
      const { bytes } = this, i = this.from + (bit >>> 3);
      return ((bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)) >>> (bit & 7)) & ((1 << count) - 1);
    }
    read(count) {
      if (count > 24) return this.read(count - 16) * 65536 + this.read(16);
      const value = count === 0 ? 0 : this.peek(count);
      this.left -= count;
      return value;
    }
  }

  /* A table of finite states, from its number of states and the shares of its symbols. */
  function stateTable(log, shares) {
    const size = 1 << log, symbol = new Uint8Array(size), bits = new Uint8Array(size), base = new Uint16Array(size), next = [];
    let high = size, place = 0;
    shares.forEach((share, one) => {
      next[one] = share === -1 ? 1 : share;
      if (share === -1) symbol[--high] = one;
    });
    shares.forEach((share, one) => {
      for (let i = 0; i < share; i++) {
        symbol[place] = one;
        do place = (place + (size >> 1) + (size >> 3) + 3) & (size - 1); while (place >= high);
      }
    });
    for (let state = 0; state < size; state++) {
      const value = next[symbol[state]]++;
      bits[state] = log - highest(value);
      base[state] = (value << bits[state]) - size;
    }
    return { log, symbol, bits, base };
  }
  const single = (symbol) => ({ log: 0, symbol: [symbol], bits: [0], base: [0] });

  /* The same, as it is written in a block; `most`: the highest log and the highest symbol. */
  function readStates(bytes, from, end, [most, last]) {
    let bit = from * 8;
    const read = (count) => {
      let value = 0;
      for (let i = 0; i < count; i++, bit++) value |= ((bytes[bit >>> 3] >>> (bit & 7)) & 1) << i;
      return value;
    };
    const log = read(4) + 5, shares = [];
    if (log > most) throw damaged("a table is too large");
    let left = 1 << log;
    while (left > 0) {
      const width = highest(left + 1) + 1, lower = (1 << (width - 1)) - 1, least = (1 << width) - 2 - left;
      let value = read(width - 1);
      if (value >= least) {
        value |= read(1) << (width - 1);
        if (value > lower) value -= least;
      }
      shares.push(value - 1);
      left -= Math.abs(value - 1);
      for (let more = 3; value === 1 && more === 3; ) for (let i = (more = read(2)); i > 0; i--) shares.push(0);
      if (shares.length > last + 1 || bit > end * 8) throw damaged("a table has no end");
    }
    if (left < 0) throw damaged("a table has too many states");
    return { table: stateTable(log, shares), at: (bit + 7) >>> 3 };
  }

  /* Codes of literals; their lengths are given by weights. */
  function readCodes(bytes, from, end) {
    const head = bytes[from], weights = [];
    let at = from + 1;
    if (head >= 128) {
      for (let i = 0; i < head - 127; i++) weights.push(i % 2 === 0 ? bytes[at + (i >> 1)] >> 4 : bytes[at + (i >> 1)] & 15);
      at += (head - 126) >> 1;
    } else {
      at += head;
      if (at > end) throw damaged("a table has no end");
      const read = readStates(bytes, from + 1, at, [6, 255]), { table } = read, stream = new Backward(bytes, read.at, at);
      let one = stream.read(table.log), other = stream.read(table.log);
      while (weights.length < 255) {
        weights.push(table.symbol[one]);
        one = table.base[one] + stream.read(table.bits[one]);
        if (stream.left < 0) {
          weights.push(table.symbol[other]);
          break;
        }
        [one, other] = [other, one];
      }
    }
    if (at > end || weights.length > 255) throw damaged("a table has no end");
    const sum = weights.reduce((total, weight) => total + ((1 << weight) >> 1), 0), log = highest(sum) + 1, rest = (1 << log) - sum;
    if (sum === 0 || log > 11 || (rest & (rest - 1)) !== 0) throw damaged("codes do not fill their table");
    weights.push(highest(rest) + 1);
    const symbol = new Uint8Array(1 << log), bits = new Uint8Array(1 << log);
    let place = 0;
    for (let weight = 1; weight <= log; weight++) {
      weights.forEach((own, one) => {
        if (own !== weight) return;
        symbol.fill(one, place, place + (1 << (weight - 1)));
        bits.fill(log + 1 - weight, place, (place += 1 << (weight - 1)));
      });
    }
    return { codes: { log, symbol, bits }, at };
  }
  function decode({ log, symbol, bits }, bytes, from, end, out, first, last) {
    const stream = new Backward(bytes, from, end);
    for (let to = first; to < last; to++) {
      const code = stream.peek(log);
      out[to] = symbol[code];
      stream.left -= bits[code];
    }
    if (stream.left !== 0) throw damaged("literals do not end where they should");
  }

  /* ---- lengths and offsets: the lowest value of a code, and the bits that follow it ---- */
  const ladder = (first, extra) => {
    const base = [];
    for (const bits of extra) base.push(base.length === 0 ? first : base.at(-1) + 2 ** extra[base.length - 1]);
    return { base, extra };
  };
  const of = (...runs) => runs.flatMap(([value, count]) => Array(count).fill(value));
  const LITERALS = ladder(0, [...of([0, 16], [1, 4], [2, 2], [3, 2]), 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  const MATCHES = ladder(3, [...of([0, 32], [1, 4], [2, 2], [3, 2]), 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  const KINDS = [ /* as they follow each other: literals, offsets, matches */
    { most: [9, 35], usual: stateTable(6, [4, 3, ...of([2, 11], [1, 3], [2, 9]), 3, 2, ...of([1, 5], [-1, 4])]) },
    { most: [8, 31], usual: stateTable(5, [1, 1, 1, 1, 1, 1, 2, 2, 2, ...of([1, 15], [-1, 5])]) },
    { most: [9, 52], usual: stateTable(6, [1, 4, 3, 2, 2, 2, 2, 2, 2, ...of([1, 37], [-1, 7])]) },
  ];

  class Frames {
    constructor(bytes, most) {
      this.bytes = bytes;
      this.most = most;
      this.out = new Uint8Array(Math.min(most, Math.max(1 << 16, bytes.length * 4)));
      this.size = 0;
    }
    bound(more) {
      if (this.size + more > this.most) throw new Error(`It has more than ${this.most.toLocaleString("en")} bytes when it is unpacked. This page opens no more.`);
    }
    room(more) {
      this.bound(more);
      if (this.size + more <= this.out.length) return;
      const grown = new Uint8Array(Math.min(this.most, Math.max(2 * this.out.length, this.size + more)));
      grown.set(this.out.subarray(0, this.size));
      this.out = grown;
    }
    number(at, count) {
      if (at + count > this.bytes.length) throw damaged("it breaks off");
      let value = 0;
      for (let i = count - 1; i >= 0; i--) value = value * 256 + this.bytes[at + i];
      return value;
    }

    all() {
      let at = 0;
      while (at < this.bytes.length) {
        const magic = this.number(at, 4);
        if (magic === MAGIC) at = this.frame(at + 4);
        else if (magic >= SKIPPED && magic < SKIPPED + 16) at += 8 + this.number(at + 4, 4);
        else throw damaged("bytes behind its end");
      }
      return this.out.subarray(0, this.size);
    }

    frame(at) {
      const head = this.number(at++, 1), one = (head & 32) !== 0;
      if (head & 8) throw damaged("its head is of no known version");
      if (!one) at++; /* the window: all that was unpacked is kept */
      const named = [0, 1, 2, 4][head & 3], reported = [one ? 1 : 0, 2, 4, 8][head >> 6];
      if (named > 0 && this.number(at, named) !== 0) throw new Error("It was packed with a dictionary, which is not here.");
      at += named;
      const size = reported === 0 ? null : this.number(at, reported) + (reported === 2 ? 256 : 0);
      at += reported;
      if (size !== null) this.bound(size);
      this.begin = this.size;
      this.tables = KINDS.map(() => null);
      this.codes = null;
      this.offsets = [1, 4, 8];
      for (let last = false; !last; ) {
        const block = this.number(at, 3), kind = (block >> 1) & 3, length = block >> 3;
        at += 3;
        last = (block & 1) === 1;
        if (length > BLOCK_MAX || kind === 3) throw damaged("a block of no known kind");
        const bytes = kind === 1 ? 1 : length;
        if (at + bytes > this.bytes.length) throw damaged("it breaks off");
        if (kind === 2) this.block(at, at + length);
        else {
          this.room(length);
          if (kind === 0) this.out.set(this.bytes.subarray(at, at + length), this.size);
          else this.out.fill(this.bytes[at], this.size, this.size + length);
          this.size += length;
        }
        at += bytes;
      }
      if (size !== null && this.size - this.begin !== size) throw damaged("its size is not the one that it tells");
      if ((head & 4) === 0) return at;
      const sum = this.number(at, 4);
      if (sum !== Number(hash(this.out.subarray(this.begin, this.size)) & 0xffffffffn)) throw damaged("its checksum is another");
      return at + 4;
    }

    literals(at, end) {
      const head = this.bytes[at], kind = head & 3, form = (head >> 2) & 3;
      if (kind < 2) {
        const wide = [1, 2, 1, 3][form], size = Math.floor(this.number(at, wide) / (wide === 1 ? 8 : 16));
        at += wide;
        if (size > BLOCK_MAX || at + (kind === 0 ? size : 1) > end) throw damaged("literals are too long");
        return kind === 0 ? { text: this.bytes.subarray(at, at + size), at: at + size } : { text: new Uint8Array(size).fill(this.bytes[at]), at: at + 1 };
      }
      const wide = [3, 3, 4, 5][form], bits = [10, 10, 14, 18][form], value = Math.floor(this.number(at, wide) / 16);
      const size = value % 2 ** bits, packed = Math.floor(value / 2 ** bits);
      at += wide;
      const stop = at + packed;
      if (size > BLOCK_MAX || stop > end) throw damaged("literals are too long");
      if (kind === 2) ({ codes: this.codes, at } = readCodes(this.bytes, at, stop));
      if (this.codes === null) throw damaged("literals have no codes");
      const text = new Uint8Array(size);
      if (form === 0) decode(this.codes, this.bytes, at, stop, text, 0, size);
      else {
        const part = (size + 3) >> 2, lengths = [0, 2, 4].map((i) => this.number(at + i, 2));
        let from = at + 6;
        for (let i = 0; i < 4; i++) {
          const to = i < 3 ? from + lengths[i] : stop;
          if (to > stop) throw damaged("literals are too long");
          decode(this.codes, this.bytes, from, to, text, Math.min(size, part * i), i < 3 ? Math.min(size, part * (i + 1)) : size);
          from = to;
        }
      }
      return { text, at: stop };
    }

    table(kind, mode, at, end) {
      if (mode === 0) this.tables[kind] = KINDS[kind].usual;
      else if (mode === 1) {
        if (this.bytes[at] > KINDS[kind].most[1]) throw damaged("a code of no known meaning");
        this.tables[kind] = single(this.bytes[at++]);
      } else if (mode === 2) {
        const read = readStates(this.bytes, at, end, KINDS[kind].most);
        this.tables[kind] = read.table;
        at = read.at;
      } else if (this.tables[kind] === null) throw damaged("a table is missing");
      if (at > end) throw damaged("a block breaks off");
      return at;
    }

    block(from, end) {
      if (end - from < 2) throw damaged("a block breaks off");
      const read = this.literals(from, end), { text } = read, start = this.size;
      let { at } = read;
      let count = this.bytes[at++];
      if (count >= 255) count = this.number(at, 2) + 0x7f00, at += 2;
      else if (count >= 128) count = ((count - 128) << 8) + this.bytes[at++];
      let taken = 0;
      if (count > 0) {
        const modes = this.bytes[at++];
        for (let kind = 0; kind < 3; kind++) at = this.table(kind, (modes >> (6 - 2 * kind)) & 3, at, end);
        const [literal, offset, match] = this.tables, stream = new Backward(this.bytes, at, end);
        let l = stream.read(literal.log), o = stream.read(offset.log), m = stream.read(match.log);
        for (; count > 0; count--) {
          const code = offset.symbol[o], value = 2 ** code + stream.read(code);
          const long = MATCHES.base[match.symbol[m]] + stream.read(MATCHES.extra[match.symbol[m]]);
          const plain = LITERALS.base[literal.symbol[l]] + stream.read(LITERALS.extra[literal.symbol[l]]);
          if (count > 1) {
            l = literal.base[l] + stream.read(literal.bits[l]);
            m = match.base[m] + stream.read(match.bits[m]);
            o = offset.base[o] + stream.read(offset.bits[o]);
          }
          if (stream.left < 0) throw damaged("a block breaks off");
          if (taken + plain > text.length || this.size + plain + long - start > BLOCK_MAX) throw damaged("a block is too long");
          this.room(plain + long);
          this.out.set(text.subarray(taken, taken + plain), this.size);
          taken += plain;
          this.size += plain;
          this.copy(this.distance(value, plain), long);
        }
        if (stream.left !== 0) throw damaged("a block does not end where it should");
      }
      if (this.size - start + text.length - taken > BLOCK_MAX) throw damaged("a block is too long");
      this.room(text.length - taken);
      this.out.set(text.subarray(taken), this.size);
      this.size += text.length - taken;
    }

    /* The last three distances have short names. */
    distance(value, plain) {
      const kept = this.offsets;
      if (value > 3) {
        this.offsets = [value - 3, kept[0], kept[1]];
        return value - 3;
      }
      const which = value - 1 + (plain === 0 ? 1 : 0), result = which === 3 ? kept[0] - 1 : kept[which];
      if (which > 0) this.offsets = [result, kept[0], which === 1 ? kept[2] : kept[1]];
      return result;
    }
    copy(distance, long) {
      const { out } = this, from = this.size - distance;
      if (distance < 1 || from < this.begin) throw damaged("a distance leads before its begin");
      if (distance >= long) out.copyWithin(this.size, from, from + long);
      else for (let i = 0; i < long; i++) out[this.size + i] = out[from + i];
      this.size += long;
    }
  }

  /* ---- XXH64, the checksum of a frame ---- */
  const [P1, P2, P3, P4, P5] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];
  const wide = (value) => BigInt.asUintN(64, value);
  const turned = (value, by) => wide((value << by) | (value >> (64n - by)));
  const round = (sum, lane) => wide(turned(wide(sum + wide(lane * P2)), 31n) * P1);
  function hash(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0, sum = P5;
    if (bytes.length >= 32) {
      let [a, b, c, d] = [wide(P1 + P2), P2, 0n, wide(-P1)];
      for (; at + 32 <= bytes.length; at += 32) {
        a = round(a, view.getBigUint64(at, true));
        b = round(b, view.getBigUint64(at + 8, true));
        c = round(c, view.getBigUint64(at + 16, true));
        d = round(d, view.getBigUint64(at + 24, true));
      }
      sum = wide(turned(a, 1n) + turned(b, 7n) + turned(c, 12n) + turned(d, 18n));
      for (const one of [a, b, c, d]) sum = wide(wide((sum ^ round(0n, one)) * P1) + P4);
    }
    sum = wide(sum + BigInt(bytes.length));
    for (; at + 8 <= bytes.length; at += 8) sum = wide(turned(sum ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
    for (; at + 4 <= bytes.length; at += 4) sum = wide(turned(sum ^ wide(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    for (; at < bytes.length; at++) sum = wide(turned(sum ^ wide(BigInt(bytes[at]) * P5), 11n) * P1);
    for (const [by, times] of [[33n, P2], [29n, P3], [32n, 1n]]) sum = wide((sum ^ (sum >> by)) * times);
    return sum;
  }

  return (bytes, most) => new Frames(bytes, most).all();
})();
