/*
 * A line is read from left to right. Words between two numbers are the label of the second one: they
 * say whether it is what is free, the largest block, the minimum, and of what memory. A number without
 * such a label can have it behind it ("25044 bytes free").
 */
#include "figures.h"

#include <stdbool.h>
#include <string.h>

#include "form.h"
#include "words.h"

#define FOREIGN_BYTES (INT64_C(1) << 28) /* no microcontroller has such a heap */
#define WEAK_LEAST 64                    /* a number below it, in vague words, counts things */
#define SEGMENTS 4u                      /* of "free/largest/min: 1/2/3" */
#define CONCEPTS                                                                                   \
    (HS_WORD_FREE | HS_WORD_LARGEST | HS_WORD_MAX | HS_WORD_MIN | HS_WORD_TOTAL | HS_WORD_USED |   \
     HS_WORD_PEAK)

typedef struct hs_log_label {
    uint32_t segment[SEGMENTS]; /* what the words say, between strokes */
    size_t segments;            /* strokes; the last segment is open */
    uint32_t means;             /* all of them */
    int memory;                 /* hs_log_memory_t, or -1 */
    uint32_t last;              /* what the last word says */
} hs_log_label_t;

typedef struct hs_log_scan {
    const char *text;
    size_t at, length;
    hs_log_label_t label;
    uint32_t seen; /* what all words of the line say */
    int subject;   /* the first memory that is named before a figure; -1: none */
    bool has_figure, has_free, has_block, foreign;
    hs_lab_log_fact_t *facts;
    size_t count, capacity;
} hs_log_scan_t;

/* A number as it stands in a line. */
typedef struct hs_log_number {
    int64_t value; /* bytes, if it is a size */
    uint32_t unit;
    bool has_unit, is_percent, is_word;
    size_t end;
} hs_log_number_t;

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

/* Bytes of a unit at `text`, as a word of its own; 0: none. */
static size_t unit_read(const char *text, uint32_t *unit)
{
    static const struct {
        const char *text;
        uint32_t unit;
    } units[] = {{"bytes", 1},        {"byte", 1},       {"b", 1},         {"kib", 1024},
                 {"kb", 1024},        {"k", 1024},       {"kbytes", 1024}, {"mib", 1024 * 1024},
                 {"mb", 1024 * 1024}, {"m", 1024 * 1024}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t at = 0;
        while (units[i].text[at] != 0 && lower(text[at]) == units[i].text[at]) {
            at++;
        }
        if (units[i].text[at] == 0 && !hs_log_word_byte(text[at]) && text[at] != '=' &&
            text[at] != ':') {
            *unit = units[i].unit;
            return at;
        }
    }
    return 0;
}

/* Three digits and no more behind a separator of thousands? */
static bool thousands(const char *text)
{
    return (text[0] == ',' || text[0] == '\'') && is_digit(text[1]) && is_digit(text[2]) &&
           is_digit(text[3]) && !is_digit(text[4]);
}

static hs_log_number_t number_read(const char *text, size_t at)
{
    hs_log_number_t number = {.unit = 1};
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool negative = before == '-' && (at < 2 || !hs_log_word_byte(text[at - 2]));
    int64_t value = 0, thousandths = 0;
    size_t digits = 0;
    while (is_digit(text[at]) || (digits > 0 && digits < 4 && thousands(text + at)) ||
           (digits > 3 && thousands(text + at) && (text[at - 4] == ',' || text[at - 4] == '\''))) {
        if (is_digit(text[at])) {
            value = digits++ < 18 ? value * 10 + (text[at] - '0') : value;
        }
        at++;
    }
    const bool fraction = text[at] == '.' && is_digit(text[at + 1]);
    if (fraction) {
        int64_t place = 1000;
        for (at++; is_digit(text[at]); at++) {
            place /= 10; /* 0 from the fourth digit on */
            thousandths += (text[at] - '0') * place;
        }
    }
    const size_t blanks = strspn(text + at, " ");
    const size_t unit = unit_read(text + at + blanks, &number.unit);
    number.has_unit = unit != 0;
    number.is_percent = text[at + blanks] == '%';
    number.is_word = unit == 0 && (hs_log_word_byte(text[at]) || (text[at] == '.' && fraction) ||
                                   (text[at] == '-' && lower(text[at + 1]) == 'b'));
    number.value = value > INT64_MAX / number.unit - number.unit
                       ? INT64_MAX
                       : value * number.unit + thousandths * number.unit / 1000;
    number.value = negative ? -number.value : number.value;
    number.end = unit != 0 ? at + blanks + unit : at;
    return number;
}

