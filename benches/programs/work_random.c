/* A program without a library: blocks of any size and life, each of which holds known bytes. */
#include <string.h>

#include "calls.h"
#include "work.h"

#define BLOCKS 1024u
#define CALLS 4096

static struct {
    uint8_t *bytes;
    size_t size;
} blocks[BLOCKS];

const char *work_start(const char *script)
{
    (void)script;
    return NULL;
}

static size_t size_of(uint64_t *state)
{
    const uint32_t octave = work_random(state) % 10;
    return 1 + work_random(state) % (4u << octave);
}

/* The block's bytes are those of its place. */
static bool is_sound(uint32_t at)
{
    for (size_t i = 0; i < blocks[at].size; i++) {
        if (blocks[at].bytes[i] != (uint8_t)(at + i)) {
            return false;
        }
    }
    return true;
}

static void fill(uint32_t at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        blocks[at].bytes[i] = (uint8_t)(at + i);
    }
    blocks[at].size = size;
}

static void *take(uint64_t *state, size_t size)
{
    return work_random(state) % 4 == 0 ? calls_calloc(1, size) : calls_malloc(size);
}

const char *work_round(uint32_t round)
{
    uint64_t state = round;
    for (int i = 0; i < CALLS; i++) {
        const uint32_t at = work_random(&state) % BLOCKS;
        const size_t size = size_of(&state);
        if (blocks[at].bytes == NULL) {
            blocks[at].bytes = take(&state, size);
            if (blocks[at].bytes != NULL) {
                fill(at, size);
            }
        } else if (!is_sound(at)) {
            return "a block holds other bytes";
        } else if (work_random(&state) % 3 == 0) {
            uint8_t *const moved = calls_realloc(blocks[at].bytes, size);
            if (moved != NULL) {
                blocks[at].bytes = moved;
                fill(at, size);
            }
        } else {
            calls_free(blocks[at].bytes);
            blocks[at].bytes = NULL;
        }
        work_note(&size, sizeof size);
    }
    return NULL;
}

void work_end(void)
{
    for (uint32_t at = 0; at < BLOCKS; at++) {
        calls_free(blocks[at].bytes);
        blocks[at].bytes = NULL;
    }
}
