/* esp_heap_trace.h: records of allocations, who made them, and what is printed of them. */
#include <string.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "esp_heap_caps.h"
#include "esp_heap_trace.h"

enum { RECORDS = 8 };
static heap_trace_record_t records[RECORDS];
static char text[16384]; /* the buffer of stdout */

static heap_trace_record_t get(size_t index)
{
    heap_trace_record_t record;
    CHECK(heap_trace_get(index, &record) == ESP_OK, "no record %zu", index);
    return record;
}

static heap_trace_summary_t summary(void)
{
    heap_trace_summary_t all;
    CHECK(heap_trace_summary(&all) == ESP_OK, "no summary");
    CHECK(all.count == heap_trace_get_count(), "%zu records", all.count);
    return all;
}

static void *take(size_t size)
{
    void *const block = heap_caps_malloc(size, MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT);
    CHECK(block != NULL, "%zu bytes", size);
    return block;
}

static void check_states(void)
{
    heap_trace_record_t record;
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_ERR_INVALID_STATE, "started without a buffer");
    CHECK(heap_trace_resume() == ESP_ERR_INVALID_STATE, "resumed without a buffer");
    CHECK(heap_trace_init_standalone(NULL, RECORDS) == ESP_ERR_INVALID_ARG, "no buffer");
    CHECK(heap_trace_init_standalone(records, 0) == ESP_ERR_INVALID_ARG, "no records");
    CHECK(heap_trace_init_tohost() == ESP_ERR_NOT_SUPPORTED, "to a host");
    CHECK(heap_trace_init_standalone(records, RECORDS) == ESP_OK, "a buffer");
    CHECK(heap_trace_stop() == ESP_ERR_INVALID_STATE, "stopped without a start");
    CHECK(heap_trace_alloc_pause() == ESP_ERR_INVALID_STATE, "paused without a start");
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_OK, "not started");
    CHECK(heap_trace_init_standalone(NULL, 0) == ESP_ERR_INVALID_STATE, "taken away");
    CHECK(heap_trace_resume() == ESP_ERR_INVALID_STATE, "resumed while it runs");
    CHECK(heap_trace_alloc_pause() == ESP_OK, "not paused");
    CHECK(heap_trace_alloc_pause() == ESP_ERR_INVALID_STATE, "paused twice");
    CHECK(heap_trace_resume() == ESP_OK, "not resumed");
    CHECK(heap_trace_get(0, &record) == ESP_ERR_INVALID_ARG, "a record of nothing");
    CHECK(heap_trace_get(0, NULL) == ESP_ERR_INVALID_STATE, "a record to nowhere");
    CHECK(heap_trace_summary(NULL) == ESP_ERR_INVALID_ARG, "a summary to nowhere");
    CHECK(heap_trace_stop() == ESP_OK, "not stopped");
    CHECK(heap_trace_stop() == ESP_ERR_INVALID_STATE, "stopped twice");
}

/* A freed block leaves the list; the others keep their places in the buffer. */
static void check_leaks(void)
{
    CHECK(heap_trace_start(HEAP_TRACE_LEAKS) == ESP_OK, "not started");
    void *const a = take(64);
    void *const b = take(96);
    CHECK(heap_trace_get_count() == 2, "%zu records", heap_trace_get_count());
    CHECK(get(0).address == a && get(1).address == b && get(0).size == 64 && get(1).size == 96,
          "other blocks");
    CHECK(records[0].address == a && records[1].address == b, "not in the buffer's order");
    CHECK(get(1).ccount != get(0).ccount, "of one moment");
    heap_caps_free(a);
    CHECK(heap_trace_get_count() == 1 && get(0).address == b, "the freed block is listed");
    CHECK(records[0].address == NULL, "the freed block is in the buffer");
    void *const c = take(32);
    CHECK(get(0).address == b && get(1).address == c && records[0].address == c, "not reused");
    heap_caps_free(b);
    heap_caps_free(c);
    CHECK(heap_trace_get_count() == 0, "%zu records", heap_trace_get_count());
    CHECK(heap_trace_stop() == ESP_OK, "not stopped");
    heap_caps_free(take(10));
    CHECK(summary().total_allocations == 3 && summary().total_frees == 3, "%zu and %zu",
          summary().total_allocations, summary().total_frees);
}

