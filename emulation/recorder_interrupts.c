/*
 * A hook of the recorder that is interrupted by interrupts.py between any two of its instructions, by a
 * handler that asks the heap and records it. Afterwards the ring has the records of both, each whole and
 * once, and numbers without a hole; with a full ring it has all that fitted, and the others are counted.
 */
#include "heapscope/recorder.h"
#include "recorder/ring.h"

#define RECORDS 16u
#define OPERATIONS 6u

enum { ALLOCATE, FREE, REALLOCATE, MARK, ALLOCATE_WHEN_FULL, FREE_WITH_FILTER };
enum { WHOLE = 0, TORN, WRONG_NUMBER, WRONG_COUNT };

void interrupts_enable(void);
void interrupts_prepare(void);
uint32_t interrupts_operate(uint32_t which);
uint32_t interrupts_handle(void);
uint32_t interrupts_verify(uint32_t which);

static _Alignas(8) uint8_t memory[4096];
static hs_recorder_t *recorder;
static uint32_t handled; /* requests of the handler */

static size_t take_nothing(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    return 0;
}

void interrupts_enable(void)
{
#if defined(__riscv)
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrsi mstatus, 8\n.option pop");
#else
    __asm__ volatile("cpsie i");
#endif
}

void interrupts_prepare(void)
{
    static const hs_recorder_config_t config = {
        .write = take_nothing, .boot = 1, .clock_hz = 1, .address_shift = 2};
    recorder = hs_recorder_open(memory, hs_recorder_overhead() + RECORDS * HS_RECORDER_RECORD_BYTES,
                                &config);
}

/* A request whose words all follow from a number: a record with words of two requests is found. */
static void ask(uint32_t number)
{
    hs_recorder_allocated(recorder, HS_EVENT_MALLOC, (void *)(uintptr_t)(0x1000u + 16u * number),
                          100u + number, 0x800u + number, (hs_callers_t){{0x4000u + 2u * number}});
}

static bool is_requested(const uintptr_t *record, uint32_t number)
{
    return record[HS_RAW_ADDRESS] == 0x1000u + 16u * number &&
           record[HS_RAW_SIZE] == 100u + number && record[HS_RAW_CAPS] == 0x800u + number &&
           record[HS_RAW_OTHER] == 0 && record[HS_RAW_CALLER] == 0x4000u + 2u * number;
}

uint32_t interrupts_operate(uint32_t which)
{
    switch (which) {
    case ALLOCATE:
        ask(0);
        break;
    case FREE:
        hs_recorder_freed(recorder, (void *)(uintptr_t)0x5000u);
        break;
    case REALLOCATE:
        hs_recorder_reallocated(recorder, (void *)(uintptr_t)0x5000u, (void *)(uintptr_t)0x6000u,
                                77, 5, (hs_callers_t){{0x4444u}});
        break;
    case MARK:
        hs_recorder_mark(recorder, "mark");
        break;
    case ALLOCATE_WHEN_FULL:
        for (uint32_t i = 10; i < 10u + RECORDS; i++) {
            ask(i);
        }
        break;
    default: { /* a filter that lets the handler's requests through, and not the program's */
        const hs_recorder_filter_t filter = {.size_min = 200};
        hs_recorder_filter_set(recorder, &filter);
        ask(0);
        break;
    }
    }
    return 1;
}

/* Two requests, of numbers that the operation has none of. */
uint32_t interrupts_handle(void)
{
    ask(100);
    ask(101);
    handled += 2;
    return 1;
}

/* Whether a record is one of the operation's. */
static bool is_operation(uint32_t which, const uintptr_t *record)
{
    const unsigned kind = record[HS_RAW_HEAD] & HS_RAW_KIND;
    switch (which) {
    case FREE:
        return kind == HS_EVENT_FREE && record[HS_RAW_ADDRESS] == 0x5000u;
    case REALLOCATE:
        return kind == HS_EVENT_REALLOC && record[HS_RAW_ADDRESS] == 0x6000u &&
               record[HS_RAW_OTHER] == 0x5000u && record[HS_RAW_SIZE] == 77u &&
               record[HS_RAW_CAPS] == 5u && record[HS_RAW_CALLER] == 0x4444u;
    case MARK:
        return kind == HS_EVENT_MARK &&
               record[HS_RAW_OTHER] == hs_raw_check(record[HS_RAW_ADDRESS]);
    default:
        for (uint32_t i = 0; i < 10u + RECORDS; i++) {
            if (kind == HS_EVENT_MALLOC && is_requested(record, i)) {
                return true;
            }
        }
        return false;
    }
}

uint32_t interrupts_verify(uint32_t which)
{
    const uintptr_t *const ring =
        (const uintptr_t *)(const void *)(memory + hs_recorder_overhead());
    hs_recorder_figures_t figures;
    hs_recorder_figures(recorder, &figures);
    uint32_t levels = 0;
    uint32_t operations = 0;
    uint32_t handlers = 0;
    uint32_t number = 0;
    for (; number < RECORDS; number++) {
        const uintptr_t *record = ring + (size_t)number * HS_RECORDER_RECORD_WORDS;
        const unsigned kind = record[HS_RAW_HEAD] & HS_RAW_KIND;
        if (kind == 0) {
            break; /* no hook has been here */
        }
        if (record[HS_RAW_HEAD] >> HS_RAW_NUMBER_SHIFT != number) {
            return WRONG_NUMBER;
        }
        if (kind == HS_EVENT_LEVEL) {
            levels++;
        } else if (is_requested(record, 100 + handlers)) {
            handlers++;
        } else if (is_operation(which, record)) {
            operations++;
        } else {
            return TORN;
        }
    }
    const uint32_t filters = which == FREE_WITH_FILTER;
    const uint32_t requested = which == ALLOCATE_WHEN_FULL ? RECORDS : 1u;
    const uint32_t all = 1u + filters + requested + handled;
    const uint32_t missing = figures.lost + figures.left_out;
    return number == levels + operations + handlers && levels == 1u + filters &&
                   all == number + missing && (which == ALLOCATE_WHEN_FULL || figures.lost == 0) &&
                   figures.left_out <= 3u * filters
               ? WHOLE
               : WRONG_COUNT;
}

int main(void)
{
    return 0; /* run from outside */
}
