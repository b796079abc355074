// A load for the heap that each engine runs: text, objects, arrays, JSON, closures, expressions, buffers.
var kept = {};

function Random(seed) {
    this.state = seed >>> 0;
}
Random.prototype.next = function () {
    this.state = (Math.imul ? Math.imul(this.state, 1103515245) : this.state * 69069) + 12345 >>> 0;
    return this.state >>> 8;
};

var jobs = [
    function text(random) {
        var parts = [], i, n;
        for (i = 0; i < 40; i++) {
            n = random.next();
            parts.push(n % 1000 + ":" + new Array(n % 60 + 1).join(String.fromCharCode(97 + n % 26)));
        }
        var joined = parts.join(";");
        var changed = joined.replace(/\d+/g, function (d) { return "<" + (+d + 1) + ">"; });
        return changed.length + changed.split("<").length;
    },
    function objects(random) {
        var root = {}, i, n, sum = 0;
        for (i = 0; i < 100; i++) {
            n = random.next();
            root["key" + n % 97] = { number: i, list: [n, i], name: "n" + i };
            if (n % 3 === 0) {
                delete root["key" + random.next() % 97];
            }
        }
        Object.keys(root).forEach(function (key) { sum += root[key].number + key.length; });
        return sum;
    },
    function json(random) {
        var list = [], i, n;
        for (i = 0; i < 30; i++) {
            n = random.next();
            list.push({ id: n % 10000, value: n / 8, text: "t" + n % 77, more: [n % 2 === 0, null] });
        }
        var text = JSON.stringify(list);
        var back = JSON.parse(text);
        return text.length + back[7].id;
    },
    function sorting(random) {
        var list = [], i;
        for (i = 0; i < 80; i++) {
            list.push({ key: random.next() % 10000, i: i });
        }
        list.sort(function (a, b) { return a.key - b.key || a.i - b.i; });
        return list.map(function (one) { return one.key; })
            .filter(function (key) { return key % 2; })
            .reduce(function (a, b) { return (a + b) % 65521; }, 0);
    },
    function closures(random) {
        var built = [], i, sum = 0;
        function counter(from) {
            return function () { return from++; };
        }
        for (i = 0; i < 60; i++) {
            built.push(counter(random.next() % 100));
        }
        for (i = 0; i < 120; i++) {
            sum += built[i % 60]();
        }
        return sum;
    },
    function errors(random) {
        var i, sum = 0;
        for (i = 0; i < 12; i++) {
            try {
                if (random.next() % 2) {
                    null.field;
                }
                throw new Error("made " + i);
            } catch (error) {
                sum += String(error.message).length > 4 ? 1 : 0;
            }
        }
        return sum;
    },
    function buffers(random) {
        var sum = 0, i, j, bytes;
        for (i = 0; i < 6; i++) {
            bytes = new Uint8Array(random.next() % 2000 + 1);
            for (j = 0; j < bytes.length; j += 37) {
                bytes[j] = j;
            }
            sum += bytes.subarray(0, 38).length + bytes[0];
        }
        return sum;
    },
    function keep(random) {
        var i, n, place, sum = 0;
        for (i = 0; i < 20; i++) {
            n = random.next();
            place = "p" + n % 150;
            if (kept[place]) {
                delete kept[place];
            } else {
                kept[place] = new Array(n % 200 + 1).join("k") + place;
            }
        }
        for (i = 0; i < 150; i++) {
            sum += (kept["p" + i] || "").length;
        }
        return sum;
    },
    function cycles(random) {
        var i, first, last, sum = 0;
        for (i = 0; i < 15; i++) {
            first = { n: random.next() % 1000 };
            last = { other: first, list: [first] };
            first.other = last;
            sum += last.other.n;
        }
        return sum;
    },
];

function round(number) {
    var random = new Random(number + 1), sum = 0, i;
    for (i = 0; i < 5; i++) {
        sum = (sum * 31 + jobs[random.next() % jobs.length](random)) % 1000003;
    }
    return String(sum);
}
