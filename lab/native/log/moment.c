#include "moment.h"

#include <stdbool.h>
#include <string.h>

#include "form.h"
#include "letters.h"

#define EPOCH_S INT64_C(1000000000) /* a number of seconds or more is one since 1970 */
#define DIGITS_MAX 15u
#define KEY_MAX 16u
#define HOUR INT64_C(3600000)

/* The digits at `text`, at most DIGITS_MAX; 0: none. */
static size_t digits_read(const char *text, int64_t *value)
{
    size_t count = 0;
    for (*value = 0; count < DIGITS_MAX && hs_log_is_digit(text[count]); count++) {
        *value = *value * 10 + (text[count] - '0');
    }
    return hs_log_is_digit(text[count]) ? 0 : count;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar, whose year begins in March here. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t from_march = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return 365 * year + year / 4 - year / 100 + year / 400 + from_march - 719468;
}

/* Does the text have this shape, in which 'd' is a digit? */
static bool has_shape(const char *text, const char *shape)
{
    for (; *shape != 0; shape++, text++) {
        if (*shape == 'd' ? !hs_log_is_digit(*text) : *text != *shape) {
            return false;
        }
    }
    return true;
}

static int64_t two(const char *text)
{
    return 10 * (text[0] - '0') + text[1] - '0';
}

/* "HH:MM:SS" with a fraction or none, as ms. */
static int64_t clock_of(const char *text)
{
    int64_t ms = two(text) * HOUR + two(text + 3) * 60000 + two(text + 6) * 1000;
    int64_t place = 100;
    for (size_t at = 9; text[8] == '.' && hs_log_is_digit(text[at]); at++, place /= 10) {
        ms += place * (text[at] - '0');
    }
    return ms;
}

/* "2026-03-02T06:00:31.024Z", likewise with a blank; -1: none. */
static int64_t date_of(const char *text)
{
    if (!has_shape(text, "dddd-dd-dd") || (text[10] != 'T' && text[10] != ' ') ||
        !has_shape(text + 11, "dd:dd:dd")) {
        return -1;
    }
    const int64_t year = two(text) * 100 + two(text + 2), month = two(text + 5);
    if (year < 1970 || month < 1 || month > 12) {
        return -1;
    }
    return days_of(year, month, two(text + 8)) * 24 * HOUR + clock_of(text + 11);
}

/* The ms of a unit of time, as a whole word; 0: none. */
static int64_t unit_of(const char *text, size_t length)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {{"ms", 1},        {"millis", 1},      {"s", 1000},        {"sec", 1000},
                 {"secs", 1000},   {"seconds", 1000},  {"min", 60000},     {"mins", 60000},
                 {"h", HOUR},      {"hours", HOUR},    {"minutes", 60000}, {"d", 24 * HOUR},
                 {"hour", HOUR},   {"day", 24 * HOUR}, {"msec", 1},        {"days", 24 * HOUR},
                 {"minute", 60000}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t at = 0;
        while (at < length && hs_log_lower(text[at]) == units[i].name[at]) {
            at++;
        }
        if (at == length && units[i].name[at] == 0) {
            return units[i].ms;
        }
    }
    return 0;
}

static size_t word_end(const char *text)
{
    size_t end = 0;
    while (hs_log_word_byte(text[end]) && text[end] != '_') {
        end++;
    }
    return end;
}

int64_t hs_log_moment_cell(const char *text, int64_t unit)
{
    int64_t value, thousandths = 0, place = 100;
    const int64_t date = date_of(text);
    size_t at = date < 0 ? digits_read(text, &value) : 0;
    if (date >= 0 || at == 0) {
        return date;
    }
    if (text[at] == '.' && hs_log_is_digit(text[at + 1])) {
        for (at++; hs_log_is_digit(text[at]); at++, place /= 10) {
            thousandths += place * (text[at] - '0');
        }
    }
    if (text[at] != 0 && strchr(":-/", text[at]) != NULL && hs_log_word_byte(text[at + 1])) {
        return -1; /* part of a clock or of a date */
    }
    at += strspn(text + at, " ");
    const size_t end = word_end(text + at);
    const int64_t behind = end != 0 ? unit_of(text + at, end) : 0;
    if (end != 0 && behind == 0 && text[at - 1] != ' ') {
        return -1; /* "30T00:12:01" */
    }
    unit = behind != 0 ? behind : unit;
    if (value >= EPOCH_S && behind == 0) {
        unit = value >= 1000 * EPOCH_S ? 1 : unit; /* since 1970, in ms or as its name says */
    }
    return value > INT64_MAX / unit - 1 ? -1 : value * unit + thousandths * unit / 1000;
}

