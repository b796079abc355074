/* The text form: what each line means, and any text against a slow shadow of the importer. */
#include "text_imported.h"

static void each_line_means_its_event(void)
{
    const char text[] =
        "\xEF\xBB\xBF# a comment\n\na 10 100\r\nc 11 20\n  m\t12  64 30 \nt  net task \n"
        "r 10 200\n! connected\nf 11\nt main\nf 12\n! connected\nt net task\nf 10";
    imported_t imported = import_text(text, sizeof text - 1, 0);
    CHECK_EQUAL(0, imported.stats.bad_lines);
    CHECK_EQUAL(14, imported.stats.lines);
    CHECK_EQUAL(7, imported.stats.events);
    CHECK_EQUAL(9, imported.events.count);
    event_is(&imported, 0, HS_EVENT_MALLOC, 0, 100, 0);
    event_is(&imported, 1, HS_EVENT_CALLOC, 1, 20, 0);
    event_is(&imported, 2, HS_EVENT_ALIGNED, 2, 30, 0);
    CHECK_EQUAL(6, imported.events.at[2].align_log2);
    event_is(&imported, 3, HS_EVENT_REALLOC, 0, 200, 1);
    event_is(&imported, 4, HS_EVENT_MARK, 0, 0, 1);
    event_is(&imported, 5, HS_EVENT_FREE, 1, 0, 1);
    event_is(&imported, 6, HS_EVENT_FREE, 2, 0, 0);
    event_is(&imported, 7, HS_EVENT_MARK, 0, 0, 0);
    event_is(&imported, 8, HS_EVENT_FREE, 0, 0, 1);
    name_is(&imported, HS_NAMES_TASK, 1, "net task");
    name_is(&imported, HS_NAMES_MARK, 0, "connected");
    imported_clear(&imported);
}

static void ids_out_of_turn_and_dead_ones_keep_their_meaning(void)
{
    const char text[] = "a 5 1\na 6 2\nf 5\nf 5\nf 7\nr 9 3\n" /* in turn from 5: 0, 1 */
                        "a 5 4\nf 6\nf 6\nr 6 5\na 6 6\nf 6\nf 5\nf 5\na 5 7\na 5 8\nf 5\n";
    imported_t imported = import_text(text, sizeof text - 1, 0);
    static const struct {
        unsigned kind;
        uint64_t key;
    } wanted[] = {{HS_EVENT_MALLOC, 0},
                  {HS_EVENT_MALLOC, 1},
                  {HS_EVENT_FREE, 0},
                  {HS_EVENT_FREE, 0},
                  {HS_EVENT_FREE, HS_KEY_NONE},
                  {HS_EVENT_REALLOC, HS_KEY_NONE},
                  {HS_EVENT_MALLOC, 2},
                  {HS_EVENT_FREE, 1},
                  {HS_EVENT_FREE, 1},
                  {HS_EVENT_REALLOC, 1},
                  {HS_EVENT_MALLOC, 3},
                  {HS_EVENT_FREE, 3},
                  {HS_EVENT_FREE, 2},
                  {HS_EVENT_FREE, 2},
                  {HS_EVENT_MALLOC, 4},
                  {HS_EVENT_MALLOC, 5},
                  {HS_EVENT_FREE, 5}};
    const size_t count = sizeof wanted / sizeof wanted[0];
    CHECK_EQUAL(count, imported.events.count);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(wanted[i].kind, imported.events.at[i].kind);
        CHECK_EQUAL(wanted[i].key, imported.events.at[i].key);
    }
    CHECK_EQUAL(1, imported.stats.id_reused);
    CHECK_EQUAL(16, imported.stats.first_reused);
    imported_clear(&imported);
}

