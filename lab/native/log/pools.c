/*
 * Heads of reports open a block: lines of a figure each, or a table. The block ends with the first lines
 * of something else.
 */
#include "pools.h"

#include <string.h>

#include "form.h"
#include "letters.h"
#include "measure.h"
#include "number.h"
#include "pool_keys.h"

#define FOREIGN_LINES 2u /* that may come between two lines of a report */
#define SAYS_AGAIN 4u    /* lines behind one that XS prints first */
#define ESPRUINO_LINES 6u
#define UMM_BLOCK 8 /* bytes */

void hs_log_pools_init(hs_log_pools_t *pools)
{
    memset(pools, 0, sizeof *pools);
    pools->free = pools->refused = -1;
}

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

static void say(char *out, size_t size, const char *text)
{
    hs_log_copy(out, size, text, strlen(text));
}

static void open_block(hs_log_pools_t *pools, const hs_lab_log_fact_t *head)
{
    pools->is_open = true;
    pools->is_heap = is(head->name, "heap");
    pools->has_commas = pools->has_cells = false;
    pools->foreign = 0;
    pools->columns = is(head->text, "linker/B"); /* its lines have a form of their own */
    pools->total = pools->used = -1;
    say(pools->name, sizeof pools->name, head->name);
    say(pools->text, sizeof pools->text, head->text);
}

/* The columns of "instruments key: Chunk used,Chunk available,...". */
static void open_instruments(hs_log_pools_t *pools, const char *text)
{
    static const struct {
        const char *name;
        uint32_t means;
        uint8_t of;
    } known[] = {{"Chunk used", HS_LOG_HAS_USED, 1},       {"Chunk available", HS_LOG_HAS_TOTAL, 1},
                 {"Slot used", HS_LOG_HAS_USED, 2},        {"Slot available", HS_LOG_HAS_TOTAL, 2},
                 {"Stack used", HS_LOG_HAS_USED, 3},       {"Stack available", HS_LOG_HAS_TOTAL, 3},
                 {"System bytes free", HS_LOG_HAS_FREE, 4}};
    pools->has_commas = true;
    while (pools->columns < HS_POOL_COLUMNS && *text != 0) {
        text += strspn(text, " ");
        const size_t length = strcspn(text, ",");
        const size_t column = pools->columns++;
        pools->column[column] = HS_POOL_SKIP;
        pools->of[column] = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (strlen(known[i].name) == length && strncmp(known[i].name, text, length) == 0) {
                pools->column[column] = known[i].means;
                pools->of[column] = known[i].of;
            }
        }
        text += length + (text[length] != 0);
    }
}

/* A head is one only where the whole line is. */
static bool take_head(hs_log_pools_t *pools, hs_lab_log_fact_t *head, const char *text,
                      size_t length)
{
    if (is(head->text, "Zephyr/B") && is(head->name, "heap")) {
        const char *last = text + length;
        const bool command = length >= 11 && is(last - 11, "kernel heap");
        if (!command && strstr(text, "statistics:") == NULL) {
            return false;
        }
    } else if (is(head->text, "Zephyr/B")) {
        if (head->name[0] == 0) {
            return false;
        }
        hs_log_copy(head->name + strlen(head->name), sizeof head->name - strlen(head->name),
                    " heap", 5);
    } else if (is(head->name, "message buffers") && length >= 10 &&
               !is(text + length - 10, "bufferinfo")) {
        return false;
    }
    open_block(pools, head);
    if (strncmp(text, "instruments key: ", 17) == 0) {
        open_instruments(pools, text + 17);
        say(head->name, sizeof head->name, "");
    }
    return true;
}

/* The name in front of "3928 of 3968 (98%) used"; false: none. */
static bool name_share(const char *text, hs_lab_log_fact_t *fact)
{
    const char *of = strstr(text, " of ");
    size_t end = of == NULL ? 0 : (size_t)(of - text);
    while (end > 0 && (text[end - 1] == ' ' || (text[end - 1] >= '0' && text[end - 1] <= '9'))) {
        end--;
    }
    if (end < 2 || text[end - 1] != ':') {
        if (end < 5 || strncmp(text + end - 5, "Total", 5) != 0) {
            return false;
        }
        say(fact->name, sizeof fact->name, "total");
        return true;
    }
    size_t start = --end;
    while (start > 0 && text[start - 1] != ' ') {
        start--;
    }
    hs_log_copy(fact->name, sizeof fact->name, text + start, end - start);
    return start < end;
}

/* Takes a handle, and words that name nothing, from the name of a stack. */
static bool name_stack(hs_lab_log_fact_t *fact)
{
    char *name = fact->name;
    if (strncmp(name, "0x", 2) == 0) {
        const size_t handle = strcspn(name, " ");
        memmove(name, name + handle, strlen(name + handle) + 1);
    }
    const size_t blanks = strspn(name, " ");
    memmove(name, name + blanks, strlen(name + blanks) + 1);
    static const char *const others[] = {"heap", "mem",  "memory", "queue", "buffer",
                                         "pool", "fifo", "ring",   "stack", NULL};
    for (size_t i = 0; others[i] != NULL; i++) {
        if (hs_log_contains(name, others[i])) {
            return false;
        }
    }
    return name[0] != 0;
}

