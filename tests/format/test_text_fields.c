/* The further fields of the text form: hexadecimal numbers, addresses, capabilities, call sites, times,
 * failed requests, cores, and why a line is left out. */
#include "text_imported.h"

static imported_t imported_text(const char *text)
{
    return import_text(text, strlen(text), 0);
}

static const hs_event_t *event_at(const imported_t *imported, size_t index)
{
    CHECK(index < imported->events.count);
    return &imported->events.at[index];
}

static void hexadecimal_numbers_are_the_same_numbers(void)
{
    imported_t hexadecimal = imported_text("a 0x3FFB0000 0x64\nm 0X3ffb0100 0x40 0x1E\nr "
                                           "0x3ffb0000 0xC8\nf 0x3ffb0100\nf 1073414144\n");
    imported_t decimal =
        imported_text("a 1073414144 100\nm 1073414400 64 30\nr 1073414144 200\nf 1073414400\n"
                      "f 1073414144\n");
    CHECK_EQUAL(0, hexadecimal.stats.bad_lines);
    CHECK_EQUAL(0, hexadecimal.features);
    CHECK_EQUAL(decimal.bytes.count, hexadecimal.bytes.count);
    CHECK(memcmp(decimal.bytes.at, hexadecimal.bytes.at, decimal.bytes.count) == 0);
    imported_clear(&decimal);
    imported_clear(&hexadecimal);
}

static void a_block_that_moves_keeps_its_key(void)
{
    imported_t imported = imported_text("a 0x100 8\nr 0x100 16 0x200\nf 0x200\nf 0x100\n"
                                        "r 0x900 5 0xa00\nf 0xa00\n");
    CHECK_EQUAL(0, imported.stats.bad_lines);
    event_is(&imported, 1, HS_EVENT_REALLOC, 0, 16, 0);
    event_is(&imported, 2, HS_EVENT_FREE, 0, 0, 0);
    event_is(&imported, 3, HS_EVENT_FREE, 0, 0, 0);           /* by a name that it had */
    event_is(&imported, 4, HS_EVENT_FREE, HS_KEY_NONE, 0, 0); /* it is older than the text */
    event_is(&imported, 5, HS_EVENT_MALLOC, 1, 5, 0);
    event_is(&imported, 6, HS_EVENT_FREE, 1, 0, 0);
    imported_clear(&imported);
}

static void capabilities_belong_to_their_request(void)
{
    imported_t imported = imported_text(
        "a 1 100 DMA\na 2 100\nm 3 64 100 MALLOC_CAP_DMA|MALLOC_CAP_INTERNAL\nc 4 8 DMA 8BIT\n"
        "r 4 9 8BIT\nr 4 9 5 SPIRAM,TCM\na 6 1 caps=0x80001804\nf 1\n");
    CHECK_EQUAL(0, imported.stats.bad_lines);
    static const uint32_t wanted[] = {8,           0, 8 | 1u << 11, 8 | 4, 4, 1u << 10 | 1u << 16,
                                      0x80001804u, 0};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        CHECK_EQUAL(wanted[i], event_at(&imported, i)->caps);
    }
    imported_clear(&imported);
}