static void lines_that_say_nothing_valid_are_bad(void)
{
    static const char *const lines[] = {"x 1 2",
                                        "[",
                                        "[] a 1 2",
                                        "[1.5] a 1 2",
                                        "a",
                                        "a 1",
                                        "a 1 2 3",
                                        "a 1 -2",
                                        "a 1 2x",
                                        "a1 2",
                                        "a 1 0x",
                                        "a 1 0x1g",
                                        "f",
                                        "f x",
                                        "f 1 2",
                                        "m 1 3 8",
                                        "m 1 0 8",
                                        "m 1 8",
                                        "m 1 4294967296 8",
                                        "r 1",
                                        "t",
                                        "t  ",
                                        "!",
                                        "!mark",
                                        "\xEF\xBB\xBF\x61 1 2",
                                        "A 1 2",
                                        "a 1 9223372036854775809",
                                        "a 99999999999999999999 1",
                                        "a 1 2\v",
                                        "\v"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[128];
        const int length = snprintf(text, sizeof text, "# first\n%s\na 1 5\n", lines[i]);
        imported_t imported = import_text(text, (size_t)length, 0);
        CHECK_EQUAL(1, imported.stats.bad_lines);
        CHECK_EQUAL(2, imported.stats.first_bad);
        CHECK_EQUAL(strlen(lines[i]), imported.bad_length);
        CHECK(memcmp(lines[i], imported.bad, imported.bad_length) == 0);
        CHECK_EQUAL(1, imported.stats.events);
        imported_clear(&imported);
    }
}

static void the_largest_numbers_are_taken(void)
{
    const char text[] = "a 9223372036854775808 9223372036854775808\nm 7 2147483648 0\n"
                        "r 9223372036854775808 000000000000000000000000000012\n";
    imported_t imported = import_text(text, sizeof text - 1, 0);
    CHECK_EQUAL(0, imported.stats.bad_lines);
    event_is(&imported, 0, HS_EVENT_MALLOC, 0, UINT64_C(1) << 63, 0);
    CHECK_EQUAL(31, imported.events.at[1].align_log2);
    event_is(&imported, 2, HS_EVENT_REALLOC, 0, 12, 0);
    imported_clear(&imported);
}

static void long_lines_are_bounded(void)
{
    enum { LONG = 100000 };
    char *text = malloc(4 * LONG);
    CHECK(text != NULL);
    memset(text, 'n', 4 * LONG);
    memcpy(text, "! ", 2); /* a long name is cut */
    text[LONG] = '\n';
    text[LONG + 1] = '#'; /* a long comment is one */
    text[2 * LONG] = '\n';
    memset(text + 2 * LONG + 1, ' ', LONG - 1);
    memcpy(text + 2 * LONG + 1, "f 1", 3); /* what has numbers must be shorter */
    memcpy(text + 3 * LONG - 2, "77", 2);
    text[3 * LONG] = '\n';
    memcpy(text + 4 * LONG - 6, "\na 3 5", 6);
    static const size_t pieces[] = {0, 1, 777};
    for (size_t i = 0; i < 3; i++) {
        imported_t imported = import_text(text, 4 * LONG, pieces[i]);
        size_t length;
        CHECK(hs_decoder_name(imported.decoder, HS_NAMES_MARK, 0, &length) != NULL);
        CHECK_EQUAL(HS_NAME_MAX, length);
        CHECK_EQUAL(2, imported.stats.bad_lines);
        CHECK_EQUAL(HS_IMPORT_BAD_MAX, imported.bad_length);
        CHECK_EQUAL(1, imported.stats.events);
        imported_clear(&imported);
    }
    free(text);
}

/* ---- any text against a shadow ---- */

#define SHADOW_IDS 64u /* ids of the random text */

typedef struct shadow {
    stream_events_t events;
    uint64_t place[SHADOW_IDS];
    bool live[SHADOW_IDS];
    uint64_t next;
    uint64_t number;
    uint64_t reused;
} shadow_t;

static void shadow_add(shadow_t *shadow, hs_event_t event)
{
    stream_events_add(&shadow->events, &event, shadow->number);
    shadow->number++;
}

