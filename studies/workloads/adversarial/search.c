/*
 * Looks for the worst that can be done to our heap, and prints it as a trace in the text form:
 *
 *   search work malloc|free|realloc|aligned FORM POOL SEED ROUNDS
 *       calls on a pool that make one call of that kind go through as many basic blocks of code as
 *       can be found: hill climbing from random calls, then everything that does not matter is left
 *       out. The worst call is the last one.
 *   search measure FORM POOL FILE
 *       the most work of one call of each kind in a trace in the text form.
 *   search fragment FORM POOL BLOCK_MAX
 *       the smallest limit on live payload with which an adversary who sees all addresses can make
 *       an allocation fail (after Robson, 1974): stage by stage only those blocks stay that keep
 *       the next, larger ones out of the holes.
 *
 * The heap's sources are compiled with -fsanitize-coverage=trace-pc, which calls a function of ours
 * at each basic block. Any host can count work in this way, though the count is not one of cycles.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapscope/heap.h"

#define CALLS 220 /* of a search */
#define IDS 64
#define TRACE_CALLS 20000
#define TRACE_IDS 8192
#define POOL_MAX ((size_t)4 << 20)

typedef struct call {
    char kind; /* a, f, r, m, as in the text form */
    unsigned id;
    unsigned size;
} call_t;

static uint64_t blocks_run;
static uint64_t state;
static _Alignas(4096) unsigned char pool[POOL_MAX];

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    blocks_run++;
}

static unsigned below(unsigned limit) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * UINT64_C(2685821657736338717)) >> 32) % limit;
}

static hs_heap_t *make_heap(int form, size_t size)
{
    const hs_heap_config_t config = {(hs_form_t)form, 0};
    hs_heap_t *heap = size <= POOL_MAX ? hs_heap_create(pool, size, &config) : NULL;
    if (heap == NULL) {
        fprintf(stderr, "search: no heap of form %d in %zu bytes\n", form, size);
        exit(2);
    }
    return heap;
}

static void print_call(const call_t *call)
{
    if (call->kind == 'f') {
        printf("f %u\n", call->id);
    } else if (call->kind == 'm') {
        printf("m %u 64 %u\n", call->id, call->size);
    } else {
        printf("%c %u %u\n", call->kind, call->id, call->size);
    }
}

/* ---- work ------------------------------------------------------------------------------------- */

/* Copying is in proportion to the block and left out: a granule takes one pass of a loop. */
static uint64_t work_without_copying(const void *old, const void *moved, size_t had)
{
    uint64_t copied = moved != NULL && moved != old ? (had + 7) / 8 : 0;
    return blocks_run > copied ? blocks_run - copied : 0;
}

/* The most work of a call of that kind, and which it was. */
static uint64_t worst_of(const call_t *calls, int count, char kind, int form, size_t size, int *at)
{
    static void *live[TRACE_IDS];
    uint64_t worst = 0;
    hs_heap_t *heap = make_heap(form, size);
    memset(live, 0, sizeof live);
    for (int i = 0; i < count; i++) {
        const call_t *call = &calls[i];
        void **block = &live[call->id];
        if ((*block == NULL) != (call->kind == 'a' || call->kind == 'm')) {
            continue; /* the trace's reader would not make it either */
        }
        blocks_run = 0;
        if (call->kind == 'a') {
            *block = hs_heap_malloc(heap, call->size);
        } else if (call->kind == 'm') {
            *block = hs_heap_aligned_alloc(heap, 64, call->size, 0);
        } else if (call->kind == 'f') {
            (void)hs_heap_free(heap, *block);
            *block = NULL;
        } else {
            size_t had = hs_heap_usable_size(heap, *block);
            blocks_run = 0;
            void *moved = hs_heap_realloc(heap, *block, call->size);
            blocks_run = work_without_copying(*block, moved, had);
            *block = moved != NULL ? moved : *block;
        }
        if (call->kind == kind && blocks_run > worst) {
            worst = blocks_run;
            *at = i;
        }
    }
    return worst;
}

