/* A pool in one line of a program's own words: a word that names one, and numbers with their labels. */
#include <string.h>

#include "form.h"
#include "letters.h"
#include "measure.h"
#include "number.h"
#include "pool_keys.h"
#include "pools.h"

#define NAME_MAX 40u /* bytes of the words in front of "pool" */

/* Where one of the words begins in the text, in either case; NULL: nowhere. The list ends with NULL. */
static const char *find_any(const char *text, const char *const *words)
{
    for (; *text != 0; text++) {
        for (const char *const *word = words; *word != NULL; word++) {
            if (hs_log_begins(text, *word)) {
                return text;
            }
        }
    }
    return NULL;
}

static const char *const calls[] = {"tx_byte_allocate", "tx_block_allocate", "nx_packet_allocate",
                                    NULL};
static const char *const pool_words[] = {"pool", "arena", "slab", NULL};
/* The contents of a device's pools. A pool of threads or connections has other ones. */
static const char *const contents[] = {"packet", "buf",    "byte", "block", "mem",  "heap",
                                       "rx",     "tx",     "lv",   "arena", "slab", "chunk",
                                       "slot",   "object", "msg",  "pcb",   "page", NULL};
static const char *const foreign[] = {"thread", "connection", "hikari", "worker", "process", NULL};
static const char *const failing[] = {"fail",      "exhaust",   "no memory", "out of", "empty",
                                      "no packet", "no_packet", "no_memory", NULL};

/* The words up to the one that names a pool: "RX packet pool". */
static void keep_name(hs_lab_log_fact_t *fact, const char *text, const char *pool)
{
    size_t end = (size_t)(pool - text), start = end;
    while (hs_log_word_byte(text[end])) {
        end++;
    }
    while (
        start > 0 && end - start < NAME_MAX &&
        (hs_log_word_byte(text[start - 1]) || text[start - 1] == ' ' || text[start - 1] == '-')) {
        start--;
    }
    while (start < end && !hs_log_word_byte(text[start])) {
        start++;
    }
    const char quote = text[end + strspn(text + end, " ")];
    const size_t from = end + strspn(text + end, " '\"(");
    const size_t length = strcspn(text + from, "'\")");
    if ((quote == '\'' || quote == '"') && length != 0 && text[from + length] != 0) {
        hs_log_copy(fact->name, sizeof fact->name, text + from, length); /* its own name */
        return;
    }
    size_t more = end + strspn(text + end, " "); /* "mempool msys: 12 used" */
    while (hs_log_word_byte(text[more])) {
        more++;
    }
    end = text[end] == ' ' && text[more] == ':' ? more : end;
    hs_log_copy(fact->name, sizeof fact->name, text + start, end - start);
}

/* The field that words behind a number mean: "20 total", "3 free"; `at` goes behind them. */
static uint32_t field_behind(const char *text, size_t *at)
{
    static const char *const things[] = {"bytes ", "blocks ", "packets ", "buffers "};
    size_t start = *at + strspn(text + *at, " "), end;
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++) {
        start += strncmp(text + start, things[i], strlen(things[i])) == 0 ? strlen(things[i]) : 0;
    }
    end = start;
    for (unsigned words = 0; words < 2; words++) {
        while (hs_log_word_byte(text[end])) {
            end++;
        }
        const uint32_t means = hs_log_pool_key(text + start, end - start);
        const char next = text[end + strspn(text + end, " ")];
        if (means != 0 && next != ':' && next != '=' && !hs_log_is_digit(next)) {
            *at = end;
            return means;
        }
        end += text[end] == ' ';
    }
    return 0;
}

static void keep(hs_lab_log_fact_t *fact, uint32_t field, int64_t value)
{
    int64_t *const into = field == HS_LOG_HAS_COUNT        ? &fact->count
                          : field == HS_LOG_HAS_FREE_COUNT ? &fact->free_count
                          : field == HS_LOG_HAS_SIZE       ? &fact->size
                                                           : hs_log_field(fact, field);
    *into = value;
    fact->has |= field;
}