static void begin_label(hs_log_scan_t *scan)
{
    memset(&scan->label, 0, sizeof scan->label);
    scan->label.memory = -1;
}

/* Takes a word into the label; "8-bit" is one. */
static void take_word(hs_log_scan_t *scan, size_t end)
{
    hs_log_label_t *label = &scan->label;
    hs_log_word_t word;
    if (scan->text[end] == '-' && lower(scan->text[end + 1]) == 'b' &&
        is_digit(scan->text[scan->at])) {
        word = hs_log_word_find(scan->text[scan->at] == '8' ? "8bit" : "32bit",
                                scan->text[scan->at] == '8' ? 4 : 5);
        end += 4;
    } else {
        word = hs_log_word_find(scan->text + scan->at, end - scan->at);
    }
    if (scan->at > 1 && scan->text[scan->at - 1] == '.' && word.means == HS_WORD_FREE &&
        (label->means & HS_WORD_HEAP) == 0) {
        word.means = 0; /* "client.available()" */
    }
    scan->at = end < scan->length ? end : scan->length;
    label->segment[label->segments] |= word.means;
    label->means |= word.means;
    label->last = word.means;
    scan->seen |= word.means;
    if (word.means & HS_WORD_MEMORY) {
        label->memory = word.memory;
        if (!scan->has_figure && scan->subject < 0) {
            scan->subject = word.memory;
        }
    }
}

/* The field that a label means, as one of HS_LOG_TOLD_*; 0: none. */
static uint32_t field_of(uint32_t means, bool has_free)
{
    const bool block = (means & HS_WORD_BLOCK) != 0;
    if (means & HS_WORD_MARK) {
        return means & HS_WORD_LOW ? HS_LOG_TOLD_MIN : 0;
    }
    if (means & (HS_WORD_COUNT | HS_WORD_OTHER | HS_WORD_FOREIGN | HS_WORD_CHANGE)) {
        return 0;
    }
    if (means & HS_WORD_PEAK || (means & HS_WORD_MAX && means & HS_WORD_USED)) {
        return HS_LOG_TOLD_PEAK;
    }
    if (means & HS_WORD_LARGEST || (means & HS_WORD_MAX && (block || means & HS_WORD_FREE))) {
        return means & HS_WORD_MIN ? 0 : HS_LOG_TOLD_LARGEST;
    }
    if (means & HS_WORD_MIN) {
        return means & (HS_WORD_FREE | HS_WORD_HEAP) || has_free ? HS_LOG_TOLD_MIN : 0;
    }
    if (means & HS_WORD_FREE) {
        return HS_LOG_TOLD_FREE;
    }
    if (means & HS_WORD_USED) {
        return HS_LOG_TOLD_USED;
    }
    if (block && has_free) {
        return HS_LOG_TOLD_LARGEST;
    }
    return means & HS_WORD_TOTAL                                       ? HS_LOG_TOLD_TOTAL
           : means & HS_WORD_HEAP && (has_free || means & HS_WORD_LOW) ? HS_LOG_TOLD_FREE
                                                                       : 0;
}

uint32_t hs_log_label_field(const char *label, size_t length, uint8_t *memory)
{
    uint32_t means = 0;
    *memory = HS_LOG_MEMORY_ANY;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && hs_log_word_byte(label[end]) && label[end] != '_') {
            end++;
        }
        const hs_log_word_t word = hs_log_word_find(label + at, end - at);
        means |= word.means;
        *memory = word.means & HS_WORD_MEMORY ? word.memory : *memory;
        at = end + 1;
    }
    return field_of(means & ~(uint32_t)HS_WORD_OTHER, true);
}

int64_t *hs_log_field(hs_lab_log_fact_t *fact, uint32_t field)
{
    return field == HS_LOG_TOLD_FREE      ? &fact->free
           : field == HS_LOG_TOLD_LARGEST ? &fact->largest
           : field == HS_LOG_TOLD_MIN     ? &fact->min
           : field == HS_LOG_TOLD_TOTAL   ? &fact->total
           : field == HS_LOG_TOLD_USED    ? &fact->used
                                          : &fact->peak;
}