static void check_overflow(void)
{
    void *blocks[RECORDS + 1];
    CHECK(heap_trace_start(HEAP_TRACE_LEAKS) == ESP_OK, "not started");
    for (size_t i = 0; i <= RECORDS; i++) {
        CHECK(!summary().has_overflowed, "after %zu", i);
        blocks[i] = take(8 + i);
    }
    CHECK(summary().has_overflowed && summary().count == RECORDS &&
              summary().high_water_mark == RECORDS,
          "%zu records", summary().count);
    for (size_t i = 0; i < RECORDS; i++) {
        CHECK(get(i).address == blocks[i + 1], "not the newest records");
    }
    void *const other = take(6);
    for (size_t i = 0; i <= RECORDS; i++) {
        heap_caps_free(blocks[i]);
    }
    CHECK(heap_trace_get_count() == 1 && get(0).address == other, "not what is left");
    heap_caps_free(other);
    heap_trace_stop();
}

static void check_all(void)
{
    CHECK(heap_trace_init_standalone(records, 2) == ESP_OK, "two records");
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_OK, "not started");
    void *blocks[3];
    for (size_t i = 0; i < 3; i++) {
        blocks[i] = take(100);
    }
    heap_trace_summary_t all = summary();
    CHECK(all.mode == HEAP_TRACE_ALL && all.count == 2 && all.capacity == 2 &&
              all.total_allocations == 3 && all.total_frees == 0 && all.has_overflowed,
          "%zu records", all.count);
    for (size_t i = 0; i < 3; i++) {
        heap_caps_free(blocks[i]);
    }
    all = summary();
    CHECK(all.total_frees == 3 && all.count == 2, "%zu frees, %zu records", all.total_frees,
          all.count);
    for (size_t i = 0; i < 2; i++) {
        const heap_trace_record_t record = get(i);
        CHECK(record.freed && record.address == blocks[i + 1], "record %zu", i);
#if CONFIG_HEAP_TRACING_STACK_DEPTH > 0
        CHECK(record.alloced_by[0] != NULL && record.freed_by[0] != NULL &&
                  record.alloced_by[0] != record.freed_by[0],
              "record %zu: nobody did it", i);
#endif
    }
    /* An address that comes again: the newer record is freed. */
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_OK && summary().count == 0, "not restarted");
    CHECK(!summary().has_overflowed && summary().total_allocations == 0, "not restarted");
    void *const first = take(40);
    heap_caps_free(first);
    void *const second = take(40);
    CHECK(first == second && get(0).freed && !get(1).freed, "the records are mixed up");
    heap_caps_free(second);
    CHECK(get(1).freed, "the newer record is not freed");
    heap_trace_stop();
}

/* While allocations are paused frees are still seen. */
static void check_pause(void)
{
    CHECK(heap_trace_init_standalone(records, RECORDS) == ESP_OK, "a buffer");
    CHECK(heap_trace_start(HEAP_TRACE_LEAKS) == ESP_OK, "not started");
    void *const a = take(100);
    void *const b = take(100);
    heap_trace_alloc_pause();
    void *const unseen = take(100);
    CHECK(heap_trace_get_count() == 2, "an allocation was seen");
    heap_caps_free(unseen);
    CHECK(heap_trace_get_count() == 2, "another record is gone");
    heap_caps_free(b);
    CHECK(heap_trace_get_count() == 1, "a free was not seen");
    CHECK(heap_trace_resume() == ESP_OK && heap_trace_get_count() == 1, "the records are gone");
    void *const c = take(100);
    CHECK(heap_trace_get_count() == 2, "not resumed");
    heap_trace_stop();
    CHECK(heap_trace_resume() == ESP_OK && heap_trace_get_count() == 2, "the records are gone");
    heap_caps_free(a);
    heap_caps_free(c);
    CHECK(heap_trace_get_count() == 0, "%zu records", heap_trace_get_count());
    heap_trace_stop();
}

