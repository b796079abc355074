// A day of five series, a value a minute, as one JSON text and back. mark() and collect() come from
// engine.c.
'use strict';

var SERIES = ['temperature', 'humidity', 'pressure', 'light', 'voltage'];
var MINUTES = 1440;

function fillDay() {
    var day = {};
    SERIES.forEach(function (name, i) {
        var values = day[name] = [];
        for (var minute = 0; minute < MINUTES; minute++) {
            values.push((200 + 100 * i + minute * 7919 % 1000) / 10);
        }
    });
    return day;
}

var values = fillDay();
mark('filled');
var text = JSON.stringify(values);
mark('encoded');
values = null;
collect();
mark('collected');
var answer = JSON.parse(text);
mark('decoded');
if (!SERIES.every(function (name) { return answer[name].length === MINUTES; })) {
    throw new Error('the day came back shorter');
}
answer = text = null;
collect();
mark('let go');
