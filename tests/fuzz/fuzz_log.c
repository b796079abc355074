/*
 * Any bytes through the reader of logs: it neither crashes nor asks for memory, its facts are sound,
 * and they are the same however the bytes are cut in pieces. So are the failed requests that they
 * add up to. Where the bytes begin with "WORDS", a line "word = meaning" each up to an empty line are
 * the user's words.
 */
#define HS_HELD_ITSELF 1 /* what the target itself allocates is not counted */

#include <string.h>

#include "fuzz.h"
#include "held.h"
#include "log/failed.h"
#include "log/log.h"

typedef struct hs_seen {
    uint64_t facts, digest;
} hs_seen_t;

static bool ended(const char *text, size_t size)
{
    return memchr(text, 0, size) != NULL;
}

static void check(const hs_lab_log_fact_t *fact, size_t size)
{
    FUZZ_REQUIRE(fact->kind < HS_LOG_KINDS && fact->memory <= HS_LOG_MEMORY_PYTHON);
    FUZZ_REQUIRE(fact->line >= 1 && fact->offset + fact->length <= size);
    FUZZ_REQUIRE(fact->unit >= 1 && fact->has < 2 * HS_LOG_HAS_CODE);
    FUZZ_REQUIRE(fact->uptime >= -1 && fact->clock >= -1);
    FUZZ_REQUIRE(ended(fact->name, sizeof fact->name) && ended(fact->text, sizeof fact->text));
    FUZZ_REQUIRE(ended(fact->quote, sizeof fact->quote));
}

static void check_failed(const hs_log_failed_t *failed, uint64_t lines)
{
    static hs_lab_log_failed_t rows[HS_LOG_FAILED_MAX];
    const size_t count = hs_log_failed_rows(failed, rows, HS_LOG_FAILED_MAX);
    uint64_t reported = 0;
    FUZZ_REQUIRE(count <= failed->kept && failed->kept <= HS_LOG_FAILED_MAX);
    for (size_t i = 0; i < count; i++) {
        const hs_lab_log_failed_t *row = &rows[i];
        FUZZ_REQUIRE(row->first >= 1 && row->first <= row->last && row->last <= lines);
        FUZZ_REQUIRE(row->count >= 1 && row->size >= -1 && row->caps >= -1 && row->free >= -1);
        FUZZ_REQUIRE(ended(row->who, sizeof row->who) && ended(row->how, sizeof row->how));
        FUZZ_REQUIRE(ended(row->quote, sizeof row->quote));
        reported += row->count;
    }
    FUZZ_REQUIRE(reported <= failed->count);
}

static void take(hs_log_t *log, hs_log_failed_t *failed, size_t size, hs_seen_t *seen)
{
    static hs_lab_log_fact_t facts[7]; /* fewer than can wait */
    for (size_t count; (count = hs_log_take(log, facts, 7)) != 0;) {
        for (size_t i = 0; i < count; i++) {
            uint64_t words[sizeof facts[i] / 8];
            memcpy(words, &facts[i], sizeof words);
            check(&facts[i], size);
            seen->digest = fuzz_fnv(seen->digest, hs_log_failed_take(failed, &facts[i]));
            for (size_t word = 0; word < sizeof words / sizeof words[0]; word++) {
                seen->digest = fuzz_fnv(seen->digest, words[word]);
            }
            seen->facts++;
        }
    }
}

/* Adds the words of the user; returns where the log begins. */
static size_t words_take(hs_log_t *log, const char *data, size_t size)
{
    static const char mark[] = "WORDS\n";
    size_t at = sizeof mark - 1;
    if (size < at || memcmp(data, mark, at) != 0) {
        return 0;
    }
    while (at < size && data[at] != '\n') {
        const char *end = memchr(data + at, '\n', size - at);
        const size_t line = end == NULL ? size - at : (size_t)(end - data) - at;
        const char *equals = memchr(data + at, '=', line);
        size_t word = equals == NULL ? line : (size_t)(equals - data) - at;
        const size_t behind = equals == NULL ? line : word + 1;
        while (word > 0 && data[at + word - 1] == ' ') {
            word--;
        }
        size_t fault;
        (void)hs_log_word_add(log, data + at, word, data + at + behind, line - behind, &fault);
        at += line + (end != NULL);
    }
    return at;
}

static hs_seen_t read_in(const uint8_t *data, size_t size, size_t piece)
{
    static hs_log_t log;
    static hs_log_failed_t failed;
    hs_seen_t seen = {0, FUZZ_FNV_BASIS};
    hs_log_init(&log);
    const size_t begin = words_take(&log, (const char *)data, size);
    data += begin;
    size -= begin;
    hs_log_failed_init(&failed);
    for (size_t at = 0; at < size;) {
        const size_t part = piece < size - at ? piece : size - at;
        at += hs_log_push(&log, data + at, part);
        take(&log, &failed, size, &seen);
    }
    hs_log_flush(&log);
    take(&log, &failed, size, &seen);
    check_failed(&failed, hs_log_line_count(&log));
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hs_held_reset();
    const hs_seen_t whole = read_in(data, size, size + 1);
    const size_t pieces[] = {1, 13, 1 + size / 2};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        const hs_seen_t again = read_in(data, size, pieces[i]);
        FUZZ_REQUIRE(again.facts == whole.facts && again.digest == whole.digest);
    }
    FUZZ_REQUIRE(hs_held_calls() == 0);
    return 0;
}
