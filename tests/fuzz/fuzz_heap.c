/*
 * Any bytes as a sequence of calls on our heap, each compared with the shadow model. The first four
 * bytes choose form, alignment, size and start of the region; then each call takes one byte for what
 * is done to which block and, where it needs a size, one or two more. Calls that misuse the heap are
 * among them: they must be refused and change nothing.
 */
#define CHECK_FAILED abort()

#include "../device/shadow_calls.h"
#include "fuzz.h"

#define CALLS_MAX 1500 /* of one input */

typedef struct input {
    const uint8_t *at;
    const uint8_t *end;
} input_t;

static shadow_t shadow; /* large: a stripe of pattern bytes */

static uint32_t next_byte(input_t *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

/* Below 128: that many bytes; else by the second byte, up to about half the region or anything. */
static size_t next_size(input_t *input)
{
    uint32_t first = next_byte(input);
    if (first < 128) {
        return first;
    }
    uint32_t second = next_byte(input);
    switch (first % 4) {
    case 0:
        return shadow.largest + 16 - second % 32;
    case 1:
        return second == 255 ? SIZE_MAX : (size_t)1 << second % (sizeof(size_t) * 8);
    default:
        return (first & 0x7Fu) + second * shadow.region.size / 512;
    }
}

/* An address where no used block begins. */
static void misuse(input_t *input)
{
    size_t at = next_byte(input) * (shadow.region.size + 32) / 256 + next_byte(input) % 16;
    uint8_t *wrong = shadow.region.memory + at - 16;
    size_t index = shadow_place(&shadow, wrong);
    if (index < shadow.count && shadow.blocks[index].at == wrong) {
        return;
    }
    uint8_t *saved = region_save(&shadow.region);
    CHECK(hs_heap_free(shadow.heap, wrong) == HS_ERR_ARGUMENT, "free of %zu", at);
    CHECK(hs_heap_realloc(shadow.heap, wrong, 1 + at) == NULL, "realloc of %zu", at);
    CHECK(hs_heap_usable_size(shadow.heap, wrong) == 0, "size of %zu", at);
    CHECK(hs_heap_check_block(shadow.heap, wrong) == HS_ERR_ARGUMENT, "check of %zu", at);
    CHECK(region_same(&shadow.region, saved), "misuse of %zu", at);
    free(saved);
}

static void call(input_t *input)
{
    uint32_t what = next_byte(input);
    size_t index = shadow.count == 0 ? 0 : what / 8 * shadow.count / 32;
    switch (what % 8) {
    case 0:
    case 1:
        shadow_malloc(&shadow, next_size(input));
        break;
    case 2:
        shadow_calloc(&shadow, 1 + what / 64, next_size(input));
        break;
    case 3: {
        size_t alignment = (size_t)1 << what / 16;
        size_t size = next_size(input);
        shadow_aligned(&shadow, alignment, size, what & 8 ? next_byte(input) : 0);
        break;
    }
    case 4:
    case 5:
        if (shadow.count > 0) {
            size_t size = next_size(input);
            (void)shadow_realloc(&shadow, index, size == 0 ? 1 : size);
        }
        break;
    case 6:
        if (what > 240) {
            misuse(input);
        } else if (what > 220) {
            shadow_reset_minimum(&shadow);
        }
        break;
    default:
        if (shadow.count > 0) {
            shadow_free(&shadow, index);
        }
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_t input = {data, data + size};
    uint32_t kind = next_byte(&input);
    hs_heap_config_t config = {(hs_form_t)(kind % 4), UINT32_C(4) << kind / 4 % 3};
    uint32_t skew = next_byte(&input) % 32;
    size_t region_size = next_byte(&input);
    region_size += 100 + next_byte(&input) % 16 * 256;
    uint8_t filling = (uint8_t)(kind >> 4);
    if (!shadow_open(&shadow, "input", region_open_at(region_size, 4096, skew, filling), &config,
                     kind)) {
        return 0;
    }
    shadow.leave_raw = kind / 64;
    for (int calls = 0; input.at < input.end && calls < CALLS_MAX; calls++) {
        call(&input);
    }
    while (shadow.count > 0) {
        shadow_free(&shadow, shadow.count - 1);
    }
    FUZZ_REQUIRE(shadow.free_blocks == 1 && shadow.slabs == 0);
    shadow_close(&shadow);
    return 0;
}
