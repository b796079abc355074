/* The text between numbers: words become the label of the next one, signs end clauses. */
#include "clause.h"

#include <string.h>

#include "form.h"
#include "letters.h"
#include "measure.h"
#include "number.h"

#define NONE HS_LOG_NO_MEMORY_NAMED

void hs_log_label_begin(hs_log_scan_t *scan)
{
    memset(&scan->label, 0, sizeof scan->label);
    scan->label.memory = NONE;
}

/* Does the word say when: "heap before connect: 61220"? */
static bool begins_moment(const char *text, size_t length)
{
    static const char *const words[] = {"at", "before", "after", "now", "during", "on", "in"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t same = 0;
        while (same < length && hs_log_lower(text[same]) == words[i][same]) {
            same++; /* NUL at the latest */
        }
        if (same == length && words[i][same] == 0) {
            return true;
        }
    }
    return false;
}

/* Adds what the word at `scan->at` means, which ends before `end`. */
static void add_word(hs_log_scan_t *scan, size_t end, hs_log_word_t word)
{
    hs_log_label_t *label = &scan->label;
    const char before = scan->at > 0 ? scan->text[scan->at - 1] : ' ';
    if (word.means & HS_WORD_FREE && (label->last | word.means) & (HS_WORD_FAIL | HS_WORD_HEAP)) {
        label->means &= ~HS_WORD_FAIL; /* "failed, heap free 9120", and not "failed to free" */
    }
    const bool joined = before == '_' && word.means & HS_WORD_MEASURES;
    if (word.means & HS_WORD_MEMORY) {
        label->memory = word.memory;
        label->leads = ((label->means | word.means) & HS_WORD_MEASURES) == 0;
        label->of_value = label->has_colon;
    } else if (joined || (word.means & HS_WORD_HEAP && label->means & HS_WORD_MEASURES)) {
        label->leads = false; /* "internal_free", "internal free heap": of this figure only */
    }
    if ((label->last & HS_WORD_HEAP && label->means == label->last) ||
        (scan->of_moments && label->means == 0)) {
        label->of_moment |= begins_moment(scan->text + scan->at, end - scan->at);
    }
    label->unit = hs_log_unit_of(scan->text + scan->at, end - scan->at, label->unit);
    const bool unit = word.means == 0 && hs_log_lower(scan->text[scan->at]) == 'b' &&
                      strncmp(scan->text + scan->at + 1, "yte", 3) == 0;
    scan->at = end < scan->length ? end : scan->length;
    label->segment[label->segments] |= word.means;
    label->means |= word.means;
    label->last = unit ? label->last : word.means; /* "free_bytes" */
    scan->seen |= word.means;
}

/* Takes a word into the label; "8-bit" is one. */
void hs_log_word_take(hs_log_scan_t *scan, size_t end)
{
    hs_log_word_t word;
    if (scan->text[end] == '-' && hs_log_lower(scan->text[end + 1]) == 'b' &&
        hs_log_is_digit(scan->text[scan->at])) {
        word = hs_log_word_find(scan->text[scan->at] == '8' ? "8bit" : "32bit",
                                scan->text[scan->at] == '8' ? 4 : 5);
        end += 4;
    } else {
        word = hs_log_word_find(scan->text + scan->at, end - scan->at);
    }
    const char before = scan->at > 0 ? scan->text[scan->at - 1] : ' ';
    if (before == '.' && scan->at > 1 && word.means == HS_WORD_FREE &&
        (scan->label.means & HS_WORD_HEAP) == 0) {
        word.means = 0; /* "client.available()" */
    }
    add_word(scan, end, word);
}

void hs_log_own_take(hs_log_scan_t *scan, const hs_log_own_word_t *word)
{
    add_word(scan, scan->at + word->length, (hs_log_word_t){word->means, word->memory});
}

/* The label becomes what the next clauses are about. */
static void take_topic(hs_log_scan_t *scan)
{
    const hs_log_label_t *label = &scan->label;
    if (label->memory != NONE || label->means & HS_WORD_HEAP) {
        scan->topic = label->memory != NONE ? label->memory : NONE;
        scan->topic_means = label->means;
    } else if (label->means & HS_WORD_NO_HEAPS) {
        scan->topic_means = label->means;
    }
}

