/*
 * esp_heap_trace.h: a record of each block that is allocated while tracing, in the caller's buffer,
 * oldest first; the oldest goes when there is no room. A free looks for the newest record of its
 * address.
 */
#include "esp_heap_trace.h"

#include "heaps.h"

#ifdef ESP_PLATFORM
#include <esp_memory_utils.h>
#define CPU() ((uint32_t)xPortGetCoreID())
#if ESP_RELEASE >= 500
#include "esp_cpu.h"
#define CYCLES() ((uint32_t)esp_cpu_get_cycle_count())
#elif ESP_RELEASE >= 403
#include "hal/cpu_hal.h"
#define CYCLES() ((uint32_t)cpu_hal_get_cycle_count())
#else /* Xtensa's, as all chips of 4.2 are */
#include "xtensa/hal.h"
#define CYCLES() ((uint32_t)xthal_get_ccount())
#endif
#else
#include <esp_memory_utils.h>
#define CPU() 0u
#endif

#define DEPTH CONFIG_HEAP_TRACING_STACK_DEPTH

typedef enum esp_tracing { STOPPED, PAUSED, RUNNING } esp_tracing_t;

typedef struct esp_list {
    heap_trace_record_t *first;
    heap_trace_record_t **end; /* where the next one is put */
} esp_list_t;

/* Under the lock of the heaps. */
static struct {
    heap_trace_record_t *buffer;
    size_t capacity;
    esp_list_t used;   /* `count` of them, in the order of time */
    esp_list_t unused; /* the last that was given up comes first */
    esp_tracing_t tracing;
    heap_trace_summary_t summary;
} state;

#ifndef ESP_PLATFORM
static uint32_t cycles; /* counts records, so that their order shows */
#define CYCLES() (cycles += 4)
#endif

/* ---- lists, as sys/queue.h keeps them --------------------------------------------------------- */

