/*
 * The facts of a log do not depend on the pieces that it comes in, and a line tells the same fact
 * behind every prefix, in every colour and encoding, and wrapped by a terminal.
 */
#include <string.h>

#include "../models/check.h"
#include "log/log.h"

#define FACTS_MAX 4096u
#define TEXT_MAX 65536u

typedef struct read_facts {
    size_t count;
    hs_lab_log_fact_t facts[FACTS_MAX];
} read_facts_t;

#define OWN_WORDS "Free heap: 269896 bytes, min 1024, largest free block: 45044, PSRAM free 1686880"

static const char *const lines[] = {
    "heap_init: At 3FFB37C8 len 0002C838 (178 KiB): DRAM",
    "At 0x3ffe4350 len 113840 free 45764 allocated 67200 min_free 45764",
    "largest_free_block 45056 alloc_blocks 1 free_blocks 1 total_blocks 2",
    "free 120584 allocated 92468 min_free 120584 largest_free_block 59392",
    "heap_caps_malloc was called but failed to allocate 1696 bytes with 0x1800 capabilities.",
    "Mem alloc fail. size 0x000006a0 caps 0x00001800",
    OWN_WORDS,
};
#define LINES (sizeof lines / sizeof lines[0])

#define COMMENT "//   "

static const char *const prefixes[] = {"I (12345) ",
                                       "    I (0) ",
                                       "[18:30:12]I (743) ",
                                       "07:37:27.890 -> E (462) ",
                                       "[  4321][V][a.cpp:59] f(): ",
                                       "2023-08-18T11:13:47Z--->W (5542) ",
                                       COMMENT,
                                       "*   ",
                                       "\x1B[0;32mI (5) ",
                                       "[0;32mI (5) ",
                                       "> ",
                                       "\xE3\x80\x90"
                                       "2020-06-23 09:29:41:601\xE3\x80\x91"
                                       "E (47827) ",
                                       "Nov  3 10:11:12 host ESP-0A1B: ",
                                       "[D][debug:031]: ",
                                       "** ",
                                       "12:34:56.789 > "};
#define PREFIXES (sizeof prefixes / sizeof prefixes[0])

static void take_all(hs_log_t *log, read_facts_t *read)
{
    while (log->waiting != 0) {
        CHECK(read->count + log->waiting <= FACTS_MAX, "%zu facts", read->count);
        read->count += hs_log_take(log, read->facts + read->count, 1 + log->waiting / 2);
    }
}

/* Reads a text in pieces of `piece` bytes; 0: of random sizes. */
static void read_text(const char *text, size_t length, size_t piece, check_random_t *random,
                      read_facts_t *read)
{
    static hs_log_t log;
    hs_log_init(&log);
    read->count = 0;
    for (size_t at = 0; at < length;) {
        size_t part = piece != 0 ? piece : 1 + check_below(random, 200);
        part = part < length - at ? part : length - at;
        at += hs_log_push(&log, (const uint8_t *)text + at, part);
        take_all(&log, read);
    }
    hs_log_flush(&log);
    take_all(&log, read);
}

/* Some lines with noise between them: what real logs do to each other. */
static size_t make_text(char *text, check_random_t *random)
{
    static const char *const ends[] = {"\n", "\r\n", "\r\r\n", "\x1B[0m\r\n", "\n\n"};
    size_t length = 0;
    for (int line = 0; line < 60; line++) {
        const char *prefix = prefixes[check_below(random, PREFIXES)];
        const char *end = ends[check_below(random, 5)];
        length += (size_t)sprintf(text + length, "%s%s%s", prefix,
                                  lines[check_below(random, LINES)], end);
        for (uint32_t noise = check_below(random, 4) == 0 ? check_below(random, 120) : 0; noise > 0;
             noise--) {
            text[length++] = (char)check_below(random, 256);
        }
    }
    return length;
}

static void facts_do_not_depend_on_the_pieces(check_random_t *random)
{
    static read_facts_t whole, pieces;
    static char text[TEXT_MAX];
    for (int round = 0; round < check_rounds(200); round++) {
        const size_t length = make_text(text, random);
        read_text(text, length, length, random, &whole);
        read_text(text, length, round % 2 == 0 ? 1 : 0, random, &pieces);
        CHECK(whole.count == pieces.count, "%zu and %zu facts", whole.count, pieces.count);
        CHECK(memcmp(whole.facts, pieces.facts, whole.count * sizeof whole.facts[0]) == 0,
              "round %d", round);
        CHECK(whole.count > 30, "%zu facts of 60 lines", whole.count);
    }
}

