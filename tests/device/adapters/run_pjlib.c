/*
 * PJLIB on a private heap: its pools, with hash tables, trees, strings, timers and locks in them.
 * PJLIB says that it holds exactly the bytes that the heap has handed out. A full heap raises
 * PJLIB's own exception.
 */
#include <pjlib.h>

#include "adapters/pjlib.h"
#include "heap_under_test.h"

enum { KEYS = 500 };

typedef struct entry {
    pj_rbtree_node node;
    pj_timer_entry timer;
    pj_str_t name;
    int value;
} entry_t;

static int compare(const void *one, const void *other)
{
    return pj_strcmp(one, other);
}

static void expire(pj_timer_heap_t *timers, pj_timer_entry *entry)
{
    (void)timers;
    CHECK(false, "timer %d, which nobody polls", entry->id);
}

/* A session as PJNATH has them: objects of many kinds in one pool, none freed singly. */
static int fill(pj_pool_t *pool, int seed)
{
    pj_hash_table_t *table = pj_hash_create(pool, KEYS / 4);
    pj_rbtree *tree = PJ_POOL_ZALLOC_T(pool, pj_rbtree);
    pj_timer_heap_t *timers = NULL;
    pj_lock_t *lock = NULL;
    CHECK(pj_timer_heap_create(pool, KEYS, &timers) == PJ_SUCCESS, "no timers");
    CHECK(pj_lock_create_recursive_mutex(pool, "session", &lock) == PJ_SUCCESS, "no lock");
    pj_rbtree_init(tree, compare);
    for (int i = 0; i < KEYS; i++) {
        entry_t *entry = PJ_POOL_ZALLOC_T(pool, entry_t);
        char name[32];
        pj_ansi_snprintf(name, sizeof name, "candidate %d %d", seed, i * 7919 % KEYS);
        pj_strdup2(pool, &entry->name, name);
        entry->value = i;
        entry->node.key = &entry->name;
        pj_hash_set(pool, table, entry->name.ptr, (unsigned)entry->name.slen, 0, entry);
        CHECK(pj_rbtree_insert(tree, &entry->node) == 0, "%s twice", name);
        pj_time_val delay = {i % 10, i};
        pj_timer_entry_init(&entry->timer, i, entry, expire);
        CHECK(pj_timer_heap_schedule(timers, &entry->timer, &delay) == PJ_SUCCESS, "timer");
    }
    int sum = (int)pj_timer_heap_count(timers) + (int)pj_hash_count(table);
    pj_rbtree_node *node = pj_rbtree_first(tree);
    for (int rank = 1; node != NULL; node = pj_rbtree_next(tree, node), rank++) {
        const pj_str_t *key = node->key;
        entry_t *entry = pj_hash_get(table, key->ptr, (unsigned)key->slen, NULL);
        CHECK((pj_rbtree_node *)entry == node, "%.*s", (int)key->slen, key->ptr);
        sum = (sum * 31 + rank * entry->value) % 1000003;
    }
    pj_timer_heap_destroy(timers);
    pj_lock_destroy(lock);
    return sum;
}

static int fill_in(pj_pool_factory *factory, int seed, bool keep, pj_pool_t **kept)
{
    pj_pool_t *pool = pj_pool_create(factory, "ice%p", 512, 512, NULL);
    CHECK(pool != NULL, "no pool");
    int sum = fill(pool, seed);
    *kept = keep ? pool : NULL;
    if (!keep) {
        pj_pool_release(pool);
    }
    return sum;
}

static void check_same_as_malloc(void)
{
    pj_caching_pool plain;
    heap_under_test_t test;
    hs_pjlib_t ours;
    pj_pool_t *pools[4];
    pj_pool_t *none;
    pj_caching_pool_init(&plain, NULL, 0);
    heap_open(&test, "ice", 1u << 20);
    hs_pjlib_init(&ours, hs_private_source(test.heap), 0);
    for (int seed = 0; seed < 4; seed++) {
        int expected = fill_in(&plain.factory, seed, false, &none);
        int sum = fill_in(hs_pjlib_factory(&ours), seed, true, &pools[seed]);
        CHECK(sum == expected, "%d, not %d", sum, expected);
    }
    hs_private_info_t info = heap_figures(&test);
    size_t capacity = 0;
    for (int i = 0; i < 4; i++) {
        capacity += pj_pool_get_capacity(pools[i]);
    }
    CHECK(capacity == ours.caching.used_size, "%zu", capacity);
    CHECK(info.used >= capacity && info.used < capacity + capacity / 8, "%zu for %zu", info.used,
          capacity);
    heap_print(&test);
    for (int i = 0; i < 4; i++) {
        pj_pool_release(pools[i]);
    }
    CHECK(heap_figures(&test).blocks == 0, "released pools are kept");
    fill_in(hs_pjlib_factory(&ours), 9, true, &none); /* not released */
    hs_pjlib_destroy(&ours);
    heap_close(&test);

    heap_open(&test, "kept", 1u << 20);
    hs_pjlib_init(&ours, hs_private_source(test.heap), 100000);
    pj_pool_t *pool = pj_pool_create(hs_pjlib_factory(&ours), "kept", 2000, 500, NULL);
    CHECK(pool != NULL && pj_pool_alloc(pool, 3000) != NULL, "no pool");
    CHECK(heap_figures(&test).blocks == 2, "the pool did not grow");
    pj_pool_release(pool);
    CHECK(heap_figures(&test).blocks == 1, "the factory keeps the first block of a pool");
    hs_pjlib_destroy(&ours);
    heap_close(&test);
    pj_caching_pool_destroy(&plain);
}

static void check_full(void)
{
    heap_under_test_t test;
    hs_pjlib_t ours;
    heap_open(&test, "small", 100000);
    hs_pjlib_init(&ours, hs_private_source(test.heap), 0);
    static int thrown;
    for (int i = 0; i < 3; i++) {
        pj_pool_t *pool = pj_pool_create(hs_pjlib_factory(&ours), "small", 512, 512, NULL);
        CHECK(pool != NULL, "no pool");
        PJ_USE_EXCEPTION;
        PJ_TRY
        {
            fill(pool, i);
        }
        PJ_CATCH_ANY
        {
            thrown += PJ_GET_EXCEPTION() == PJ_NO_MEMORY_EXCEPTION ? 1 : 0;
        }
        PJ_END
        pj_pool_release(pool);
    }
    CHECK(thrown == 3 && test.reported == 3, "%d exceptions", thrown);
    CHECK(pj_pool_create(hs_pjlib_factory(&ours), "large", 120000, 512, NULL) == NULL, "120000");
    CHECK(ours.caching.used_size == 0, "%zu bytes are counted", ours.caching.used_size);
    heap_print(&test);
    hs_pjlib_destroy(&ours);
    heap_close(&test);
}

int main(void)
{
    pj_log_set_level(0);
    CHECK(pj_init() == PJ_SUCCESS, "no PJLIB");
    check_same_as_malloc();
    check_full();
    pj_shutdown();
    return 0;
}