static void clear(esp_list_t *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void append(esp_list_t *list, heap_trace_record_t *record)
{
    record->tailq_list.tqe_next = NULL;
    record->tailq_list.tqe_prev = list->end;
    *list->end = record;
    list->end = &record->tailq_list.tqe_next;
}

static void detach(esp_list_t *list, heap_trace_record_t *record)
{
    heap_trace_record_t *const next = record->tailq_list.tqe_next;
    *record->tailq_list.tqe_prev = next;
    if (next != NULL) {
        next->tailq_list.tqe_prev = record->tailq_list.tqe_prev;
    } else {
        list->end = record->tailq_list.tqe_prev;
    }
}

static void put_first(esp_list_t *list, heap_trace_record_t *record)
{
    heap_trace_record_t *const next = list->first;
    record->tailq_list.tqe_next = next;
    record->tailq_list.tqe_prev = &list->first;
    if (next != NULL) {
        next->tailq_list.tqe_prev = &record->tailq_list.tqe_next;
    } else {
        list->end = &record->tailq_list.tqe_next;
    }
    list->first = record;
}

/* ---- records ---------------------------------------------------------------------------------- */

static void give_up(heap_trace_record_t *record)
{
    detach(&state.used, record);
    record->address = NULL;
    record->size = 0;
    put_first(&state.unused, record);
    state.summary.count--;
}

#if DEPTH > 0
static void write_caller(void **callers, void *caller)
{
    for (size_t i = 0; i < DEPTH; i++) {
        callers[i] = i == 0 ? caller : NULL;
    }
}
#endif

static void record_taken(void *block, size_t size, void *caller)
{
    state.summary.total_allocations++;
    if (state.unused.first == NULL) {
        state.summary.has_overflowed = true;
        give_up(state.used.first);
    }
    heap_trace_record_t *const record = state.unused.first;
    detach(&state.unused, record);
    record->ccount = (CYCLES() & ~(uint32_t)3) | CPU();
    record->address = block;
    record->size = size;
    record->freed = false;
#if DEPTH > 0
    write_caller(record->alloced_by, caller);
    write_caller(record->freed_by, NULL);
#else
    (void)caller;
#endif
    append(&state.used, record);
    if (++state.summary.count > state.summary.high_water_mark) {
        state.summary.high_water_mark = state.summary.count;
    }
}

/* The newest of the records of an address whose block is not freed yet. */
static heap_trace_record_t *find(const void *block)
{
    heap_trace_record_t *match = NULL;
    for (heap_trace_record_t *at = state.used.first; at != NULL; at = at->tailq_list.tqe_next) {
        match = at->address == block && !at->freed ? at : match;
    }
    return match;
}

static void record_freed(const void *block, void *caller)
{
    heap_trace_record_t *const record = find(block);
    state.summary.total_frees++;
    if (record == NULL) {
        return;
    }
    if (state.summary.mode == HEAP_TRACE_LEAKS) {
        give_up(record);
        return;
    }
    record->freed = true;
#if DEPTH > 0
    write_caller(record->freed_by, caller);
#else
    (void)caller;
#endif
}

static void tracer(void *block, size_t size, void *caller)
{
    heapscope_esp_heaps_lock(NULL);
    if (size == 0 && state.tracing != STOPPED) {
        record_freed(block, caller);
    } else if (size != 0 && state.tracing == RUNNING) {
        record_taken(block, size, caller);
    }
    heapscope_esp_heaps_unlock(NULL);
}

/* ---- control ---------------------------------------------------------------------------------- */

esp_err_t heap_trace_init_standalone(heap_trace_record_t *record_buffer, size_t num_records)
{
    if ((record_buffer == NULL) != (num_records == 0)) {
        return ESP_ERR_INVALID_ARG;
    }
    heapscope_esp_heaps_lock(NULL);
    const bool busy = state.tracing != STOPPED;
    if (!busy) {
        state.buffer = record_buffer;
        state.capacity = num_records;
        state.summary = (heap_trace_summary_t){.capacity = num_records};
        clear(&state.used);
        clear(&state.unused);
        for (size_t i = 0; i < num_records; i++) {
            record_buffer[i] = (heap_trace_record_t){0};
            append(&state.unused, &record_buffer[i]);
        }
    }
    heapscope_esp_heaps_unlock(NULL);
    return busy ? ESP_ERR_INVALID_STATE : ESP_OK;
}

esp_err_t heap_trace_init_tohost(void)
{
    return ESP_ERR_NOT_SUPPORTED;
}

esp_err_t heap_trace_start(heap_trace_mode_t mode)
{
    if (state.buffer == NULL) {
        return ESP_ERR_INVALID_STATE;
    }
    heapscope_esp_heaps_lock(NULL);
    state.tracing = STOPPED;
    (void)heap_trace_init_standalone(state.buffer, state.capacity);
    state.summary.mode = mode;
    state.tracing = RUNNING;
    heapscope_esp_tracer = tracer;
    heapscope_esp_heaps_unlock(NULL);
    return ESP_OK;
}

/* From one state to another; ESP_ERR_INVALID_STATE: it is not in that one. */
static esp_err_t move(bool allowed, esp_tracing_t tracing)
{
    if (!allowed) {
        return ESP_ERR_INVALID_STATE;
    }
    state.tracing = tracing;
    heapscope_esp_tracer = tracing != STOPPED ? tracer : NULL;
    return ESP_OK;
}

esp_err_t heap_trace_stop(void)
{
    return move(state.tracing != STOPPED, STOPPED);
}

esp_err_t heap_trace_alloc_pause(void)
{
    return move(state.tracing == RUNNING, PAUSED);
}

esp_err_t heap_trace_resume(void)
{
    return move(state.tracing != RUNNING && state.buffer != NULL, RUNNING);
}

/* ---- questions -------------------------------------------------------------------------------- */

size_t heap_trace_get_count(void)
{
    return state.summary.count;
}

esp_err_t heap_trace_get(size_t index, heap_trace_record_t *record)
{
    if (record == NULL) {
        return ESP_ERR_INVALID_STATE;
    }
    heapscope_esp_heaps_lock(NULL);
    const heap_trace_record_t *at = state.used.first;
    for (size_t i = 0; at != NULL && i < index; i++) {
        at = at->tailq_list.tqe_next;
    }
    if (at != NULL) {
        *record = *at;
    }
    heapscope_esp_heaps_unlock(NULL);
    return at != NULL ? ESP_OK : ESP_ERR_INVALID_ARG;
}

esp_err_t heap_trace_summary(heap_trace_summary_t *summary)
{
    if (summary == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    heapscope_esp_heaps_lock(NULL);
    *summary = state.summary;
    heapscope_esp_heaps_unlock(NULL);
    return ESP_OK;
}

/* ---- text: the lines are those that tools read from ESP-IDF's logs ---------------------------- */

#if DEPTH > 0
static void print_callers(void *const *callers)
{
    for (size_t i = 0; i < DEPTH && callers[i] != NULL; i++) {
        HEAPSCOPE_ESP_PRINT("%s%p", i != 0 ? ":" : "", callers[i]);
    }
}
#endif

static void print_record(const heap_trace_record_t *record)
{
    const char *label = esp_ptr_internal(record->address) ? ", Internal" : "";
    if (esp_ptr_external_ram(record->address)) {
        label = ",    PSRAM";
    }
    HEAPSCOPE_ESP_PRINT("%6u bytes (@ %p%s) allocated CPU %u ccount 0x%08x caller ",
                        (unsigned)record->size, record->address, label,
                        (unsigned)(record->ccount & 1), (unsigned)(record->ccount & ~(uint32_t)3));
#if DEPTH > 0
    print_callers(record->alloced_by);
    if (record->freed) {
        HEAPSCOPE_ESP_PRINT("\nfreed by ");
        print_callers(record->freed_by);
    }
#endif
    HEAPSCOPE_ESP_PRINT("\n");
}

static bool is_wanted(const heap_trace_record_t *record, uint32_t caps)
{
    const uint32_t both = MALLOC_CAP_INTERNAL | MALLOC_CAP_SPIRAM;
    return (caps & both) == both ||
           ((caps & MALLOC_CAP_INTERNAL) != 0 && esp_ptr_internal(record->address)) ||
           ((caps & MALLOC_CAP_SPIRAM) != 0 && esp_ptr_external_ram(record->address));
}

void heap_trace_dump_caps(const uint32_t caps)
{
    size_t alive = 0;
    size_t bytes = 0;
    heapscope_esp_heaps_lock(NULL);
    const heap_trace_summary_t summary = state.summary;
    HEAPSCOPE_ESP_PRINT("====== Heap Trace: %u records (%u capacity) ======\n",
                        (unsigned)summary.count, (unsigned)summary.capacity);
    for (const heap_trace_record_t *at = state.used.first; at != NULL;
         at = at->tailq_list.tqe_next) {
        if (is_wanted(at, caps)) {
            print_record(at);
            alive += at->freed ? 0 : 1;
            bytes += at->freed ? 0 : at->size;
        }
    }
    heapscope_esp_heaps_unlock(NULL);
    HEAPSCOPE_ESP_PRINT("====== Heap Trace Summary ======\n");
    if (summary.mode == HEAP_TRACE_ALL) {
        HEAPSCOPE_ESP_PRINT("Mode: Heap Trace All\n%u bytes alive in trace (%u/%u allocations)\n",
                            (unsigned)bytes, (unsigned)alive, (unsigned)summary.count);
    } else {
        HEAPSCOPE_ESP_PRINT("Mode: Heap Trace Leaks\n%u bytes 'leaked' in trace (%u allocations)\n",
                            (unsigned)bytes, (unsigned)alive);
    }
    HEAPSCOPE_ESP_PRINT("records: %u (%u capacity, %u high water mark)\n"
                        "total allocations: %u\ntotal frees: %u\n",
                        (unsigned)summary.count, (unsigned)summary.capacity,
                        (unsigned)summary.high_water_mark, (unsigned)summary.total_allocations,
                        (unsigned)summary.total_frees);
    if (summary.has_overflowed) {
        HEAPSCOPE_ESP_PRINT("(NB: The buffer was full: the oldest records are gone.)\n");
    }
    HEAPSCOPE_ESP_PRINT("================================\n");
}

void heap_trace_dump(void)
{
    heap_trace_dump_caps(MALLOC_CAP_INTERNAL | MALLOC_CAP_SPIRAM);
}