/* The same apart from where the line stood, and behind which prefix. */
static bool same(hs_lab_log_fact_t a, hs_lab_log_fact_t b)
{
    a.line = b.line = a.offset = b.offset = 0;
    a.uptime = b.uptime = a.before = b.before = a.clock = b.clock = a.time = b.time = -1;
    a.length = b.length = 0;
    a.flags &= (uint8_t)~(HS_LOG_WRAPPED | HS_LOG_ARDUINO);
    b.flags &= (uint8_t)~(HS_LOG_WRAPPED | HS_LOG_ARDUINO);
    memset(a.quote, 0, sizeof a.quote);
    memset(b.quote, 0, sizeof b.quote);
    if (a.kind == HS_LOG_FIGURES) { /* the name is that of the host before the line */
        memset(a.name, 0, sizeof a.name);
        memset(b.name, 0, sizeof b.name);
    }
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_same(const read_facts_t *plain, const read_facts_t *other, const char *how)
{
    CHECK(plain->count != 0 && plain->count == other->count, "%s: %zu facts, not %zu", how,
          other->count, plain->count);
    for (size_t i = 0; i < plain->count; i++) {
        CHECK(same(plain->facts[i], other->facts[i]), "%s: fact %zu", how, i);
    }
}

static void read_plain(const char *line, check_random_t *random, read_facts_t *read)
{
    char text[512];
    read_text(text, (size_t)sprintf(text, "%s\n", line), 64, random, read);
}

static void the_number_that_the_input_ends_with_is_not_a_whole_one(check_random_t *random)
{
    static read_facts_t whole, cut;
    static const char line[] = "  At 0x3ffae6e0 len 6432 free 160 allocated 4628 min_free 4";
    read_plain(line, random, &whole);
    CHECK(whole.count == 1 && (whole.facts[0].flags & (HS_LOG_CUT | HS_LOG_UNENDED)) == 0, "whole");
    CHECK((whole.facts[0].has & HS_LOG_HAS_MIN) != 0, "has %x", whole.facts[0].has);
    read_text(line, strlen(line), 64, random, &cut);
    CHECK(cut.count == 1 && cut.facts[0].kind == HS_LOG_REGION, "%zu facts", cut.count);
    CHECK((cut.facts[0].flags & HS_LOG_CUT) != 0, "flags %x", cut.facts[0].flags);
    CHECK((cut.facts[0].has & HS_LOG_HAS_MIN) == 0 && cut.facts[0].used == 4628, "has %x",
          cut.facts[0].has);
}

static void a_line_tells_the_same_behind_every_prefix(check_random_t *random)
{
    static read_facts_t plain, other;
    char text[512];
    for (size_t line = 0; line < LINES; line++) {
        read_plain(lines[line], random, &plain);
        for (size_t prefix = 0; prefix < PREFIXES; prefix++) {
            if (strcmp(prefixes[prefix], COMMENT) == 0 && strcmp(lines[line], OWN_WORDS) == 0) {
                continue;
            }
            const int length = sprintf(text, "%s%s\r\n", prefixes[prefix], lines[line]);
            read_text(text, (size_t)length, 7, random, &other);
            check_same(&plain, &other, text);
        }
    }
}

/* The SDK's own print-outs are often kept as comments; other words in a comment are a person's. */
static void a_comment_has_forms_and_no_figures_in_words(check_random_t *random)
{
    static read_facts_t read;
    read_plain(COMMENT OWN_WORDS, random, &read);
    CHECK(read.count == 1 && read.facts[0].kind == HS_LOG_UNREAD, "%zu facts", read.count);
}

static void a_line_wrapped_at_80_columns_is_put_together(check_random_t *random)
{
    static read_facts_t plain, other;
    char text[512];
    for (size_t line = 0; line < LINES; line++) {
        read_plain(lines[line], random, &plain);
        for (size_t shift = 10; shift < 80; shift++) { /* the seam comes at every byte */
            char *to = text;
            size_t column = 0;
            for (size_t i = 0; i < shift + strlen(lines[line]); i++) {
                *to++ = i + 2 < shift ? '-' : i < shift ? ' ' : lines[line][i - shift];
                if (++column == 80) {
                    *to++ = '\n';
                    column = 0;
                }
            }
            *to++ = '\n';
            *to = 0;
            read_text(text, strlen(text), 0, random, &other);
            check_same(&plain, &other, text);
        }
    }
}

static void utf_16_is_read(check_random_t *random)
{
    static read_facts_t plain, other;
    char text[512];
    for (size_t line = 0; line < LINES; line++) {
        read_plain(lines[line], random, &plain);
        for (int big = 0; big < 2; big++) {
            size_t length = 2;
            memcpy(text, big ? "\xFE\xFF" : "\xFF\xFE", 2);
            for (size_t i = 0; i <= strlen(lines[line]); i++) {
                const char byte = lines[line][i];
                text[length + (size_t)big] = byte != 0 ? byte : '\n';
                text[length + !big] = 0;
                length += 2;
            }
            read_text(text, length, 3, random, &other);
            check_same(&plain, &other, big ? "big" : "little");
        }
    }
}

static void secrets_are_not_quoted(check_random_t *random)
{
    static read_facts_t read;
    static const char text[] =
        "ssid: MyNet, password=\"hunter 2\" token=abc free heap: 4096 bytes\n";
    read_text(text, strlen(text), 5, random, &read);
    CHECK(read.count == 1 && read.facts[0].free == 4096, "%zu facts", read.count);
    const char *quote = read.facts[0].quote;
    CHECK(strstr(quote, "MyNet") == NULL && strstr(quote, "hunter") == NULL &&
              strstr(quote, "abc") == NULL && strstr(quote, "4096") != NULL,
          "%s", quote);
}

static void decimals_of_a_larger_unit_are_bytes(check_random_t *random)
{
    static const struct {
        const char *text;
        int64_t free;
    } cases[] = {
        {"Free memory: 31.5 KB\n", 32256},
        {"Free memory: 0.25MB\n", 262144},
        {"Free memory: 0.1254321 KB\n", 128}, /* thousandths count */
        {"Free memory: 12 KB\n", 12288},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static read_facts_t read;
        read_text(cases[i].text, strlen(cases[i].text), 0, random, &read);
        CHECK(read.count == 1 && read.facts[0].free == cases[i].free, "%s: %lld", cases[i].text,
              (long long)read.facts[0].free);
    }
}

static void the_sizes_of_a_build_are_no_state(check_random_t *random)
{
    static const char text[] = "Used static DRAM:   42520 bytes ( 138216 available, 23.5% used)\n";
    static read_facts_t read;
    read_text(text, sizeof text - 1, 0, random, &read);
    CHECK(read.count == 1 && read.facts[0].kind == HS_LOG_BUILD, "%zu facts", read.count);
}

static void a_line_without_an_end_is_read_in_parts(check_random_t *random)
{
    static read_facts_t read;
    enum { BYTES = 1000000 };
    char *text = malloc(BYTES);
    CHECK(text != NULL, "no memory");
    for (size_t at = 0; at < BYTES; at++) {
        text[at] = at % 50 == 49 ? ' ' : (char)('a' + check_below(random, 26));
    }
    memcpy(text + BYTES / 2, " Mem alloc fail. size 0x10 caps 0x8 ", 36);
    read_text(text, BYTES, 0, random, &read);
    CHECK(read.count == 1 && read.facts[0].size == 16, "%zu facts", read.count);
    CHECK(read.facts[0].line == 1 && read.facts[0].offset < BYTES / 2, "where it stands");
    free(text);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    facts_do_not_depend_on_the_pieces(&random);
    the_number_that_the_input_ends_with_is_not_a_whole_one(&random);
    a_line_tells_the_same_behind_every_prefix(&random);
    a_comment_has_forms_and_no_figures_in_words(&random);
    a_line_wrapped_at_80_columns_is_put_together(&random);
    utf_16_is_read(&random);
    secrets_are_not_quoted(&random);
    decimals_of_a_larger_unit_are_bytes(&random);
    the_sizes_of_a_build_are_no_state(&random);
    a_line_without_an_end_is_read_in_parts(&random);
    return 0;
}
