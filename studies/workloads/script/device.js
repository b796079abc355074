// What a gateway's script does all day: it reads sensors on timers, keeps a day of values, sends them
// as JSON, and lets go of them. mark(), wait() and collect() come from engine.c.
'use strict';

var SERIES = ['temperature', 'humidity', 'pressure', 'light', 'voltage'];
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

function after(milliseconds, call) {
    var timer = { at: now + milliseconds, call: call };
    var place = timers.length;
    while (place > 0 && timers[place - 1].at > timer.at) {
        place--;
    }
    timers.splice(place, 0, timer);
    return timer;
}

function every(milliseconds, call) {
    after(milliseconds, function again() {
        call();
        after(milliseconds, again);
    });
}

function runTimers(until) {
    while (timers.length > 0 && timers[0].at <= until) {
        var timer = timers.shift();
        wait(timer.at - now);
        now = timer.at;
        timer.call();
    }
    wait(until - now);
    now = until;
}

// ---- objects: sensors with their last readings, and who wants to hear of them -----------------

function Sensor(name, unit) {
    this.name = name;
    this.unit = unit;
    this.readings = [];
    this.listeners = [];
}

Sensor.prototype.read = function () {
    var reading = { at: new Date(now).toISOString(), value: random(4000) / 10, unit: this.unit };
    this.readings.push(reading);
    if (this.readings.length > 20) {
        this.readings.shift();
    }
    this.listeners.forEach(function (listener) { listener(reading); });
};

var events = [];
function remember(text) {
    events.push(text);
    if (events.length > 50) {
        events.shift();
    }
}

var sensors = SERIES.map(function (name, i) {
    var sensor = new Sensor(name, ['C', '%', 'hPa', 'lx', 'mV'][i]);
    sensor.listeners.push(function (reading) {
        if (reading.value > 390) {
            remember(name + ' high: ' + reading.value + ' ' + reading.unit + ' at ' + reading.at);
        }
    });
    return sensor;
});
sensors.forEach(function (sensor, i) {
    every(1000 + 250 * i, function () { sensor.read(); });
});
mark('started');

// ---- the day: filled, then sent series by series, so that only one is there as text at a time --

function fillDay() {
    var day = {};
    SERIES.forEach(function (name) {
        var values = day[name] = [];
        for (var minute = 0; minute < MINUTES; minute++) {
            values.push((100 + random(900)) / 10);
        }
    });
    return day;
}

function sendSeries(name, values) {
    wait(20);
    return JSON.stringify({ series: name, first: now, values: values });
}

function checkAnswer(name, text) {
    if (JSON.parse(text).values.length !== MINUTES) {
        throw new Error(name + ' came back shorter');
    }
}

for (var day = 1; day <= 3; day++) {
    for (var part = 0; part < 4; part++) {
        runTimers(now + 15000);
        collect();
    }
    mark('timers ' + day);
    var values = fillDay();
    mark('filled ' + day);
    SERIES.forEach(function (name) {
        var text = sendSeries(name, values[name]);
        delete values[name];
        collect();
        checkAnswer(name, text);
    });
    mark('sent ' + day);
}