static void failed_requests_are_reported(void)
{
    imported_t imported = imported_text(
        "a 1 10\na NULL 100 DMA\nc (nil) 20\nm - 64 30\nr 1 40 0x0\nr NULL 50 2\nr NULL 60 nil\n"
        "f NULL\nf 0x0\nr 1 0 NULL\nf 2\n");
    CHECK_EQUAL(0, imported.stats.bad_lines);
    CHECK_EQUAL(5, imported.stats.failed);
    CHECK_EQUAL(9, imported.stats.events);
    static const struct {
        unsigned kind, call;
        uint64_t key, size;
    } wanted[] = {{HS_EVENT_MALLOC, 0, 0, 10},
                  {HS_EVENT_FAILED, HS_EVENT_MALLOC, 0, 100},
                  {HS_EVENT_FAILED, HS_EVENT_CALLOC, 0, 20},
                  {HS_EVENT_FAILED, HS_EVENT_ALIGNED, 0, 30},
                  {HS_EVENT_FAILED, HS_EVENT_REALLOC, 0, 40},
                  {HS_EVENT_MALLOC, 0, 1, 50},
                  {HS_EVENT_FAILED, HS_EVENT_MALLOC, 0, 60},
                  {HS_EVENT_FREE, 0, 0, 0},
                  {HS_EVENT_FREE, 0, 1, 0}};
    CHECK_EQUAL(sizeof wanted / sizeof wanted[0], imported.events.count);
    for (size_t i = 0; i < imported.events.count; i++) {
        event_is(&imported, i, wanted[i].kind, wanted[i].key, wanted[i].size, 0);
        CHECK_EQUAL(wanted[i].call, event_at(&imported, i)->new_key);
    }
    CHECK_EQUAL(8, event_at(&imported, 1)->caps);
    CHECK_EQUAL(6, event_at(&imported, 3)->align_log2);
    imported_clear(&imported);
}

static void sites_and_times_come_wherever_they_begin(void)
{
    const char text[] = "a 1 10\n[500] a 2 20 DMA @main;net rx;alloc\na 3 30 @main;net rx;alloc\n"
                        "[ 0x300 ] ! up\n[700] f 1\nf 2 @main;gone\nt net\n[900]\nf 3\n";
    for (size_t piece = 0; piece < 8; piece++) {
        imported_t imported = import_text(text, sizeof text - 1, piece);
        CHECK_EQUAL(0, imported.stats.bad_lines);
        CHECK_EQUAL(HS_TRACE_SITES | HS_TRACE_CLOCK, imported.features);
        static const uint64_t times[] = {0, 500, 500, 768, 768, 768, 900};
        static const uint32_t sites[] = {0, 1, 1, 0, 0, 0, 0};
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            CHECK_EQUAL(times[i], event_at(&imported, i)->time);
            CHECK_EQUAL(sites[i], event_at(&imported, i)->site);
        }
        CHECK_EQUAL(1, imported.stats.earlier);
        name_is(&imported, HS_NAMES_SITE, 1, "main;net rx;alloc");
        CHECK_EQUAL(1, event_at(&imported, 6)->task);
        imported_clear(&imported);
    }
}

static void a_long_stack_is_whole(void)
{
    char text[6000] = "a 1 10 @";
    size_t at = strlen(text);
    const size_t start = at;
    for (int i = 0; i < 400; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%sframe_%d", i == 0 ? "" : ";", i);
    }
    imported_t imported = import_text(text, at, 0);
    CHECK_EQUAL(0, imported.stats.bad_lines);
    size_t length;
    const uint8_t *name = hs_decoder_name(imported.decoder, HS_NAMES_SITE, 1, &length);
    CHECK(name != NULL);
    CHECK_EQUAL(at - start, length);
    CHECK(memcmp(text + start, name, length) == 0);
    imported_clear(&imported);
}

static void addresses_are_kept_where_the_text_says_so(void)
{
    const char text[] = "# of a chip\n% addresses\na 0x3ffb0001 100\nr 0x3ffb0001 200 0x3ffc0000\n"
                        "r 0x3ffc0000 300\na 0 50\nr 0x3ffc0000 400 0\nf 0x3ffc0000\nf 0\n";
    imported_t imported = import_text(text, sizeof text - 1, 0);
    CHECK_EQUAL(0, imported.stats.bad_lines);
    CHECK_EQUAL(HS_TRACE_ADDRESSES, imported.features);
    CHECK_EQUAL(6, imported.events.count);
    event_is(&imported, 0, HS_EVENT_MALLOC, 0x3ffb0001, 100, 0);
    event_is(&imported, 1, HS_EVENT_REALLOC, 0x3ffb0001, 200, 0);
    CHECK_EQUAL(0x3ffc0000, event_at(&imported, 1)->new_key);
    event_is(&imported, 2, HS_EVENT_REALLOC, 0x3ffc0000, 300, 0);
    CHECK_EQUAL(0x3ffc0000, event_at(&imported, 2)->new_key);
    event_is(&imported, 3, HS_EVENT_FAILED, 0, 50, 0);
    event_is(&imported, 4, HS_EVENT_FAILED, 0x3ffc0000, 400, 0);
    event_is(&imported, 5, HS_EVENT_FREE, 0x3ffc0000, 0, 0);
    CHECK_EQUAL(2, imported.stats.failed);
    imported_clear(&imported);
}