static void measure(int form, size_t size, const char *path)
{
    static call_t calls[TRACE_CALLS];
    static const char *const names[] = {"malloc", "free", "realloc", "aligned"};
    char line[128];
    int count = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "search: %s: cannot read it\n", path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL && count < TRACE_CALLS) {
        call_t *call = &calls[count];
        unsigned alignment = 64;
        call->kind = line[0];
        bool whole = line[0] == 'm'
                         ? sscanf(line + 1, "%u %u %u", &call->id, &alignment, &call->size) == 3
                         : sscanf(line + 1, "%u %u", &call->id, &call->size) >= 1;
        if (whole && strchr("afrm", line[0]) != NULL && call->id < TRACE_IDS && alignment == 64) {
            count++;
        }
    }
    fclose(file);
    for (int i = 0; i < 4; i++) {
        int at = 0;
        uint64_t worst = worst_of(calls, count, "afrm"[i], form, size, &at);
        if (worst > 0) {
            printf("%s %llu at call %d\n", names[i], (unsigned long long)worst, at + 1);
        }
    }
}

static unsigned random_size(void)
{
    switch (below(6)) {
    case 0:
        return 1 + below(8);
    case 1:
        return 9 + below(60);
    case 2:
        return 120 + 8 * below(6);
    case 3:
        return 500 + 8 * below(8);
    default:
        return 1 + below(16u << below(8));
    }
}

static call_t random_call(void)
{
    static const char kinds[] = "aaaaffrm";
    return (call_t){kinds[below(8)], below(IDS), random_size()};
}

static void mutate(call_t *calls)
{
    for (unsigned changes = 1 + below(6); changes > 0; changes--) {
        unsigned at = below(CALLS);
        unsigned to = below(CALLS);
        call_t moved = calls[at];
        switch (below(4)) {
        case 0:
            calls[at].size = random_size();
            break;
        case 1:
            memmove(calls + at, calls + at + 1, (CALLS - 1 - at) * sizeof *calls);
            calls[CALLS - 1] = random_call();
            break;
        case 2:
            calls[at] = calls[to];
            calls[to] = moved;
            break;
        default:
            calls[at] = random_call();
            break;
        }
    }
}

static void search_work(char kind, int form, size_t size, long rounds)
{
    static call_t best[CALLS];
    static call_t tried[CALLS];
    int at = 0;
    for (int i = 0; i < CALLS; i++) {
        best[i] = random_call();
    }
    uint64_t most = worst_of(best, CALLS, kind, form, size, &at);
    for (long round = 0; round < rounds; round++) {
        int where = 0;
        memcpy(tried, best, sizeof best);
        mutate(tried);
        uint64_t work = worst_of(tried, CALLS, kind, form, size, &where);
        if (work >= most) {
            most = work;
            at = where;
            memcpy(best, tried, sizeof best);
        }
    }
    int count = at + 1;
    for (int i = count - 2; i >= 0; i--) { /* without this call, is it as bad? */
        int where = 0;
        memcpy(tried, best, sizeof best);
        memmove(tried + i, tried + i + 1, (size_t)(count - 1 - i) * sizeof *tried);
        if (worst_of(tried, count - 1, kind, form, size, &where) == most && where == count - 2) {
            memcpy(best, tried, sizeof best);
            count--;
        }
    }
    printf("# form %d, pool %zu: the last call goes through %llu basic blocks\n", form, size,
           (unsigned long long)most);
    for (int i = 0; i < count; i++) {
        print_call(&best[i]);
    }
}

/* ---- fragmentation ---------------------------------------------------------------------------- */

typedef struct block {
    unsigned char *at;
    size_t size;
    unsigned id;
} block_t;

typedef struct attack {
    hs_heap_t *heap;
    block_t *blocks;
    size_t count;
    size_t live;
    size_t peak;
    unsigned next_id;
    bool print;
} attack_t;