/* All numbers that have a label. */
static void read_numbers(const char *text, size_t length, bool fails, hs_lab_log_fact_t *fact,
                         bool *in_bytes)
{
    for (size_t at = 0, label = 0; at < length;) {
        if (text[at] == ',' || text[at] == ';' || text[at] == '|' || text[at] == '(') {
            label = ++at;
            continue;
        }
        if (!hs_log_is_digit(text[at]) ||
            (at > 0 &&
             (hs_log_word_byte(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '-'))) {
            at++;
            continue;
        }
        size_t end = at + strspn(text + at, "0123456789"), where;
        const bool fraction = text[end] == '.' && hs_log_is_digit(text[end + 1]);
        end += fraction ? 1 + strspn(text + end + 1, "0123456789") : 0;
        int64_t value;
        uint32_t unit;
        if (text[end] == 'x' || text[end] == '.' ||
            !hs_log_value_read(text, at, end, &value, &unit) || (fraction && unit == 1)) {
            at = label = end + 1;
            continue;
        }
        const size_t gap = end + strspn(text + end, " ");
        const bool bytes = strncmp(text + gap, "bytes", 5) == 0 || unit != 1 ||
                           (text[gap] == 'B' && !hs_log_word_byte(text[gap + 1]));
        end = bytes ? gap + strspn(text + gap, "bytesKiMB") : end;
        size_t label_end = at;
        while (label_end > label && strchr(" :=", text[label_end - 1]) != NULL) {
            label_end--;
        }
        label_end -= label_end > label + 3 && strncmp(text + label_end - 3, " of", 3) == 0 ? 3 : 0;
        uint32_t field = hs_log_pool_key_last(text + label, label_end - label, &where);
        const size_t stroke = end + strspn(text + end, " ");
        const size_t next = text[stroke] == '/' ? stroke + 1 + strspn(text + stroke + 1, " ")
                            : strncmp(text + stroke, "of ", 3) == 0 ? stroke + 3
                                                                    : 0;
        int64_t whole = -1;
        if (next != 0 && hs_log_is_digit(text[next])) {
            end = next + strspn(text + next, "0123456789");
            (void)hs_log_value_read(text, next, end, &whole, &unit);
        }
        field = field != 0 ? field : field_behind(text, &end);
        if (field == HS_LOG_HAS_TOTAL && fails && label_end - label >= 4 &&
            strncmp(text + label_end - 4, "size", 4) == 0) {
            field = HS_LOG_HAS_SIZE; /* of the request */
        }
        if (field != 0 && field < HS_POOL_STACK && text[end] != '%') {
            keep(fact, field, value);
            *in_bytes |= bytes;
            if (whole >= value) {
                keep(fact, HS_LOG_HAS_TOTAL, whole);
            }
        }
        at = label = end > at ? end : at + 1;
    }
}

static unsigned figures_read(const char *text, size_t length, bool fails, hs_lab_log_fact_t *fact,
                             bool *in_bytes)
{
    unsigned fields = 0;
    hs_log_fact_clear(fact);
    read_numbers(text, length, fails, fact, in_bytes);
    for (uint32_t bits = fact->has; bits != 0; bits &= bits - 1) {
        fields++;
    }
    return fields;
}

bool hs_log_pool_refused(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    const char *call = find_any(text, calls);
    bool in_bytes = false;
    if (call == NULL || find_any(text, failing) == NULL) {
        return false;
    }
    (void)figures_read(text, length, true, fact, &in_bytes);
    fact->kind = HS_LOG_FAILED;
    fact->flags = HS_LOG_NO_MEMORY;
    hs_log_copy(fact->name, sizeof fact->name, call, strcspn(call, " :,()"));
    hs_log_copy(fact->text, sizeof fact->text, "pool", 4);
    return true;
}

bool hs_log_pool_words(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    const char *pool = find_any(text, pool_words);
    if (pool == NULL || find_any(text, contents) == NULL || find_any(text, foreign) != NULL) {
        return false;
    }
    bool in_bytes = false;
    const bool fails = find_any(text, failing) != NULL;
    const unsigned fields = figures_read(text, length, fails, fact, &in_bytes);
    const bool states = (fact->has & (HS_LOG_HAS_FREE | HS_LOG_HAS_USED | HS_LOG_HAS_PEAK)) != 0;
    const bool asks = fails && (fact->has & HS_LOG_HAS_SIZE) != 0;
    if (!(states || asks) || (fields < 2 && !in_bytes)) {
        hs_log_fact_clear(fact);
        return false;
    }
    keep_name(fact, text, pool);
    fact->kind = asks ? HS_LOG_FAILED : HS_LOG_POOL;
    fact->flags = asks ? HS_LOG_NO_MEMORY : 0;
    const char *said = asks ? "pool" : in_bytes ? "/B" : "/";
    hs_log_copy(fact->text, sizeof fact->text, said, strlen(said));
    return true;
}