/* Appends one random line and what it means. */
static void line_add(check_random_t *random, shadow_t *shadow, stream_bytes_t *text, bool in_turn)
{
    char line[64];
    const uint64_t size = check_log(random, 20);
    uint64_t id = check_below(random, SHADOW_IDS);
    hs_event_t event = {.kind = HS_EVENT_FREE};
    switch (check_below(random, 4)) {
    case 0:
        event.kind = HS_EVENT_FREE;
        snprintf(line, sizeof line, "f %" PRIu64 "\n", id + 3);
        event.key = shadow->place[id];
        shadow->live[id] = false;
        break;
    case 1:
        event.kind = HS_EVENT_REALLOC;
        snprintf(line, sizeof line, "r %" PRIu64 " %" PRIu64 "\r\n", id + 3, size);
        event.key = shadow->place[id];
        event.new_key = event.key;
        event.size = size;
        break;
    default:
        id = in_turn && shadow->next < SHADOW_IDS ? shadow->next : id;
        event.kind = HS_EVENT_MALLOC;
        snprintf(line, sizeof line, "a %" PRIu64 " %" PRIu64 "\n", id + 3, size);
        shadow->reused += shadow->live[id] ? 1u : 0u;
        shadow->live[id] = true;
        shadow->place[id] = shadow->next;
        event.key = shadow->next++;
        event.size = size;
        break;
    }
    shadow_add(shadow, event);
    stream_bytes_add(text, (const uint8_t *)line, strlen(line));
}

static void any_text_is_what_its_shadow_says(check_random_t *random)
{
    for (int round = 0; round < 60; round++) {
        shadow_t shadow = {0};
        memset(shadow.place, 0xFF, sizeof shadow.place);
        stream_bytes_t text = {0};
        const bool in_turn = check_below(random, 2) == 0;
        const uint64_t lines = check_below(random, 3000);
        for (uint64_t i = 0; i < lines; i++) {
            line_add(random, &shadow, &text, in_turn);
        }
        stream_bytes_add(&text, (const uint8_t *)"#", 1);
        imported_t whole = import_text((const char *)text.at, text.count, 0);
        stream_events_equal(&shadow.events, &whole.events);
        CHECK_EQUAL(shadow.reused, whole.stats.id_reused);
        imported_t pieces =
            import_text((const char *)text.at, text.count, 1 + (size_t)check_below(random, 100));
        CHECK_EQUAL(whole.bytes.count, pieces.bytes.count);
        CHECK(memcmp(whole.bytes.at, pieces.bytes.at, whole.bytes.count) == 0);
        imported_clear(&pieces);
        imported_clear(&whole);
        stream_events_clear(&shadow.events);
        stream_bytes_clear(&text);
    }
}

static void many_tasks_and_scattered_ids_stay_fast_and_right(void)
{
    stream_bytes_t text = {0};
    char line[128];
    for (uint64_t i = 0; i < 100000; i++) {
        const int length = snprintf(line, sizeof line, "t task%d\na %" PRIu64 " 8\n",
                                    (int)(i % 5000), i * UINT64_C(0x9E3779B97F4A7C15) >> 1);
        stream_bytes_add(&text, (const uint8_t *)line, (size_t)length);
    }
    imported_t imported = import_text((const char *)text.at, text.count, 0);
    CHECK_EQUAL(100000, imported.stats.events);
    CHECK_EQUAL(5001, hs_decoder_name_count(imported.decoder, HS_NAMES_TASK));
    for (uint64_t i = 0; i < 100000; i++) {
        event_is(&imported, (size_t)i, HS_EVENT_MALLOC, i, 8, (uint32_t)(1 + i % 5000));
    }
    imported_clear(&imported);
    stream_bytes_clear(&text);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    each_line_means_its_event();
    ids_out_of_turn_and_dead_ones_keep_their_meaning();
    lines_that_say_nothing_valid_are_bad();
    the_largest_numbers_are_taken();
    long_lines_are_bounded();
    any_text_is_what_its_shadow_says(&random);
    many_tasks_and_scattered_ids_stay_fast_and_right();
    return 0;
}
