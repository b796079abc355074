/*
 * The grammar of figures. A figure has a memory, a measure, a number and a unit. A line is read from
 * left to right: the words since the last number, or since a comma, are the label of the next number
 * and say which measure it is; a number without a measure in its label can have it behind it ("25044
 * bytes free"). The memory is that of the label; or of the object or the topic that it stands in
 * ("psram: free 1, largest 2", "internal free 1 largest 2"); or the one memory that the line spoke of;
 * or that of the heading above. Where several could be meant, the number is left out.
 */
#include "figures.h"

#include <stdbool.h>
#include <string.h>

#include "clause.h"
#include "form.h"
#include "letters.h"
#include "measure.h"
#include "number.h"

#define FOREIGN_BYTES (INT64_C(1) << 28) /* no microcontroller has such a heap */
#define WEAK_LEAST 64                    /* a number below it, in vague words, counts things */
#define WORDS_BEHIND 3                   /* a number, after the first one */
#define SEGMENTS HS_LOG_SEGMENTS
#define NONE HS_LOG_NO_MEMORY_NAMED
#define STATES (HS_LOG_HAS_FREE | HS_LOG_HAS_LARGEST | HS_LOG_HAS_MIN)

/* The fact of this memory that does not have the field yet; a new one if missing. */
static hs_lab_log_fact_t *fact_of(hs_log_scan_t *scan, int memory, uint32_t field)
{
    for (size_t i = 0; i < scan->count; i++) {
        if (scan->facts[i].memory == memory && (scan->facts[i].has & field) == 0) {
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
    const int memory = hs_log_memory_of(scan);
    hs_lab_log_fact_t *fact = memory == NONE ? NULL : fact_of(scan, memory, field);
    if (fact == NULL) {
        return;
    }
    *hs_log_field(fact, field) = number->value;
    fact->has |= field;
    fact->unit = number->unit > fact->unit ? number->unit : fact->unit;
    scan->spoken |= 1u << memory;
    scan->has_free |= field == HS_LOG_HAS_FREE;
    scan->has_size |= field & (HS_LOG_HAS_TOTAL | HS_LOG_HAS_USED) &&
                      scan->label.means & HS_WORD_HEAP && number->value >= 1000;
    scan->has_block |= (scan->label.means & HS_WORD_LARGEST && scan->label.means & HS_WORD_BLOCK);
    scan->foreign |= number->value >= FOREIGN_BYTES && number->value >> 20 != 0xAAA;
}

/* The word at `*at`, which is behind it then; without a meaning: none that is known. */
static hs_log_word_t next_word(const hs_log_scan_t *scan, size_t *at)
{
    const size_t start = *at + strspn(scan->text + *at, " ");
    size_t stop = start;
    while (hs_log_word_byte(scan->text[stop])) {
        stop++;
    }
    hs_log_word_t word = hs_log_word_find(scan->text + start, stop - start);
    const hs_log_own_word_t *own = hs_log_own_find(scan->scope->own, scan->text, start);
    if (own != NULL) {
        word = (hs_log_word_t){own->means, own->memory};
        stop = start + own->length;
    }
    *at = stop;
    return word;
}

/* Words behind a number, and its unit, that say what it is: "25044 bytes free", and up to the end of the
 * clause "9216 bytes largest free block". */
static uint32_t means_behind(hs_log_scan_t *scan, size_t *end)
{
    size_t at = *end;
    hs_log_word_t word = next_word(scan, &at);
    const char next = scan->text[at + strspn(scan->text + at, " ")];
    if ((word.means & (HS_WORD_MEASURES | HS_WORD_CHANGE)) == 0 || next == '=' || next == ':' ||
        hs_log_is_digit(next)) {
        return 0; /* it is the label of what follows */
    }
    uint32_t means = word.means, all = word.means;
    *end = at;
    for (int i = 0; i < WORDS_BEHIND && scan->text[at] == ' ' && word.means != 0; i++) {
        word = next_word(scan, &at);
        all |= word.means;
        if (word.means != 0 && strchr("=:", scan->text[at]) != NULL && scan->text[at] != 0) {
            return 0; /* "t=30 free heap: 25044": of the next number */
        }
        if (word.means != 0 && strchr(",;)|]", scan->text[at]) != NULL) {
            means = all; /* NUL too */
            *end = at;
        }
    }
    scan->seen |= means;
    return means;
}

/* Is the number clearly what the label speaks of? */
static bool belongs(const hs_log_scan_t *scan, const hs_log_number_t *number)
{
    size_t at = scan->at;
    while (at > 0 && strchr(" -\"'", scan->text[at - 1]) != NULL) {
        at--;
    }
    const bool sign = at > 0 && strchr(":=(>|}", scan->text[at - 1]) != NULL;
    const bool near = (scan->label.last &
                       (HS_WORD_MEASURES | HS_WORD_HEAP | HS_WORD_BLOCK | HS_WORD_MEMORY)) != 0;
    return sign || near || number->has_unit ||
           (scan->label.means & HS_WORD_HEAP && (number->value >= 1000 || number->value <= -1000));
}

/* Are free bytes told beside the number, or a heap by the objects around it? */
static bool beside_free(const hs_log_scan_t *scan)
{
    const bool listed =
        scan->topic_means & HS_WORD_HEAP && scan->label.means & (HS_WORD_MIN | HS_WORD_BLOCK);
    return scan->has_free || listed ||
           (hs_log_scope_means(scan->scope) & (HS_WORD_HEAP | HS_WORD_MEMORY)) != 0;
}

/* Where a further number of the same label begins, behind a stroke or "of": "584 of 24000"; 0: none. */
static size_t next_number(const hs_log_scan_t *scan, size_t end)
{
    const char *text = scan->text + end + strspn(scan->text + end, " ");
    if (text[0] == '/') {
        text++;
    } else if (strncmp(text, "of ", 3) == 0) {
        text += 3;
    } else if (strncmp(text, "out of ", 7) == 0) {
        text += 7;
    } else {
        return 0;
    }
    text += strspn(text, " ");
    return hs_log_is_digit(text[0]) ? (size_t)(text - scan->text) : 0;
}

/* "Heap: 34768": the word alone means what is free of it. */
static bool is_bare_heap(const hs_log_scan_t *scan, uint32_t means, const hs_log_number_t *number)
{
    const bool first =
        ((scan->label.last & HS_WORD_HEAP || scan->label.of_moment) && scan->count == 0) ||
        (scan->of_moments && scan->label.of_moment);
    means = scan->label.of_moment ? scan->label.means : means;
    const bool beside = scan->bare && scan->label.leads; /* "heap 9000 ... internal 5000" */
    const char *behind = scan->text + number->end + strspn(scan->text + number->end, " ");
    const bool row = hs_log_is_digit(*behind) && behind[-1] == ' '; /* of a table without a head */
    return (first || beside) && !row && number->value >= 1000 &&
           (means & (HS_WORD_OTHER | HS_WORD_CHANGE | HS_WORD_FAIL)) == 0 && belongs(scan, number);
}

/* "Heap":57.8 among the keys of Tasmota's STATE: KB that are free. */
static bool is_kilobytes(const hs_log_scan_t *scan, const hs_log_number_t *number)
{
    return scan->label.has_colon && scan->label.last & HS_WORD_HEAP && number->value > 0 &&
           number->value < 1000 && !number->has_unit && strstr(scan->text, "\"LoadAvg\":") != NULL;
}

/* The number at `at` as one of KB, of which its fraction counts. */
static hs_log_number_t kilobytes_read(const char *text, size_t at, size_t end)
{
    char digits[16];
    const size_t length = end - at < sizeof digits - 3 ? end - at : sizeof digits - 3;
    memcpy(digits, text + at, length);
    memcpy(digits + length, "KB", 3);
    hs_log_number_t number = hs_log_number_read(digits, 0);
    number.end = end;
    return number;
}

/* "max" alone: beside what is used the most of it, beside a fragmentation the largest block. "maxHeap"
 * beside what is free, and not more than that: the largest block; or else all of it. */
static uint32_t max_heap(const hs_log_scan_t *scan, uint32_t means, const hs_log_number_t *number)
{
    if (means == HS_WORD_MAX && scan->seen & HS_WORD_USED) {
        return HS_LOG_HAS_PEAK;
    }
    const bool block = means == HS_WORD_MAX && hs_log_contains(scan->text, "frag");
    for (size_t i = 0; (block || means == (HS_WORD_MAX | HS_WORD_HEAP)) && i < scan->count; i++) {
        if (scan->facts[i].has & HS_LOG_HAS_FREE &&
            scan->facts[i].memory == hs_log_memory_of(scan)) {
            return number->value <= scan->facts[i].free ? HS_LOG_HAS_LARGEST
                   : block                              ? 0
                                                        : HS_LOG_HAS_TOTAL;
        }
    }
    return 0;
}

/* Is it a part of a label: "Free after step 3: 21608"? */
static bool is_in_label(const hs_log_scan_t *scan, const hs_log_number_t *number)
{
    const char *behind = scan->text + number->end + strspn(scan->text + number->end, " ");
    return (*behind == ':' || *behind == '=') && !belongs(scan, number);
}

/* Is "failed" the word behind a number? */
static bool is_refused(const hs_log_scan_t *scan, size_t end)
{
    return (next_word(scan, &end).means & HS_WORD_FAIL) != 0;
}

/* A number that further ones follow: "118432/294912 bytes free". */
static void take_numbers(hs_log_scan_t *scan, hs_log_number_t number)
{
    hs_log_number_t list[SEGMENTS];
    size_t count = 0;
    list[count++] = number;
    size_t end = number.end, next;
    while (count < SEGMENTS && (next = next_number(scan, end)) != 0) {
        list[count] = hs_log_own_number(scan->scope->own, scan->text, next);
        end = list[count++].end;
    }
    const hs_log_label_t *label = &scan->label;
    uint32_t means = hs_log_label_means(scan);
    bool behind = false;
    if ((means & HS_WORD_MEASURES) == 0) {
        const uint32_t stated = means_behind(scan, &end);
        behind = stated != 0 && (scan->seen | hs_log_scope_means(scan->scope)) & HS_WORD_HEAP;
        means =
            stated != 0 && label->has_colon ? stated : means | stated; /* "Out of memory: 5 free" */
    }
    if ((means & HS_WORD_MEASURES) == 0 && is_refused(scan, end)) {
        means = HS_WORD_FAIL; /* "malloc 512 failed" */
    }
    const bool each = count > 1 && label->segments + 1 == count;
    for (size_t i = 0; i < count; i++) {
        uint32_t field = hs_log_measure(each ? label->segment[i] : means, beside_free(scan));
        if (!each && i > 0) {
            field = field != 0 && i == 1 && list[1].value >= list[0].value ? HS_LOG_HAS_TOTAL : 0;
        }
        const uint32_t of_max = count == 1 ? max_heap(scan, means, &number) : 0;
        field = of_max != 0 ? of_max : field;
        if (i == 0 && field == 0 && count == 1 && is_kilobytes(scan, &number)) {
            list[0] = kilobytes_read(scan->text, scan->at, number.end);
            field = HS_LOG_HAS_FREE;
        }
        if (i == 0 && field == 0 && count == 1 && is_bare_heap(scan, means, &number)) {
            field = HS_LOG_HAS_FREE;
            scan->bare = true;
            scan->of_moments |= label->of_moment;
        }
        if (field == HS_LOG_HAS_TOTAL && scan->seen & HS_WORD_FAIL &&
            (label->means & (HS_WORD_HEAP | HS_WORD_MEMORY)) == 0) {
            field = 0; /* "size" in a line of a failure is the request's */
        }
        if (field != 0 && !list[i].is_percent && (behind || belongs(scan, &number))) {
            list[i].unit = list[i].has_unit ? list[i].unit : list[count - 1].unit;
            if (!list[count - 1].has_unit && label->unit != 0) {
                list[i].value *= list[i].value < INT64_MAX / label->unit ? label->unit : 1;
                list[i].unit = label->unit;
            }
            keep(scan, field, &list[i]);
        }
    }
    if (label->leads && scan->scope->depth == 0 && (scan->topic_means & HS_WORD_MEASURES) == 0) {
        scan->topic = label->memory;
        scan->topic_means = 0;
    }
    scan->at = end;
    hs_log_label_begin(scan);
}

static void step(hs_log_scan_t *scan)
{
    const char byte = scan->text[scan->at];
    const hs_log_own_word_t *own = hs_log_own_find(scan->scope->own, scan->text, scan->at);
    if (own != NULL && own->means != 0) {
        hs_log_own_take(scan, own);
        return;
    }
    if (!hs_log_word_byte(byte) || byte == '_') {
        hs_log_sign_take(scan, byte);
        scan->at++;
        return;
    }
    size_t end = scan->at;
    while (hs_log_word_byte(scan->text[end]) && scan->text[end] != '_') {
        end++;
    }
    const char before = scan->at > 0 ? scan->text[scan->at - 1] : ' ';
    const bool hex = byte == '0' && hs_log_lower(scan->text[scan->at + 1]) == 'x' &&
                     (scan->label.last & HS_WORD_MEASURES) == 0;
    const bool mark = before == '#' || before == '_';
    if (hs_log_is_digit(byte) && !scan->in_labels && hs_log_number_is_place(scan->text, scan->at)) {
        scan->at = end;
        hs_log_label_begin(scan);
        return;
    }
    const hs_log_number_t number = hs_log_is_digit(byte)
                                       ? hs_log_own_number(scan->scope->own, scan->text, scan->at)
                                       : (hs_log_number_t){0};
    if (!hs_log_is_digit(byte) || number.is_word || hex || mark || scan->in_labels ||
        is_in_label(scan, &number)) {
        hs_log_word_take(scan, number.is_word && number.end > end ? number.end : end);
        scan->label.means &= hex ? ~(uint32_t)HS_WORD_FAIL : UINT32_MAX; /* the code of a failure */
    } else {
        take_numbers(scan, number);
    }
}

/* The figures that say something of a state, or more than nothing; returns how many are left. */
static size_t finish(const hs_log_scan_t *scan, bool sure)
{
    size_t kept = 0;
    for (size_t i = 0; i < scan->count; i++) {
        hs_lab_log_fact_t *fact = &scan->facts[i];
        const bool tiny = !sure && fact->free + fact->largest + fact->min < WEAK_LEAST;
        if (!tiny && (fact->has & STATES || fact->used + fact->total + fact->size > 0)) {
            scan->facts[kept] = *fact;
            scan->facts[kept++].flags = sure ? 0 : HS_LOG_WEAK;
        }
    }
    return kept;
}

size_t hs_log_figures_read(hs_log_scope_t *scope, const char *text, size_t length,
                           hs_lab_log_fact_t *facts, size_t capacity)
{
    hs_log_scan_t scan = {.text = text,
                          .length = length,
                          .scope = scope,
                          .topic = NONE,
                          .facts = facts,
                          .capacity = capacity};
    scan.seen = hs_log_scope_means(scope) | (scope->headed ? scope->heading.means : 0);
    hs_log_label_begin(&scan);
    while (scan.at < length) {
        step(&scan);
    }
    uint32_t reported = 0;
    for (size_t i = 0; i < scan.count; i++) {
        reported |= facts[i].has;
    }
    const bool inside = (scope->depth != 0 || scope->headed) && scan.seen & HS_WORD_HEAP;
    if ((reported & STATES) == 0 && !inside && !scan.has_size) {
        return 0;
    }
    if (scan.foreign || scan.seen & HS_WORD_FOREIGN) {
        hs_log_fact_clear(&facts[0]);
        facts[0].kind = HS_LOG_NOT_MEMORY;
        hs_log_copy(facts[0].text, sizeof facts[0].text, "a size that no device has", 25);
        return 1;
    }
    const bool sure = scan.has_block || scan.seen & HS_WORD_HEAP ||
                      (reported & HS_LOG_HAS_FREE && reported & HS_LOG_HAS_LARGEST);
    if (!sure && scan.seen & HS_WORD_OTHER) {
        return 0; /* of a disk or a stack */
    }
    return finish(&scan, sure);
}