static void scale(hs_lab_log_fact_t *fact, int64_t by)
{
    for (uint32_t field = HS_LOG_HAS_FREE; field <= HS_LOG_HAS_PEAK; field <<= 1) {
        int64_t *value = hs_log_field(fact, field);
        *value = *value <= INT64_MAX / by ? *value * by : INT64_MAX;
    }
}

/* A fact of a form. False: it means nothing. */
static bool complete(hs_log_pools_t *pools, uint64_t number, const char *text, size_t length,
                     hs_lab_log_fact_t *fact)
{
    if (fact->kind == HS_LOG_POOL_HEAD) {
        return take_head(pools, fact, text, length);
    }
    if (fact->kind == HS_LOG_FIGURES && is(fact->text, "umm_malloc")) {
        scale(fact, UMM_BLOCK);
        return true;
    }
    if (fact->kind == HS_LOG_FAILED && is(fact->text, "xs")) {
        const int64_t size = (fact->has & HS_LOG_HAS_SIZE) != 0 ? fact->size : -1;
        const bool again = pools->refused_at != 0 && number - pools->refused_at <= SAYS_AGAIN &&
                           (size < 0 || size == pools->refused);
        pools->refused = again ? pools->refused : size;
        pools->refused_at = number;
        if (again) {
            hs_log_fact_clear(fact);
            fact->kind = HS_LOG_POOL_HEAD; /* it tells nothing new */
        }
        return true;
    }
    if (fact->kind != HS_LOG_POOL) {
        return true;
    }
    if (is(fact->text, "pools/B")) {
        return name_share(text, fact);
    }
    if (strstr(fact->text, "/stack") != NULL) {
        return name_stack(fact);
    }
    if (is(fact->text, "Espruino/variables")) {
        pools->free = fact->free;
        pools->used = fact->used;
        pools->total = fact->total;
        pools->line = number;
        pools->is_open = false;
    }
    return true;
}

/* "KEY: NUMBER", which is the whole line; the field, or 0. */
static uint32_t read_key(const char *text, size_t length, int64_t *value, bool *is_end)
{
    size_t end = 0, at;
    uint32_t unit;
    while (end < length && text[end] != ':' && text[end] != '=' &&
           (text[end] < '0' || text[end] > '9')) {
        end++;
    }
    const uint32_t means = hs_log_pool_key(text, end);
    at = end + strspn(text + end, " :=");
    *is_end = at == length;
    if (means == 0 || *is_end || text[at] < '0' || text[at] > '9' ||
        !hs_log_value_read(text, at, length, value, &unit)) {
        return means & HS_POOL_SKIP;
    }
    at += strspn(text + at, "0123456789.");
    at += strspn(text + at, " BKbytesi");
    return at == length || text[at] == '(' || text[at] == '%' ? means : 0;
}

/* A line of a report that is open. */
static size_t read_line(hs_log_pools_t *pools, const char *text, size_t length,
                        hs_lab_log_fact_t *fact)
{
    int64_t value = 0;
    bool is_end;
    uint32_t means = read_key(text, length, &value, &is_end);
    hs_log_fact_clear(fact);
    if (means == 0 || (means & (HS_POOL_NAME | HS_POOL_STACK | HS_POOL_DRAM | HS_POOL_IRAM)) != 0) {
        return 0;
    }
    pools->foreign = 0;
    if ((means & HS_POOL_SKIP) != 0) {
        fact->kind = HS_LOG_POOL_HEAD; /* part of the report, and no figure of a pool */
        return 1;
    }
    if (strncmp(pools->text, "lwIP/", 5) == 0 && means == HS_LOG_HAS_FREE) {
        means = HS_LOG_HAS_TOTAL; /* its "avail" is how many there are */
    }
    fact->has = means;
    if (means == HS_LOG_HAS_COUNT || means == HS_LOG_HAS_FREE_COUNT || means == HS_LOG_HAS_SIZE) {
        *(means == HS_LOG_HAS_COUNT        ? &fact->count
          : means == HS_LOG_HAS_FREE_COUNT ? &fact->free_count
                                           : &fact->size) = value;
    } else {
        *hs_log_field(fact, means) = value;
    }
    fact->kind = HS_LOG_POOL;
    if (pools->is_heap && (means & (HS_LOG_HAS_COUNT | HS_LOG_HAS_FREE_COUNT)) == 0) {
        fact->kind = HS_LOG_FIGURES;
        pools->total = means == HS_LOG_HAS_TOTAL ? value : pools->total;
        pools->used = means == HS_LOG_HAS_USED ? value : pools->used;
        if (means == HS_LOG_HAS_USED && pools->total >= value && is(pools->text, "esp-alloc/B")) {
            fact->free = pools->total - value;
            fact->has |= HS_LOG_HAS_FREE;
        }
        return 1;
    }
    say(fact->name, sizeof fact->name, pools->name);
    say(fact->text, sizeof fact->text, pools->text);
    return 1;
}

