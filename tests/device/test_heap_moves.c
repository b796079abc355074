/* hs_heap_moves() says before a realloc whether it takes a new block and copies: in every form, with free
 * memory before, behind and elsewhere. Moved, the contents may be copied by the caller instead. */
#include "heapscope/heap.h"
#include "region.h"

#define LIVE 40u
#define STEPS 60000u

static uint32_t below(uint32_t *random, uint32_t limit)
{
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % limit;
}

/* A block with the free memory around it, by a walk. */
typedef struct around {
    const uint8_t *block;
    const uint8_t *first; /* of the free memory before it, or its own */
    const uint8_t *end;   /* of the free memory behind it, or its own */
    const uint8_t *last;  /* that was visited: where it begins if it is free */
    bool located;
} around_t;

static bool visit(void *context, void *block, size_t size, bool used)
{
    around_t *const around = context;
    uint8_t *const at = block;
    const bool free = !used && size > 8; /* a slot that is free is part of a slab, which is used */
    if (around->located) {
        around->end = free ? at + size : around->end;
        return false;
    }
    if (at == around->block) {
        around->first = around->last != NULL ? around->last : at;
        around->end = at + size;
        around->located = true;
    }
    around->last = free ? at : NULL;
    return true;
}

static void run(hs_form_t form, uint32_t alignment, uint32_t seed)
{
    region_t region = region_open(9000, 4 * (seed % 4));
    const hs_heap_config_t config = {form, alignment};
    hs_heap_t *const heap = hs_heap_create(region.memory, 9000, &config);
    CHECK(heap != NULL, "no heap");
    uint8_t *live[LIVE] = {NULL};
    uint32_t random = seed;
    uint32_t moved = 0, slid = 0;
    for (uint32_t step = 0; step < (uint32_t)check_rounds(STEPS); step++) {
        uint8_t **const block = &live[below(&random, LIVE)];
        const size_t size = 1 + below(&random, below(&random, 4) == 0 ? 1500 : 200);
        if (*block == NULL) {
            CHECK(!hs_heap_moves(heap, region.memory, size), "no block moves");
            *block = hs_heap_malloc(heap, size);
        } else if (below(&random, 3) == 0) {
            CHECK(hs_heap_free(heap, *block) == HS_OK, "free");
            *block = NULL;
        } else {
            around_t around = {.block = *block};
            hs_heap_walk(heap, visit, &around);
            const bool slot = hs_heap_usable_size(heap, *block) <= 8;
            const bool moves = hs_heap_moves(heap, *block, size);
            CHECK(around.located && (slot || moves == (size > (size_t)(around.end - around.first))),
                  "seed %u step %u: moves %d, %td bytes there", (unsigned)seed, (unsigned)step,
                  moves, around.end - around.first);
            uint8_t *const now = hs_heap_realloc(heap, *block, size);
            CHECK(now != NULL || moves || slot, "no room, and it would have stayed");
            if (now == NULL) {
                continue;
            }
            CHECK(slot || moves || (now >= around.first && now <= *block), "it went elsewhere");
            moved += moves ? 1 : 0;
            slid += !slot && !moves && now != *block ? 1 : 0;
            *block = now;
        }
    }
    CHECK(moved > 100 / CHECK_THIN && slid > 100 / CHECK_THIN, "%u moved, %u slid", (unsigned)moved,
          (unsigned)slid);
    region_close(&region);
}

int main(void)
{
    for (uint32_t seed = 1; seed <= 3; seed++) {
        run(HS_FORM_SMALL, 8, seed);
        run(HS_FORM_SMALL, 16, seed);
        run(HS_FORM_WIDE, 8, seed);
        run(HS_FORM_WORD, 8, seed);
    }
    return 0;
}