bool hs_log_value_read(const char *text, size_t at, size_t end, int64_t *value, uint32_t *unit)
{
    char digits[40];
    const size_t start = at;
    while (at < end && !is_digit(text[at])) {
        at++;
    }
    if (at == end) {
        return false;
    }
    hs_log_copy(digits, sizeof digits, text + at, end - at);
    hs_log_number_t number = number_read(digits, 0);
    if (!number.has_unit && unit_read(text + end + strspn(text + end, " "), &number.unit) != 0) {
        number.value *= number.value < INT64_MAX / number.unit ? number.unit : 1;
    }
    *value = at > start && text[at - 1] == '-' ? -number.value : number.value;
    *unit = number.unit;
    return true;
}

/* The fact of this memory that does not have the field yet; a new one if missing. */
static hs_lab_log_fact_t *fact_of(hs_log_scan_t *scan, int memory, uint32_t field)
{
    for (size_t i = 0; i < scan->count; i++) {
        if (scan->facts[i].memory == memory && (scan->facts[i].told & field) == 0) {
            return &scan->facts[i];
        }
    }
    if (scan->count == scan->capacity) {
        return NULL;
    }
    hs_lab_log_fact_t *fact = &scan->facts[scan->count++];
    hs_log_fact_clear(fact);
    fact->kind = HS_LOG_FIGURES;
    fact->memory = (uint8_t)memory;
    return fact;
}

static void keep(hs_log_scan_t *scan, uint32_t field, const hs_log_number_t *number)
{
    const int named = scan->label.memory >= 0 ? scan->label.memory : scan->subject;
    hs_lab_log_fact_t *fact = fact_of(scan, named >= 0 ? named : HS_LOG_MEMORY_ANY, field);
    if (fact == NULL) {
        return;
    }
    *hs_log_field(fact, field) = number->value;
    fact->told |= field;
    fact->unit = number->unit > fact->unit ? number->unit : fact->unit;
    scan->has_figure = true;
    scan->has_free |= field == HS_LOG_TOLD_FREE;
    scan->has_block |= (scan->label.means & HS_WORD_LARGEST && scan->label.means & HS_WORD_BLOCK);
}

/* Words behind a number, and its unit, that say what it is: "25044 bytes free". */
static uint32_t means_behind(hs_log_scan_t *scan, size_t *end)
{
    size_t at = *end;
    at += strspn(scan->text + at, " ");
    size_t stop = at;
    while (hs_log_word_byte(scan->text[stop])) {
        stop++;
    }
    const hs_log_word_t word = hs_log_word_find(scan->text + at, stop - at);
    const char next = scan->text[stop + strspn(scan->text + stop, " ")];
    if ((word.means & (CONCEPTS | HS_WORD_CHANGE)) == 0 || next == '=' || next == ':' ||
        is_digit(next)) {
        return 0; /* it is the label of what follows */
    }
    *end = stop;
    scan->seen |= word.means;
    return word.means;
}

/* Is the number clearly what the label speaks of? */
static bool belongs(const hs_log_scan_t *scan, const hs_log_number_t *number)
{
    size_t at = scan->at;
    while (at > 0 && strchr(" -\"'", scan->text[at - 1]) != NULL) {
        at--;
    }
    const bool sign = at > 0 && strchr(":=(>|", scan->text[at - 1]) != NULL;
    const bool near =
        (scan->label.last & (CONCEPTS | HS_WORD_HEAP | HS_WORD_BLOCK | HS_WORD_MEMORY)) != 0;
    return sign || near || number->has_unit ||
           (scan->label.means & HS_WORD_HEAP && (number->value >= 1000 || number->value <= -1000));
}

