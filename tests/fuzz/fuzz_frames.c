/*
 * Any bytes as the machine code of some functions: the reader of frames and calls ends, stays inside them, and
 * reads the same twice. The first byte is the instruction set, the second says how many functions there are and
 * whether the bytes are writable, the third their facts; what follows is the code, in equal shares.
 */
#include <string.h>

#include "fuzz.h"
#include "heapscope/status.h"
#include "held.h"
#include "lab/frames.h"

#define MOST_CODE 4096u
#define MOST_FUNCTIONS 8u
#define MOST_CALLS (MOST_CODE * 2)
#define START 0x40000000u

static size_t read_code(uint32_t machine, const hs_lab_code_part_t *part,
                        const hs_lab_function_t *functions, size_t count,
                        hs_lab_frame_row_t *frames, hs_lab_call_row_t *calls)
{
    int status = HS_OK;
    hs_lab_frames_t *const read = hs_lab_frames_new(machine, part, 1, functions, count, &status);
    FUZZ_REQUIRE(read != NULL || status == HS_ERR_ARGUMENT);
    if (read == NULL) {
        return SIZE_MAX;
    }
    FUZZ_REQUIRE(hs_lab_frames_frames(read, frames, MOST_FUNCTIONS) == count);
    const size_t call_count = hs_lab_frames_calls(read, calls, MOST_CALLS);
    FUZZ_REQUIRE(call_count <= MOST_CALLS);
    hs_lab_frames_delete(read);
    return call_count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hs_lab_frame_row_t frames[2][MOST_FUNCTIONS];
    static hs_lab_call_row_t calls[2][MOST_CALLS];
    hs_lab_function_t functions[MOST_FUNCTIONS];
    if (size < 4) {
        return 0;
    }
    const uint32_t machine = data[0] % 6u;
    const size_t bytes = size - 3 < MOST_CODE ? size - 3 : MOST_CODE;
    size_t count = 1 + data[1] % MOST_FUNCTIONS;
    count = count < bytes ? count : bytes;
    const uint32_t share = (uint32_t)(bytes / count);
    for (size_t i = 0; i < count; i++) {
        functions[i] = (hs_lab_function_t){.start = START + (uint32_t)i * share,
                                           .end = START + (uint32_t)(i + 1) * share,
                                           .flags = i == 1 ? data[2] % 128u : 0,
                                           .pushes = i == 2 ? data[2] : 0};
    }
    uint8_t *const code =
        malloc(bytes); /* of this length, so that a sanitizer sees a byte too many */
    FUZZ_REQUIRE(code != NULL);
    memcpy(code, data + 3, bytes);
    const hs_lab_code_part_t part = {
        .address = START, .size = (uint32_t)bytes, .writable = data[1] >> 7, .bytes = code};

    hs_held_reset();
    const size_t before = hs_held_now();
    const size_t call_count = read_code(machine, &part, functions, count, frames[0], calls[0]);
    FUZZ_REQUIRE(hs_held_now() == before);
    if (call_count != SIZE_MAX) {
        FUZZ_REQUIRE(read_code(machine, &part, functions, count, frames[1], calls[1]) ==
                     call_count);
        FUZZ_REQUIRE(memcmp(frames[0], frames[1], count * sizeof *frames[0]) == 0);
        FUZZ_REQUIRE(memcmp(calls[0], calls[1], call_count * sizeof *calls[0]) == 0);
        for (size_t i = 0; i < call_count; i++) {
            const hs_lab_call_row_t *const call = &calls[0][i];
            FUZZ_REQUIRE(call->function < count);
            FUZZ_REQUIRE(call->site >= functions[call->function].start);
            FUZZ_REQUIRE(call->site < functions[call->function].end);
            FUZZ_REQUIRE(call->depth <= frames[0][call->function].frame);
        }
        for (size_t i = 0; i < count; i++) {
            FUZZ_REQUIRE(frames[0][i].unreached <= share);
        }
    }
    hs_held_reset();
    hs_held_fail_at(1u + data[2] % 8u);
    int status = HS_OK;
    hs_lab_frames_delete(hs_lab_frames_new(machine, &part, 1, functions, count, &status));
    FUZZ_REQUIRE(hs_held_now() == before);
    hs_held_reset();
    free(code);
    return 0;
}