/* A realloc is a free and an allocation; what fails is neither; each kind of call is seen. */
static void check_calls(void)
{
    const uint32_t caps = MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT;
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_OK, "not started");
    void *block = heap_caps_calloc(2, 30, caps);
    CHECK(get(0).address == block && get(0).size == 60, "no calloc");
    block = heap_caps_realloc(block, 50, caps);
    CHECK(get(0).freed && get(1).address == block && get(1).size == 50, "no realloc");
    CHECK(heap_caps_realloc(block, (size_t)1 << 28, caps) == NULL, "256 MB");
    CHECK(heap_caps_malloc((size_t)1 << 28, caps) == NULL, "256 MB");
    CHECK(heap_trace_get_count() == 2 && !get(1).freed, "a failure is recorded");
    CHECK(heap_caps_realloc(block, 0, caps) == NULL && get(1).freed, "no free");
    void *const others[] = {heap_caps_aligned_alloc(64, 20, caps),
                            heap_caps_aligned_calloc(64, 2, 20, caps),
                            heap_caps_malloc_prefer(10, 1, caps), heap_caps_malloc_default(10),
                            heap_caps_calloc_prefer(2, 5, 1, caps)};
    for (size_t i = 0; i < 5; i++) {
        CHECK(get(2 + i).address == others[i], "call %zu", i);
        heap_caps_free(others[i]);
        CHECK(get(2 + i).freed, "call %zu", i);
    }
    heap_caps_free(NULL);
    CHECK(summary().total_allocations == 7 && summary().total_frees == 7, "%zu and %zu",
          summary().total_allocations, summary().total_frees);
    heap_trace_stop();
}

static const char *dump(uint32_t caps)
{
    fflush(stdout);
    memset(text, 0, sizeof(text));
    heap_trace_dump_caps(caps);
    return text[0] != 0 ? text : text + 8; /* musl keeps the buffer's first 8 bytes */
}

static bool has(const char *where, const char *format, const void *address, const char *label)
{
    char line[80];
    snprintf(line, sizeof(line), format, address, label);
    return strstr(where, line) != NULL;
}

static void check_dump(void)
{
    static const uint32_t kinds[] = {MALLOC_CAP_INTERNAL, MALLOC_CAP_SPIRAM,
                                     MALLOC_CAP_INTERNAL | MALLOC_CAP_SPIRAM};
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_OK, "not started");
    void *const internal = take(100);
    void *const external = heap_caps_malloc(200, MALLOC_CAP_SPIRAM);
    for (size_t i = 0; i < 3; i++) {
        const char *const lines = dump(kinds[i]);
        CHECK(strstr(lines, "2 records (8 capacity)") != NULL, "%s", lines);
        CHECK(has(lines, "   100 bytes (@ %p%s)", internal, ", Internal") == (i != 1), "%s", lines);
        CHECK(has(lines, "   200 bytes (@ %p%s)", external, ",    PSRAM") == (i != 0), "%s", lines);
        const char *const sums[] = {"100 bytes alive in trace (1/2",
                                    "200 bytes alive in trace (1/2",
                                    "300 bytes alive in trace (2/2"};
        CHECK(strstr(lines, sums[i]) != NULL, "no %s in %s", sums[i], lines);
    }
    heap_caps_free(internal);
    heap_caps_free(external);
    CHECK(strstr(dump(kinds[2]), "0 bytes alive in trace (0/2 allocations)") != NULL, "%s", text);
#if CONFIG_HEAP_TRACING_STACK_DEPTH > 0
    CHECK(strstr(text[0] != 0 ? text : text + 8, "\nfreed by 0x") != NULL, "%s", text);
#endif
    heap_trace_stop();
    CHECK(heap_trace_start(HEAP_TRACE_LEAKS) == ESP_OK, "not started");
    void *const leaked = take(50);
    CHECK(strstr(dump(kinds[2]), "'leaked' in trace (1 allocations)") != NULL, "%s", text);
    heap_caps_free(leaked);
    heap_trace_stop();
    CHECK(strstr(dump(kinds[2]), "total allocations: 1\ntotal frees: 1\n") != NULL, "%s", text);
}

int main(void)
{
    setvbuf(stdout, text, _IOFBF, sizeof(text));
    check_states();
    check_leaks();
    check_overflow();
    check_all();
    check_pause();
    check_calls();
    check_dump();
    CHECK(heap_trace_init_standalone(NULL, 0) == ESP_OK && heap_trace_get_count() == 0, "given");
    CHECK(heap_trace_start(HEAP_TRACE_ALL) == ESP_ERR_INVALID_STATE, "started without a buffer");
    CHECK(esp_faults() == 0, "faults");
    return 0;
}