/* A number that further ones follow, behind strokes: "118432/294912 bytes free". */
static void take_numbers(hs_log_scan_t *scan, hs_log_number_t number)
{
    hs_log_number_t list[SEGMENTS];
    size_t count = 0;
    list[count++] = number;
    size_t end = number.end;
    while (count < SEGMENTS) {
        const size_t stroke = end + strspn(scan->text + end, " ");
        const size_t next =
            stroke + 1 + strspn(scan->text + stroke + (scan->text[stroke] != 0), " ");
        if (scan->text[stroke] != '/' || !is_digit(scan->text[next])) {
            break;
        }
        list[count] = number_read(scan->text, next);
        end = list[count++].end;
    }
    const hs_log_label_t *label = &scan->label;
    uint32_t means = label->means;
    bool behind = false;
    if ((means & CONCEPTS) == 0) {
        const uint32_t stated = means_behind(scan, &end);
        behind = stated != 0 && scan->seen & HS_WORD_HEAP;
        means |= stated;
    }
    const bool each = count > 1 && label->segments + 1 == count;
    for (size_t i = 0; i < count; i++) {
        uint32_t field = field_of(each ? label->segment[i] : means, scan->has_free);
        if (!each && i > 0) {
            field = field != 0 && i == 1 && list[1].value >= list[0].value ? HS_LOG_TOLD_TOTAL : 0;
        }
        if (i == 0 && field == 0 && label->last & HS_WORD_HEAP && count == 1 && scan->count == 0 &&
            number.value >= 1000 && (means & (HS_WORD_OTHER | HS_WORD_CHANGE)) == 0 &&
            belongs(scan, &number)) {
            field = HS_LOG_TOLD_FREE; /* "Heap: 34768" */
            scan->seen |= HS_WORD_FREE;
        }
        scan->foreign |= list[i].value >= FOREIGN_BYTES && list[i].value >> 20 != 0xAAA;
        if (field != 0 && !list[i].is_percent && (behind || belongs(scan, &number))) {
            list[i].unit = list[i].has_unit ? list[i].unit : list[count - 1].unit;
            keep(scan, field, &list[i]);
        }
    }
    scan->at = end;
    begin_label(scan);
}

static void step(hs_log_scan_t *scan)
{
    const char byte = scan->text[scan->at];
    if (hs_log_word_byte(byte) && byte != '_') {
        size_t end = scan->at;
        while (hs_log_word_byte(scan->text[end]) && scan->text[end] != '_') {
            end++;
        }
        const bool hex = byte == '0' && lower(scan->text[scan->at + 1]) == 'x';
        const hs_log_number_t number = number_read(scan->text, scan->at);
        const bool mark =
            scan->at > 0 && (scan->text[scan->at - 1] == '#' || scan->text[scan->at - 1] == '_');
        if (!is_digit(byte) || number.is_word || hex || mark) {
            take_word(scan, end);
        } else if (scan->text[number.end] == ':' &&
                   is_digit(
                       scan->text[number.end + 1 + strspn(scan->text + number.end + 1, " ")]) &&
                   !number.has_unit && scan->label.means & CONCEPTS &&
                   scan->text[number.end + 1] == ' ') {
            scan->at = number.end + 1; /* "at end of request 9: 21784" */
        } else {
            take_numbers(scan, number);
        }
        return;
    }
    if (byte == '/' && scan->label.segments + 1 < SEGMENTS &&
        scan->label.segment[scan->label.segments] & CONCEPTS) {
        scan->label.segments++;
    } else if (byte == ',' || byte == ';' || byte == '|') {
        begin_label(scan);
    }
    scan->at++;
}

size_t hs_log_figures_read(const char *text, size_t length, hs_lab_log_fact_t *facts,
                           size_t capacity)
{
    hs_log_scan_t scan = {
        .text = text, .length = length, .subject = -1, .facts = facts, .capacity = capacity};
    begin_label(&scan);
    while (scan.at < length) {
        step(&scan);
    }
    uint32_t reported = 0;
    for (size_t i = 0; i < scan.count; i++) {
        reported |= facts[i].told;
    }
    const uint32_t states = HS_LOG_TOLD_FREE | HS_LOG_TOLD_LARGEST | HS_LOG_TOLD_MIN;
    if ((reported & states) == 0) {
        return 0;
    }
    if (scan.foreign || scan.seen & HS_WORD_FOREIGN) {
        hs_log_fact_clear(&facts[0]);
        facts[0].kind = HS_LOG_NOT_MEMORY;
        hs_log_copy(facts[0].text, sizeof facts[0].text, "a size that no device has", 25);
        return 1;
    }
    const bool sure = scan.has_block || scan.seen & HS_WORD_HEAP ||
                      (reported & HS_LOG_TOLD_FREE && reported & HS_LOG_TOLD_LARGEST);
    if (!sure && scan.seen & HS_WORD_OTHER) {
        return 0; /* of a disk or a stack */
    }
    size_t kept = 0;
    for (size_t i = 0; i < scan.count; i++) {
        const bool tiny = !sure && facts[i].free + facts[i].largest + facts[i].min < WEAK_LEAST;
        if (!tiny && (facts[i].told & states || facts[i].used + facts[i].total > 0)) {
            facts[kept] = facts[i];
            facts[kept++].flags = sure ? 0 : HS_LOG_WEAK;
        }
    }
    return kept;
}