static void cores_belong_to_the_task(void)
{
    imported_t imported = imported_text("t net\no 1\na 1 8\no 0 interrupt\nf 1\n");
    CHECK_EQUAL(0, imported.stats.bad_lines);
    CHECK_EQUAL(2, imported.stats.events);
    CHECK_EQUAL(4, imported.events.count);
    event_is(&imported, 0, HS_EVENT_TASK_ON, 1, 0, event_at(&imported, 0)->task);
    CHECK_EQUAL(1, event_at(&imported, 0)->new_key);
    CHECK_EQUAL(0, event_at(&imported, 2)->new_key);
    CHECK_EQUAL(1, event_at(&imported, 2)->size);
    imported_clear(&imported);
}

static void facts_become_metadata(void)
{
    imported_t imported = imported_text(
        "% clock_hz 1000000\n% sdk esp-idf v5.5\n% colour red\na 1 2\n% chip esp32\n");
    CHECK_EQUAL(2, imported.left_count);
    CHECK_EQUAL(3, imported.left[0].line);
    CHECK_EQUAL(HS_IMPORT_FACT, imported.left[0].reason);
    CHECK_EQUAL(5, imported.left[1].line);
    CHECK_EQUAL(HS_IMPORT_LATE_FACT, imported.left[1].reason);
    const char wanted[] = "esp-idf v5.5";
    bool hit = false;
    for (size_t i = 0; i + sizeof wanted < imported.bytes.count; i++) {
        hit = hit || memcmp(imported.bytes.at + i, wanted, sizeof wanted - 1) == 0;
    }
    CHECK(hit);
    imported_clear(&imported);
}