/* "blocksize: 16" of Espruino: its figures in bytes. */
static bool read_blocksize(hs_log_pools_t *pools, uint64_t number, const char *text,
                           hs_lab_log_fact_t *fact)
{
    const char *key = pools->free < 0 ? NULL : strstr(text, "blocksize");
    int64_t bytes;
    uint32_t unit;
    if (key == NULL || number - pools->line > ESPRUINO_LINES) {
        return false;
    }
    key += 9 + strspn(key + 9, "\": ");
    if (!hs_log_value_read(key, 0, strspn(key, "0123456789"), &bytes, &unit) || bytes < 1 ||
        bytes > 64) {
        return false;
    }
    hs_log_fact_clear(fact);
    fact->kind = HS_LOG_FIGURES;
    fact->free = pools->free;
    fact->used = pools->used;
    fact->total = pools->total;
    fact->has = HS_LOG_HAS_FREE | HS_LOG_HAS_USED | HS_LOG_HAS_TOTAL;
    scale(fact, bytes);
    pools->free = -1;
    return true;
}

/* "MEM TCP_PCB", the head of a pool of lwIP. */
static bool names_lwip(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/ ";
    if (strncmp(text, "MEM ", 4) != 0 || length < 7 || strspn(text, capitals) != length) {
        return false;
    }
    hs_log_fact_clear(fact);
    fact->kind = HS_LOG_POOL_HEAD;
    hs_log_copy(fact->name, sizeof fact->name, text + 4, length - 4);
    say(fact->text, sizeof fact->text, is(fact->name, "HEAP") ? "lwIP/B" : "lwIP/elements");
    return true;
}

/* A line that names a pool and nothing else: "=== NX packet pool ===", "Control pool:". */
static bool names_pool(const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    size_t start = strspn(text, " =-*#"), end = length;
    const bool marked = strcspn(text, "=-*#") < start;
    bool colon = false;
    while (end > start && strchr(" =-*#:", text[end - 1]) != NULL) {
        colon |= text[--end] == ':';
    }
    static const char *const ends[] = {" pool", " pool stats", " pool statistics", " pool info",
                                       " Pool", " Pool Stats", " Pool Statistics", " Pool Info"};
    for (size_t i = 0; (colon || (marked && end < length)) && i < 8; i++) {
        const size_t size = strlen(ends[i]);
        if (end - start > size && end - start < 40 &&
            strncmp(text + end - size, ends[i], size) == 0 &&
            strcspn(text + start, "0123456789=") >= end - start) {
            hs_log_fact_clear(fact);
            fact->kind = HS_LOG_POOL_HEAD;
            hs_log_copy(fact->name, sizeof fact->name, text + start, end - start);
            say(fact->text, sizeof fact->text, "/");
            return true;
        }
    }
    return false;
}

/* Zephyr's "free: N" opens a report that has no head. */
static void open_zephyr(hs_log_pools_t *pools, const char *text, size_t length)
{
    int64_t value;
    bool is_end;
    if (strncmp(text, "free: ", 6) == 0 &&
        read_key(text, length, &value, &is_end) == HS_LOG_HAS_FREE) {
        hs_lab_log_fact_t head = {.name = "heap", .text = "Zephyr/B"};
        open_block(pools, &head);
        pools->foreign = FOREIGN_LINES - 1;
    }
}

size_t hs_log_pools_read(hs_log_pools_t *pools, uint64_t number, const char *text, size_t length,
                         hs_lab_log_fact_t *facts, size_t count, size_t capacity)
{
    size_t kept = 0;
    if (strstr(text, "_allocate") != NULL && hs_log_pool_refused(text, length, facts)) {
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (complete(pools, number, text, length, &facts[i])) {
            facts[kept++] = facts[i];
        }
    }
    if (count != 0 && kept != 0) {
        if (read_blocksize(pools, number, text, &facts[kept])) {
            kept++;
        }
        return kept;
    }
    if (capacity == 0 || length == 0) {
        return kept;
    }
    if (read_blocksize(pools, number, text, facts)) {
        return 1;
    }
    if (names_lwip(text, length, facts) || names_pool(text, length, facts)) {
        open_block(pools, facts);
        return 1;
    }
    if (pools->is_open) {
        const size_t rows = pools->columns != 0
                                ? hs_log_pool_row(pools, text, length, facts, capacity)
                                : read_line(pools, text, length, facts);
        if (rows != 0) {
            pools->foreign = 0;
            return rows;
        }
        pools->is_open = pools->has_commas || ++pools->foreign <= FOREIGN_LINES;
    }
    if (hs_log_pool_columns(pools, text, length)) {
        return 0;
    }
    if (!pools->is_open) {
        open_zephyr(pools, text, length);
    }
    hs_log_fact_clear(facts);
    return hs_log_pool_task(text, length, facts) || hs_log_pool_words(text, length, facts);
}