static bool attack_take(attack_t *attack, size_t size)
{
    const call_t call = {'a', attack->next_id, (unsigned)size};
    if (attack->print) {
        print_call(&call);
    }
    unsigned char *at = hs_heap_malloc(attack->heap, size);
    if (at == NULL) {
        return false;
    }
    attack->blocks[attack->count++] = (block_t){at, size, attack->next_id++};
    attack->live += size;
    attack->peak = attack->live > attack->peak ? attack->live : attack->peak;
    return true;
}

/* Frees every block that does not cover a byte at `residue` modulo `step`. */
static void attack_thin(attack_t *attack, size_t step, size_t residue)
{
    size_t kept = 0;
    for (size_t i = 0; i < attack->count; i++) {
        const block_t block = attack->blocks[i];
        size_t from = (size_t)(block.at - pool) % step;
        if ((residue + step - from) % step < block.size) {
            attack->blocks[kept++] = block;
            continue;
        }
        const call_t call = {'f', block.id, 0};
        if (attack->print) {
            print_call(&call);
        }
        (void)hs_heap_free(attack->heap, block.at);
        attack->live -= block.size;
    }
    attack->count = kept;
}

/* Live payload that would be left by that residue. */
static size_t kept_by(const attack_t *attack, size_t step, size_t residue)
{
    size_t live = 0;
    for (size_t i = 0; i < attack->count; i++) {
        size_t from = (size_t)(attack->blocks[i].at - pool) % step;
        live +=
            (residue + step - from) % step < attack->blocks[i].size ? attack->blocks[i].size : 0;
    }
    return live;
}

/* True: an allocation failed although no more than `limit` was ever live. */
static bool attack_with(attack_t *attack, size_t limit, size_t block_max)
{
    for (size_t size = 16; size <= block_max; size *= 2) {
        if (size > 16) {
            /* The last residue can become two; take the one that frees more. */
            static size_t residue;
            residue = size == 32 ? 0 : residue;
            if (kept_by(attack, size, residue + size / 2) < kept_by(attack, size, residue)) {
                residue += size / 2;
            }
            attack_thin(attack, size, residue);
        }
        while (attack->live + size <= limit) {
            if (!attack_take(attack, size)) {
                return true;
            }
        }
    }
    return false;
}

static bool attack_run(attack_t *attack, int form, size_t size, size_t limit, size_t block_max)
{
    block_t *blocks = attack->blocks;
    bool print = attack->print;
    *attack = (attack_t){make_heap(form, size), blocks, 0, 0, 0, 1, print};
    return attack_with(attack, limit, block_max);
}

static void search_fragment(int form, size_t size, size_t block_max)
{
    attack_t attack = {0};
    attack.blocks = malloc(sizeof *attack.blocks * (size / 8));
    size_t low = 16; /* does not fail */
    size_t high = size;
    while (attack.blocks != NULL && high - low > 16) {
        size_t limit = (low + high) / 2 / 16 * 16;
        if (attack_run(&attack, form, size, limit, block_max)) {
            high = limit;
        } else {
            low = limit;
        }
    }
    printf("# form %d, pool %zu, blocks up to %zu: fails with no more than %zu live, %.4f of it\n",
           form, size, block_max, high, (double)high / (double)size);
    attack.print = true;
    (void)attack_run(&attack, form, size, high, block_max);
    free(attack.blocks);
}

int main(int argc, char **argv)
{
    if (argc == 7 && strcmp(argv[1], "work") == 0) {
        char kind = argv[2][0] == 'm' ? 'a' : argv[2][0] == 'a' ? 'm' : argv[2][0];
        state = strtoull(argv[5], NULL, 0) * 2 + 1;
        search_work(kind, atoi(argv[3]), (size_t)atol(argv[4]), atol(argv[6]));
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "fragment") == 0) {
        search_fragment(atoi(argv[2]), (size_t)atol(argv[3]), (size_t)atol(argv[4]));
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "measure") == 0) {
        measure(atoi(argv[2]), (size_t)atol(argv[3]), argv[4]);
        return 0;
    }
    fprintf(stderr, "usage: search work KIND FORM POOL SEED ROUNDS | measure FORM POOL FILE | "
                    "fragment FORM POOL BLOCK_MAX\n");
    return 2;
}
