#include "prefix.h"

#include <stdbool.h>
#include <string.h>

#include "letters.h"

#define PARTS_MAX 12u      /* of a prefix */
#define NAME_MAX_BYTES 32u /* of a name before a time */

/* Digits at `text`; at most 15 of them are a number. */
static size_t number(const char *text, int64_t *value)
{
    size_t count = 0;
    *value = 0;
    while (hs_log_is_digit(text[count]) && count < 15) {
        *value = *value * 10 + (text[count++] - '0');
    }
    return count;
}

/* HH:MM:SS with a fraction or none, as ms; 0: not one. */
static size_t clock_read(const char *text, int64_t *ms)
{
    for (size_t i = 0; i < 8; i++) {
        if (i % 3 == 2 ? text[i] != ':' : !hs_log_is_digit(text[i])) {
            return 0;
        }
    }
    if (text[8] == ':' && text[9] != 0 && text[10] != 0 && text[11] == ':') {
        return 0; /* the address of a device */
    }
    int64_t hours, minutes, seconds, fraction = 0;
    size_t at = 8;
    (void)number(text, &hours);
    (void)number(text + 3, &minutes);
    (void)number(text + 6, &seconds);
    if (text[at] != 0 && strchr(".,:", text[at]) != NULL && hs_log_is_digit(text[at + 1])) {
        size_t count = number(text + at + 1, &fraction);
        at += 1 + count;
        for (; count < 3; count++) {
            fraction *= 10;
        }
        for (; count > 3; count--) {
            fraction /= 10;
        }
    }
    *ms = ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction;
    return at;
}

/* YYYY-MM-DD and its separator; 0: not one. */
static size_t date_read(const char *text)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof shape - 1; i++) {
        const bool separator = text[i] == '-' || text[i] == '/' || text[i] == '.';
        if (shape[i] == 'd' ? !hs_log_is_digit(text[i]) : !separator) {
            return 0;
        }
    }
    return text[10] == 'T' || text[10] == ' ' ? 11 : 10;
}

/* "Mon DD HH:MM:SS host program:" as a system log has it; 0: not one. */
static size_t syslog_read(const char *text, hs_log_prefix_t *out)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    size_t at = 4;
    if (text[0] == 0 || strchr("JFMASOND", text[0]) == NULL) {
        return 0;
    }
    for (size_t month = 0; strncmp(text, months + 3 * month, 3) != 0;) {
        if (++month == 12) {
            return 0;
        }
    }
    if (text[3] != ' ') {
        return 0;
    }
    at += text[4] == ' ' || hs_log_is_digit(text[4]);
    at += hs_log_is_digit(text[5]);
    const size_t size = text[at] == ' ' ? clock_read(text + at + 1, &out->clock) : 0;
    if (size == 0) {
        return 0;
    }
    at += 1 + size;
    for (int words = 0; words < 2 && text[at] == ' '; words++) {
        const size_t start = ++at;
        while (text[at] != 0 && text[at] != ' ') {
            at++;
        }
        out->host = words == 0 ? out->length + start : out->host;
        out->host_length = words == 0 ? at - start : out->host_length;
    }
    return at;
}

/* "I (1234) " of ESP-IDF, whose time may be a clock; 0: not one. */
static size_t level_read(const char *text, hs_log_prefix_t *out)
{
    if (text[0] == 0 || strchr("EWIDV", text[0]) == NULL || text[1] != ' ' || text[2] != '(') {
        return 0;
    }
    int64_t value;
    size_t size = clock_read(text + 3, &value);
    if (size != 0) {
        out->clock = value;
    } else {
        size = number(text + 3, &value);
        out->uptime = size != 0 && text[3 + size] == ')' ? value : out->uptime;
    }
    while (text[3 + size] != 0 && text[3 + size] != ')' && size < 16) {
        size++; /* a time that was blotted out */
    }
    return text[3 + size] == ')' ? 4 + size : 0;
}

/* "[   215]", "[12:00:00.1]", "[V]" or "[file:line]"; 0: not one. */
static size_t bracket_read(const char *text, hs_log_prefix_t *out)
{
    size_t at = 1;
    int64_t value;
    if (text[0] != '[') {
        return 0;
    }
    while (text[at] == ' ') {
        at++;
    }
    const size_t day = date_read(text + at);
    size_t size = clock_read(text + at + day, &value);
    if (size != 0) {
        out->clock = value;
        size += strspn(text + at + day + size, ",.0123456789"); /* ",000" of Zephyr */
        return text[at + day + size] == ']' ? at + day + size + 1 : at + day + size;
    }
    size = number(text + at, &value);
    if (size != 0 && text[at + size] == ']') {
        out->uptime = value;
        return at + size + 1;
    }
    size_t colons = 0;
    while (text[at] != 0 && text[at] != ']' && text[at] != ' ' && at < 48) {
        colons += text[at++] == ':';
    }
    if (colons > 2) {
        return 0; /* the address of a device */
    }
    const char *colon = memchr(text, ':', at); /* "[V]", "[file.cpp:59]" */
    out->is_arduino |=
        text[at] == ']' && colon != NULL && memchr(text, '.', (size_t)(colon - text));
    return text[at] == ']' && (at == 2 || colon != NULL) ? at + 1 : 0;
}

/* One part of a prefix; 0: the line itself begins here. */
static size_t part_read(const char *text, hs_log_prefix_t *out)
{
    static const char *const marks[] = {"--->", "->", "//", "| ", "> ",
                                        "- ",   "* ", "+ ", "# ", ": "};
    if (text[0] == ' ') {
        return strspn(text, " ");
    }
    const size_t priority = text[0] == '<' ? strspn(text + 1, "0123456789") : 0;
    if (priority != 0 && priority < 4 && text[priority + 1] == '>') {
        return priority + 2 + (strncmp(text + priority + 2, "1 ", 2) == 0 ? 2 : 0);
    }
    const bool mark = strchr("-/|>*+#:", text[0]) != NULL;
    for (size_t i = 0; mark && i < sizeof marks / sizeof marks[0]; i++) {
        if (strncmp(text, marks[i], strlen(marks[i])) == 0) {
            return strlen(marks[i]);
        }
    }
    size_t size = date_read(text);
    if (size != 0) {
        return size;
    }
    size = clock_read(text, &out->clock);
    if (size != 0) {
        return size + (text[size] == 'Z');
    }
    size = syslog_read(text, out);
    return size != 0 ? size : text[0] == '[' ? bracket_read(text, out) : level_read(text, out);
}

/* The time of "porch | I (1234) ", which stands behind a name that no prefix has. */
static int64_t named_uptime(const char *text, size_t length)
{
    for (size_t at = 1; at < length && at < NAME_MAX_BYTES; at++) {
        hs_log_prefix_t level = {.uptime = -1};
        if (strchr(" |>:]", text[at - 1]) != NULL && level_read(text + at, &level) != 0) {
            return level.uptime;
        }
    }
    return -1;
}

void hs_log_prefix_read(const char *text, size_t length, hs_log_prefix_t *out)
{
    *out = (hs_log_prefix_t){.uptime = -1, .clock = -1};
    for (unsigned part = 0; part < PARTS_MAX && out->length < length; part++) {
        const size_t size = part_read(text + out->length, out);
        if (size == 0) {
            break;
        }
        out->length += size;
    }
    if (out->uptime < 0) {
        out->uptime = named_uptime(text + out->length, length - out->length);
    }
}