static void each_line_left_out_has_its_reason(void)
{
    static const struct {
        const char *line;
        hs_import_reason_t reason;
    } wanted[] = {{"x 1 2", HS_IMPORT_NO_LINE},
                  {"hello world", HS_IMPORT_NO_LINE},
                  {"a", HS_IMPORT_FIELD_MISSING},
                  {"a 1", HS_IMPORT_FIELD_MISSING},
                  {"r NULL 5", HS_IMPORT_FIELD_MISSING},
                  {"a 1 -2", HS_IMPORT_NO_NUMBER},
                  {"f x", HS_IMPORT_NO_NUMBER},
                  {"o net", HS_IMPORT_NO_NUMBER},
                  {"% word_size four", HS_IMPORT_NO_NUMBER},
                  {"% clock_hz 0x10", HS_IMPORT_NO_NUMBER},
                  {"a 1 9223372036854775809", HS_IMPORT_LARGE_NUMBER},
                  {"a 1 0x8000000000000001", HS_IMPORT_LARGE_NUMBER},
                  {"o 256", HS_IMPORT_LARGE_NUMBER},
                  {"m 1 3 8", HS_IMPORT_ALIGNMENT},
                  {"m 1 0x0 8", HS_IMPORT_ALIGNMENT},
                  {"a 1 2 DMS", HS_IMPORT_CAPABILITY},
                  {"a 1 2 DMA|", HS_IMPORT_CAPABILITY},
                  {"a 1 2 caps=0x100000000", HS_IMPORT_CAPABILITY},
                  {"a 1 2 3", HS_IMPORT_FIELDS},
                  {"a 1 2 0x1804", HS_IMPORT_FIELDS},
                  {"f 1 2", HS_IMPORT_FIELDS},
                  {"f 1 DMA", HS_IMPORT_FIELDS},
                  {"r 1 2 3 4", HS_IMPORT_FIELDS},
                  {"o 1 thread", HS_IMPORT_FIELDS},
                  {"o 1 interrupt 2", HS_IMPORT_FIELDS},
                  {"t", HS_IMPORT_NAME_MISSING},
                  {"a 1 2 @ ", HS_IMPORT_NAME_MISSING},
                  {"[12", HS_IMPORT_TIME},
                  {"[1.5] f 1", HS_IMPORT_TIME},
                  {"[ ] f 1", HS_IMPORT_TIME},
                  {"% colour red", HS_IMPORT_FACT},
                  {"% addresses yes", HS_IMPORT_FACT}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char text[128];
        const int length = snprintf(text, sizeof text, "# first\n%s\na 1 5\n", wanted[i].line);
        imported_t imported = import_text(text, (size_t)length, 0);
        CHECK_EQUAL(1, imported.stats.bad_lines);
        CHECK_EQUAL(1, imported.left_count);
        CHECK_EQUAL(2, imported.left[0].line);
        CHECK_EQUAL(wanted[i].reason, imported.left[0].reason);
        CHECK_EQUAL(strlen(wanted[i].line), imported.left[0].length);
        CHECK(memcmp(wanted[i].line, imported.left[0].text, imported.left[0].length) == 0);
        imported_clear(&imported);
    }
}

static void the_kept_lines_are_bounded_and_all_are_counted(void)
{
    enum { BAD = 1000 };
    hs_import_t *import = hs_import_new(HS_IMPORT_TEXT, 0);
    CHECK(import != NULL);
    for (int i = 0; i < BAD; i++) {
        const char *line = i % 4 == 0 ? "a 1 x\n" : "what\n";
        CHECK_EQUAL(HS_OK, hs_import_push(import, (const uint8_t *)line, strlen(line)));
    }
    CHECK_EQUAL(BAD / 4, hs_import_reason_count(import, HS_IMPORT_NO_NUMBER));
    CHECK_EQUAL(BAD / 4 * 3, hs_import_reason_count(import, HS_IMPORT_NO_LINE));
    hs_import_line_t lines[BAD];
    CHECK_EQUAL(HS_IMPORT_BAD_KEPT, hs_import_left_out(import, lines, BAD));
    CHECK_EQUAL(HS_IMPORT_BAD_KEPT, lines[HS_IMPORT_BAD_KEPT - 1].line);
    hs_import_keep(import, UINT64_MAX);
    CHECK_EQUAL(HS_OK, hs_import_push(import, (const uint8_t *)"what\n", 5));
    CHECK_EQUAL(1, hs_import_left_out(import, lines, BAD));
    CHECK_EQUAL(BAD + 1, lines[0].line);
    hs_import_delete(import);
}

static void every_reason_has_words(void)
{
    for (uint32_t reason = 0; reason < HS_IMPORT_REASONS; reason++) {
        CHECK(hs_import_reason_name(reason) != NULL);
    }
    CHECK(hs_import_reason_name(HS_IMPORT_REASONS) == NULL);
}

int main(void)
{
    hexadecimal_numbers_are_the_same_numbers();
    a_block_that_moves_keeps_its_key();
    capabilities_belong_to_their_request();
    failed_requests_are_reported();
    sites_and_times_come_wherever_they_begin();
    a_long_stack_is_whole();
    addresses_are_kept_where_the_text_says_so();
    cores_belong_to_the_task();
    facts_become_metadata();
    each_line_left_out_has_its_reason();
    the_kept_lines_are_bounded_and_all_are_counted();
    every_reason_has_words();
    return 0;
}