int64_t hs_log_moment_unit(const char *name, size_t length)
{
    static const char *const keys[] = {"uptime", "time",      "t",       "ts",
                                       "millis", "timestamp", "elapsed", "seconds",
                                       "up",     "uptimesec", "last",    "secs"};
    bool is_time = false;
    int64_t unit = 1000;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && hs_log_word_byte(name[end]) && name[end] != '_') {
            end++;
        }
        for (size_t i = 0; at == 0 && i < sizeof keys / sizeof keys[0]; i++) {
            size_t same = 0;
            while (same < end && hs_log_lower(name[same]) == keys[i][same]) {
                same++;
            }
            is_time |= same == end && keys[i][same] == 0 && end != 0;
        }
        const int64_t ms = unit_of(name + at, end - at);
        unit = ms != 0 && end - at > 0 ? ms : unit;
        at = end + 1;
    }
    return is_time ? unit : 0;
}

/* "uptime": 28, t=30, up_ms: 912: the time of a key; -1: none. */
static int64_t keyed(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (hs_log_word_byte(text[end])) {
            end++;
        }
        const char first = hs_log_lower(text[at]);
        if (end == at || end - at > KEY_MAX || strchr("utmes", first) == NULL) {
            at = end + (end == at);
            continue;
        }
        const int64_t unit = hs_log_moment_unit(text + at, end - at);
        const size_t signs = strspn(text + end, "\"' :=");
        const bool is_key = unit != 0 && memchr(text + end, ' ', signs) != text + end;
        const bool in_words = unit != 0 && end - at >= 6 && text[end] == ' ';
        at = end + signs;
        if ((is_key || in_words) && signs != 0 && hs_log_is_digit(text[at])) {
            const int64_t ms = hs_log_moment_cell(text + at, unit);
            if (ms >= 0) {
                return ms;
            }
        }
        at += signs == 0;
    }
    return -1;
}

/* "32456 : " begins with ms since the start; "06:00:30 30 [" has seconds behind its clock; -1: none. */
static int64_t leading(const char *text)
{
    int64_t value;
    size_t at = strspn(text, " ");
    const size_t count = digits_read(text + at, &value);
    if (count != 0 && strncmp(text + at + count, " : ", 3) == 0) {
        return value;
    }
    const char *bar = strchr(text, '|');
    at = bar != NULL && bar - text < 12 ? (size_t)(bar - text) + 1 : 0;
    at += strspn(text + at, " ");
    if (has_shape(text + at, "dd:dd:dd ")) {
        const size_t digits = digits_read(text + at + 9, &value);
        if (digits != 0 && strncmp(text + at + 9 + digits, " [", 2) == 0) {
            return value * 1000;
        }
    }
    return -1;
}

/* A date anywhere, or a time stamp at the end of the line, as Prometheus has it; -1: none. */
static int64_t stamped(const char *text, size_t length)
{
    for (size_t at = 0; at + 18 < length; at++) {
        if (text[at + 4] == '-' && hs_log_is_digit(text[at]) &&
            (at == 0 || !hs_log_is_digit(text[at - 1]))) {
            const int64_t ms = date_of(text + at);
            if (ms >= 0) {
                return ms;
            }
        }
    }
    size_t start = length;
    while (start > 0 && hs_log_is_digit(text[start - 1])) {
        start--;
    }
    int64_t value;
    if (length - start != 13 || start == 0 || text[start - 1] != ' ' ||
        digits_read(text + start, &value) != 13) {
        return -1;
    }
    return value;
}

int64_t hs_log_moment_read(const char *text, size_t length)
{
    int64_t ms = leading(text);
    ms = ms >= 0 ? ms : keyed(text, length);
    return ms >= 0 ? ms : stamped(text, length);
}
