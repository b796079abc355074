// The jobs of a gateway's script, one after the other, each between two marks, so that a week can be
// composed of them: minutes of timers, collections, and a day of five series as JSON and as CBOR.
// mark(), wait() and collect() come from engine.c.
'use strict';

var SERIES = ['temperature', 'humidity', 'pressure', 'light', 'voltage'];
var UNITS = ['C', '%', 'hPa', 'lx', 'mV'];
var MINUTES = 1440;

// Numbers that repeat: the minimal standard generator of Park and Miller.
var seed = 42;
function random(limit) {
    seed = seed * 16807 % 2147483647;
    return seed % limit;
}

// ---- timers: a list in the order of their times -----------------------------------------------

var timers = [];
var now = 0;

function every(milliseconds, call) {
    var timer = { at: now + milliseconds, call: call, again: milliseconds };
    var place = timers.length;
    while (place > 0 && timers[place - 1].at > timer.at) {
        place--;
    }
    timers.splice(place, 0, timer);
}

function runTimers(until) {
    while (timers.length > 0 && timers[0].at <= until) {
        var timer = timers.shift();
        wait(timer.at - now);
        now = timer.at;
        timer.call();
        every(timer.again, timer.call);
    }
    wait(until - now);
    now = until;
}

// ---- objects: sensors, what was seen last, and pages whose parts know each other ---------------

function Sensor(name, unit) {
    this.name = name;
    this.unit = unit;
    this.readings = [];
}

Sensor.prototype.read = function () {
    var reading = { at: new Date(now).toISOString(), value: random(4000) / 10, unit: this.unit };
    this.readings.push(reading);
    if (this.readings.length > 10) {
        this.readings.shift();
    }
    if (reading.value > 360) {
        remember(this.name + ' high: ' + reading.value + ' ' + reading.unit + ' at ' + reading.at);
    }
};

var events = [];
function remember(text) {
    events.push(text);
    if (events.length > 15) {
        events.shift();
    }
}

// Parent and parts refer to each other, so that only a collection lets go of them.
var page = null;
function showPage() {
    var made = { title: 'at ' + now, rows: [] };
    sensors.forEach(function (sensor) {
        var last = sensor.readings[sensor.readings.length - 1];
        made.rows.push({ page: made, text: sensor.name + ' ' + (last ? last.value : '-') });
    });
    page = made;
}

var sensors = SERIES.map(function (name, i) { return new Sensor(name, UNITS[i]); });
sensors.forEach(function (sensor, i) {
    every(1000 + 250 * i, function () { sensor.read(); });
});
every(10000, showPage);

// ---- the day: all of it there from the start, a value more each minute -------------------------

var day = {};
SERIES.forEach(function (name) {
    var values = day[name] = [];
    for (var minute = 0; minute < MINUTES; minute++) {
        values.push((100 + random(900)) / 10);
    }
});
var minutes = 0;
every(60000, function () {
    SERIES.forEach(function (name) {
        day[name][minutes % MINUTES] = (100 + random(900)) / 10;
    });
    minutes++;
});

// ---- the jobs ----------------------------------------------------------------------------------

runTimers(now + 120000);
collect();
SERIES.forEach(function (name) { // what is encoded is all there: series by series, as it is large
    if (JSON.parse(JSON.stringify(day[name])).length !== MINUTES ||
        CBOR.decode(CBOR.encode(day[name])).length !== MINUTES) {
        throw new Error(name + ' came back shorter');
    }
});
collect();
var encoded;
for (var cycle = 1; cycle <= 4; cycle++) {
    for (var part = 1; part <= 4; part++) {
        mark('minute ' + cycle + part);
        runTimers(now + 60000);
        mark('collection ' + cycle + part);
        collect();
    }
    mark('json ' + cycle);
    encoded = JSON.stringify(day);
    encoded = null;
    mark('cbor ' + cycle);
    encoded = CBOR.encode(day);
    encoded = null;
}
mark('done');
