#include "pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pj/pool.h>
#include <pj/string.h>

#include "heapscope/trace.h"

#define LIVE_MAX 512
#define NAME_MAX_BYTES 128

/* How PJLIB's caching pool rounds the size of a first block; its own table is not to be seen. */
static const char SIZES[] = "256 512 1024 2048 4096 8192 12288 16384 20480 24576 28672 32768 40960"
                            " 49152 57344 65536";

typedef struct live {
    pj_pool_t *pool;
    uint32_t index;
} live_t;

static hs_rec_t *rec;
static pj_caching_pool factory;
static void (*release_pool)(pj_pool_factory *, pj_pool_t *);

static live_t live[LIVE_MAX];
static size_t lives;
static const live_t *growing; /* the pool whose request is being served */

static live_t *find(const pj_pool_t *pool)
{
    for (size_t i = 0; i < lives; i++) {
        if (live[i].pool == pool) {
            return &live[i];
        }
    }
    return NULL;
}

/* ---- the factory ------------------------------------------------------------------------------- */

static void *block_alloc(pj_pool_factory *own, pj_size_t size)
{
    own->on_block_alloc(own, size);
    if (growing != NULL) {
        hs_rec_pool(rec, HS_EVENT_POOL_GROW, growing->index, size);
    }
    return hs_rec_malloc(rec, size);
}

static void block_free(pj_pool_factory *own, void *block, pj_size_t size)
{
    own->on_block_free(own, size);
    hs_rec_free(rec, block);
}

static void no_memory(pj_pool_t *pool, pj_size_t size)
{
    fprintf(stderr, "%s: no memory for %u bytes\n", pool->obj_name, (unsigned)size);
    exit(1);
}

/* `stuntp0x8218e88` and the like: the address says nothing to a reader. */
static size_t without_address(const char *name)
{
    const char *address = strstr(name, "0x");
    return address == NULL || address == name ? strlen(name) : (size_t)(address - name);
}

static const char *option(const char *knob)
{
    if (strcmp(knob, "TDATA_POOL_SIZE") == 0) { /* stun_session.c's own name for it */
        return "PJNATH_POOL_LEN_STUN_TDATA";
    }
    return strncmp(knob, "PJNATH_POOL_LEN_", 16) == 0 ? knob : NULL;
}

/* NAME@OPTION, or NAME where the size is not an option. */
static void describe(char *out, const pj_pool_t *pool, const char *knob)
{
    int name = (int)without_address(pool->obj_name);
    const char *named = option(knob);
    snprintf(out, NAME_MAX_BYTES, "%.*s%s%s", name, pool->obj_name, named == NULL ? "" : "@",
             named == NULL ? "" : named);
}

static void release(pj_pool_factory *own, pj_pool_t *pool)
{
    live_t *gone = find(pool);
    if (gone != NULL) {
        hs_rec_pool(rec, HS_EVENT_POOL_RELEASE, gone->index, 0);
        *gone = live[--lives];
    }
    release_pool(own, pool);
}

pj_pool_factory *hs_pools_recorded(hs_rec_t *recorder)
{
    static const pj_pool_factory_policy policy = {&block_alloc, &block_free, &no_memory, 0};
    rec = recorder;
    pj_caching_pool_init(&factory, &policy, 0); /* keeps no released pool, as pjsua's */
    release_pool = factory.factory.release_pool;
    factory.factory.release_pool = &release;
    char stated[256];
    snprintf(stated, sizeof stated, "pjlib pool=%u block=%u align=%u sizes=%s",
             (unsigned)sizeof(pj_pool_t), (unsigned)sizeof(pj_pool_block), PJ_POOL_ALIGNMENT,
             SIZES);
    hs_rec_fact(rec, "pools", stated);
    return &factory.factory;
}

void hs_pools_dump(void)
{
    factory.factory.dump_status(&factory.factory, PJ_TRUE);
}

hs_pools_use_t hs_pools_use(void)
{
    hs_pools_use_t use = {0, 0};
    for (size_t i = 0; i < lives; i++) {
        use.used += pj_pool_get_used_size(live[i].pool);
        use.allocated += pj_pool_get_capacity(live[i].pool);
    }
    return use;
}

/* ---- what recorded.h puts in the place of PJLIB's own ------------------------------------------- */

pj_pool_t *hs_pool_create(pj_pool_factory *own, const char *name, pj_size_t initial,
                          pj_size_t increment, pj_pool_callback *callback, const char *knob)
{
    pj_pool_t *pool = own->create_pool(own, name, initial, increment, callback);
    if (own == &factory.factory) {
        if (pool == NULL || lives == LIVE_MAX) {
            fputs("no room for another recorded pool\n", stderr);
            exit(1);
        }
        char described[NAME_MAX_BYTES];
        describe(described, pool, knob);
        live[lives] = (live_t){pool, hs_rec_pool_new(rec, described)};
        hs_rec_pool_create(rec, live[lives++].index, pj_pool_get_capacity(pool), increment);
    }
    return pool;
}

void *hs_pool_alloc(pj_pool_t *pool, pj_size_t size)
{
    const live_t *own = find(pool);
    growing = own;
    void *given = pj_pool_alloc(pool, size);
    growing = NULL;
    if (own != NULL) {
        hs_rec_pool(rec, HS_EVENT_POOL_ALLOC, own->index, size);
    }
    return given;
}

void *hs_pool_calloc(pj_pool_t *pool, pj_size_t count, pj_size_t size)
{
    void *given = hs_pool_alloc(pool, count * size);
    if (given != NULL) {
        memset(given, 0, count * size);
    }
    return given;
}

void hs_pool_reset(pj_pool_t *pool)
{
    const live_t *own = find(pool);
    pj_pool_reset(pool);
    if (own != NULL) { /* created again while it lives: emptied, its first block kept */
        hs_rec_pool_create(rec, own->index, pj_pool_get_capacity(pool), pool->increment_size);
    }
}
