// A day of five series of measured values as JSON and as CBOR. A measured value has the precision of
// a float and is a double in the script: 17 digits. mark() comes from engine.c.
'use strict';

var SERIES = 5, MINUTES = 1440;

function measured(seed) {
    var value = new Float32Array(1);
    value[0] = 10 + seed * 7919 % 10007 / 331;
    return value[0];
}

var day = {};
for (var series = 0; series < SERIES; series++) {
    var values = day['series' + series] = [];
    for (var minute = 0; minute < MINUTES; minute++) {
        values.push(measured(series * MINUTES + minute));
    }
}
mark('filled');
var text = JSON.stringify(day);
mark('JSON');
text = null;
mark('let go');
var bytes = CBOR.encode(day);
mark('CBOR');