/* The memory of a figure whose label is read; NONE: several could be meant. */
int hs_log_memory_of(const hs_log_scan_t *scan)
{
    const int object = hs_log_scope_memory(scan->scope);
    const uint32_t spoken = scan->spoken;
    static const uint8_t usual[] = {HS_LOG_MEMORY_ANY, HS_LOG_MEMORY_DEFAULT, HS_LOG_MEMORY_8BIT};
    if (scan->label.memory != NONE) {
        return scan->label.memory;
    }
    if (object != NONE) {
        return object;
    }
    if (scan->topic != NONE) {
        return scan->topic;
    }
    if (spoken == 0) {
        return scan->scope->headed && scan->scope->heading.memory >= 0 ? scan->scope->heading.memory
                                                                       : HS_LOG_MEMORY_ANY;
    }
    for (int memory = 0; memory <= HS_LOG_MEMORY_PYTHON; memory++) {
        if (spoken == 1u << memory) {
            return memory;
        }
    }
    for (size_t i = 0; i < sizeof usual; i++) {
        if (spoken >> usual[i] & 1u) {
            return usual[i];
        }
    }
    return NONE;
}

/* The meaning of a label, with the topic that it is listed under: "free: internal 1, psram 2". */
uint32_t hs_log_label_means(const hs_log_scan_t *scan)
{
    const hs_log_label_t *label = &scan->label;
    const uint32_t outer = scan->topic_means | hs_log_scope_means(scan->scope);
    uint32_t means = label->means;
    if ((means & HS_WORD_MEASURES) == 0 && (label->memory != NONE || means & HS_WORD_BLOCK)) {
        means |= scan->topic_means & HS_WORD_MEASURES;
        means |= label->memory == NONE && means & HS_WORD_FREE ? HS_WORD_LARGEST : 0;
    }
    if (((means | outer) & (HS_WORD_HEAP | HS_WORD_MEMORY)) == 0) {
        means |= outer & HS_WORD_NO_HEAPS;
    }
    return means;
}

/* A brace opens an object of JSON, or the labels of a name of Prometheus. */
static void open_object(hs_log_scan_t *scan)
{
    const char *text = scan->text + scan->at;
    const size_t name = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
    if (scan->at > 0 && hs_log_word_byte(text[-1]) && text[name] == '=') {
        scan->in_labels = true;
        return;
    }
    hs_log_scope_open(scan->scope, (hs_log_heading_t){scan->label.memory, scan->label.means});
    scan->topic = NONE;
    hs_log_label_begin(scan);
}

/* A comma or the like ends a clause. */
static void end_clause(hs_log_scan_t *scan)
{
    hs_log_scope_t *scope = scan->scope;
    if (scan->in_labels) {
        return;
    }
    if (scope->depth == 0) {
        if (scan->label.memory != NONE) {
            take_topic(scan);
        }
    } else if (scan->label.of_value && scope->depth <= HS_LOG_OBJECTS) {
        scope->object[scope->depth - 1].memory = scan->label.memory; /* {"name":"internal",...} */
    }
    hs_log_label_begin(scan);
}

void hs_log_sign_take(hs_log_scan_t *scan, char byte)
{
    const char *next = scan->text + scan->at + 1;
    next += strspn(next, " \"'-");
    switch (byte) {
    case '/':
        if (scan->label.segments + 1 < HS_LOG_SEGMENTS &&
            scan->label.segment[scan->label.segments] & HS_WORD_MEASURES) {
            scan->label.segments++;
        }
        break;
    case '{':
        open_object(scan);
        break;
    case '}':
        if (!scan->in_labels) {
            end_clause(scan);
            hs_log_scope_close(scan->scope);
            scan->topic = NONE;
        }
        scan->in_labels = false;
        break;
    case ':':
    case ']':
        scan->label.has_colon = true;
        if (scan->scope->depth == 0 && !hs_log_is_digit(*next) && *next != 0) {
            take_topic(scan);
            if (byte == ':' && scan->label.means != 0 &&
                (scan->label.means & ~(uint32_t)HS_WORD_NO_HEAPS) == 0) {
                hs_log_label_begin(scan); /* a tag: "OTA: heap: free=41112" */
            }
        }
        break;
    case ',':
    case ';':
    case '|':
        end_clause(scan);
        break;
    case '?':
    case '&':
        if (hs_log_word_byte(*next)) {
            hs_log_label_begin(scan);
            scan->label.means = HS_WORD_OTHER; /* of an address: "/heap?free=1&..." */
        }
        break;
    case '!':
    case '.':
        if (scan->text[scan->at + 1] == ' ' &&
            (scan->label.last & (HS_WORD_MAX | HS_WORD_MIN)) == 0) { /* a sentence ends */
            hs_log_label_begin(scan);
            scan->topic = NONE;
            scan->topic_means = 0;
        }
        break;
    default:
        break;
    }
}
