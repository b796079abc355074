/*
 * The campaign: faults of each kind at each level, form and alignment of payloads, and which of them
 * are found when. Unseen faults belong to the classes of faults.h, exactly.
 *
 *     guard_faults [SEED [SCENES]]      SCENES of each sort, 1 unless told
 *
 * Prints a line for each cell: level, form, alignment, fault, how many were made, found at the free
 * of the block (or by the wrong call itself), when the memory was handed out, by a walk, and unseen by
 * any, by class. benches/guard makes the page of it.
 */
#include "faults.h"

typedef enum fault {
    OVERFLOW_RUN,   /* 1 to 16 bytes from the payload's end on */
    OVERFLOW_JUMP,  /* one byte so far behind it */
    UNDERFLOW_RUN,  /* the same before it */
    UNDERFLOW_JUMP, /* */
    STALE_LINK,     /* one byte of a freed payload that holds links now */
    STALE_SIZE,     /* or size, or its complement */
    STALE_REST,     /* or neither */
    FREE_TWICE,     /* at once */
    FREE_ABSORBED,  /* after the free of both neighbours */
    FREE_REUSED,    /* after other blocks were allocated */
    FOREIGN,        /* free of another heap's block, of the stack, of the control block */
    INTERIOR,       /* free of each address in the payload */
    METADATA,       /* each bit of the control block and the bitmap */
    FAULTS
} fault_t;

static const char *const fault_names[FAULTS] = {
    "overflow-run", "overflow-jump", "underflow-run", "underflow-jump", "stale-link",
    "stale-size",   "stale-rest",    "free-twice",    "free-absorbed",  "free-reused",
    "foreign",      "interior",      "metadata"};

typedef struct tally {
    unsigned long tried, call, handed_out, walk, unseen[UNSEEN];
} tally_t;

static scene_t scene;
static tally_t tallies[FAULTS];
static check_random_t dice;

static bool walk_finds(void)
{
    guarded_t *g = &scene.guarded;
    const size_t before = g->faults;
    const bool hit = hs_guard_check(&g->guard) != HS_OK;
    GUARDED_CHECK(g, hit == (g->faults > before), "found, but not told of");
    return hit;
}

/* ---- writes ----------------------------------------------------------------------------------- */

/* Checks that a write was found or not, as `expected` says, and counts it. */
static void count_write(fault_t fault, unseen_t expected, bool at_free, bool handed_out)
{
    guarded_t *g = &scene.guarded;
    tally_t *tally = &tallies[fault];
    const bool hit = walk_finds();
    const bool known = expected != SLOTS && expected != FORGED;
    GUARDED_CHECK(g, !known || hit == (expected == SEEN), "%s: %s expected, found %d",
                  fault_names[fault], unseen_names[expected], hit);
    GUARDED_CHECK(g, !known || hit || (!at_free && !handed_out),
                  "%s: found before, but not by a walk", fault_names[fault]);
    tally->tried++;
    tally->call += at_free;
    tally->handed_out += !at_free && handed_out;
    tally->walk += hit && !at_free && !handed_out;
    tally->unseen[hit ? SEEN : expected]++;
}

/* Does a write change a mark of the block itself? Its free must see that. */
static bool is_on_marks(const guarded_block_t *block, const uint8_t *at, const uint8_t *bytes,
                        size_t count)
{
    const item_t *item = scene_item_at(&scene, block->at);
    bool changes = false;
    for (size_t i = 0; guarded_has_canaries(&scene.guarded) && i < count; i++) {
        const bool inside = at + i >= item->at && at + i < item->at + item->size;
        const bool payload = at + i >= block->at && at + i < block->at + block->size;
        changes = changes || (inside && !payload && at[i] != bytes[i]);
    }
    return changes;
}

/* Writes, looks whether the block's free finds it, and puts everything back. */
static void write_beside(fault_t fault, const guarded_block_t *block, uint8_t *at,
                         const uint8_t *bytes, size_t count)
{
    guarded_t *g = &scene.guarded;
    if (!scene_is_inside(&scene, at) || !scene_is_inside(&scene, at + count - 1)) {
        return;
    }
    unseen_t expected = unseen_of(&scene, at, bytes, count);
    const bool own = is_on_marks(block, at, bytes, count);
    memcpy(at, bytes, count);
    expected = scene_is_forged(&scene) ? FORGED : expected;
    const bool at_free = hs_guard_free(&g->guard, block->at) != HS_OK;
    GUARDED_CHECK(g, !own || at_free || expected == FORGED, "%s: freed with wrong marks",
                  fault_names[fault]);
    GUARDED_CHECK(g, at_free == (g->faults > 0), "refused, but not told of");
    if (at_free) {
        const hs_fault_kind_t kind = g->last.kind;
        const uint8_t *wrong = g->last.at;
        /* A slot whose slab has lost its head is not a block any more. */
        GUARDED_CHECK(
            g, kind != HS_FAULT_NOT_A_BLOCK || !guarded_has_canaries(g) || expected == FORGED,
            "no block?");
        if ((fault == OVERFLOW_JUMP || fault == UNDERFLOW_JUMP) &&
            (kind == HS_FAULT_HEAD || kind == HS_FAULT_TAIL)) {
            /* A trailer is wrong as a whole, a site by the canary that it signs. */
            const uint8_t *first = block->at - block->head;
            const bool on_site = g->config.sites && at < first + sizeof(void *);
            GUARDED_CHECK(g,
                          wrong == at || (kind == HS_FAULT_TAIL && wrong <= at) ||
                              (on_site && kind == HS_FAULT_HEAD),
                          "at %td, told %td", at - block->at, wrong - block->at);
        }
    }
    scene_back(&scene);
    memcpy(at, bytes, count);
    count_write(fault, expected, at_free, false);
    scene_back(&scene);
}

static void make_bytes(uint8_t *bytes, size_t count, uint32_t mode)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = mode == 0 ? 0 : mode == 1 ? 0xFF : (uint8_t)check_next(&dice);
    }
}

static void write_around(const guarded_block_t *block)
{
    uint8_t bytes[16];
    for (size_t n = 1; n <= 16; n++) {
        for (uint32_t mode = 0; mode < 3; mode++) {
            uint8_t *end = block->at + block->size;
            make_bytes(bytes, n, mode);
            write_beside(OVERFLOW_RUN, block, end, bytes, n);
            write_beside(OVERFLOW_JUMP, block, end + n - 1, bytes, 1);
            write_beside(UNDERFLOW_RUN, block, block->at - n, bytes, n);
            write_beside(UNDERFLOW_JUMP, block, block->at - n, bytes, 1);
        }
    }
}

/* The memory is taken again afterwards, until the written byte is in use: no block that has it may be
 * handed out without a word, and no wrong link be followed. */
static bool hand_out_finds(const uint8_t *at, size_t size)
{
    guarded_t *g = &scene.guarded;
    const hs_tag_t tag = {1, NULL};
    for (int i = 0; i < 40 && g->faults == 0; i++) {
        const uint8_t *got = hs_guard_malloc(&g->guard, i < 20 ? size : 1, tag);
        if (got == NULL) {
            break;
        }
        const size_t whole = hs_heap_usable_size(g->heap, got - guarded_head(g));
        const uint8_t *raw = got - guarded_head(g);
        GUARDED_CHECK(g, at < raw || at >= raw + whole, "handed out without a word");
    }
    return g->faults > 0;
}

static void write_stale(const guarded_block_t *block)
{
    guarded_t *g = &scene.guarded;
    const guarded_block_t gone = *block;
    scene_drop(&scene);
    guarded_block_t *const own = guarded_at(g, gone.at);
    guarded_free(g, (size_t)(own - g->blocks));
    scene_keep(&scene);
    const size_t step = 1 + gone.size / 24;
    for (size_t i = 0; i < gone.size; i += step) {
        uint8_t byte;
        uint8_t *at = gone.at + i;
        make_bytes(&byte, 1, check_below(&dice, 3));
        const item_t *item = scene_item_at(&scene, at);
        const size_t offset = item != NULL ? (size_t)(at - item->at) : SIZE_MAX;
        const bool slot = item == NULL || item->size <= 8;
        const fault_t fault = slot                                      ? STALE_REST
                              : offset < 8                              ? STALE_LINK
                              : offset < 12 || offset >= item->size - 4 ? STALE_SIZE
                                                                        : STALE_REST;
        const unseen_t expected = unseen_of(&scene, at, &byte, 1);
        bool handed_out = false;
        if (expected == SEEN) {
            *at = byte;
            handed_out = hand_out_finds(at, gone.size);
            scene_back(&scene);
        }
        *at = byte;
        count_write(fault, expected, false, handed_out);
        scene_back(&scene);
    }
}

/* ---- wrong calls ------------------------------------------------------------------------------ */

/* A free that must be refused, or is that of a block which lives at that address. */
static void free_wrong(fault_t fault, void *address)
{
    guarded_t *g = &scene.guarded;
    const bool lives = guarded_at(g, address) != NULL;
    uint8_t *before = region_save(&g->region);
    const hs_status_t status = hs_guard_free(&g->guard, address);
    tallies[fault].tried++;
    tallies[fault].call += status != HS_OK;
    tallies[fault].unseen[status != HS_OK ? SEEN : REUSED]++;
    GUARDED_CHECK(g, (status == HS_OK) == lives, "%s: status %d", fault_names[fault], (int)status);
    GUARDED_CHECK(
        g,
        lives || (g->faults > 0 && g->last.kind == HS_FAULT_NOT_A_BLOCK && g->last.at == address),
        "%s: not told of", fault_names[fault]);
    GUARDED_CHECK(g, lives || region_same(&g->region, before), "a refused free changed something");
    region_restore(&g->region, before);
    g->faults = 0;
}

static void free_foreign(void)
{
    guarded_t *g = &scene.guarded;
    uint32_t stack[8] = {0};
    for (size_t i = 0; i < 8; i++) {
        free_wrong(FOREIGN, &stack[i]);
    }
    for (uint8_t *at = g->region.memory - 16; at < scene.items[0].at; at++) {
        free_wrong(FOREIGN, at);
    }
    for (size_t i = 0; i < g->count; i++) { /* the twin heap has the same blocks */
        free_wrong(FOREIGN, g->blocks[i].bare + g->blocks[i].head);
    }
}

static void free_interior(const guarded_block_t *block)
{
    for (size_t i = 1; i < block->size; i++) {
        free_wrong(INTERIOR, block->at + i);
    }
    for (size_t i = 1; i <= block->head; i++) {
        free_wrong(INTERIOR, block->at - i);
    }
}

static size_t index_of(const uint8_t *at)
{
    return (size_t)(guarded_at(&scene.guarded, at) - scene.guarded.blocks);
}

/* The scene is another one afterwards. */
static void free_again(size_t index)
{
    guarded_t *g = &scene.guarded;
    void *const stale = g->blocks[index].at;
    const item_t *self = scene_item_at(&scene, stale);
    const guarded_block_t *beside[2] = {
        self > scene.items ? scene_block_of(&scene, self - 1) : NULL,
        self + 1 < scene.items + scene.item_count ? scene_block_of(&scene, self + 1) : NULL};
    void *neighbours[2] = {beside[0] ? beside[0]->at : NULL, beside[1] ? beside[1]->at : NULL};
    guarded_free(g, index);
    free_wrong(FREE_TWICE, stale);
    for (int i = 0; i < 2; i++) {
        if (neighbours[i] != NULL) {
            guarded_free(g, index_of(neighbours[i]));
            free_wrong(FREE_ABSORBED, stale);
            free_wrong(FREE_ABSORBED, neighbours[i]);
        }
    }
    const hs_tag_t tag = {2, NULL};
    for (int i = 0; i < 4; i++) {
        guarded_malloc(g, 1 + check_below(&dice, 60), tag);
        free_wrong(FREE_REUSED, stale);
    }
}

/* ---- metadata --------------------------------------------------------------------------------- */

static bool same_item(void *context, void *block, size_t size, bool used)
{
    size_t *i = context;
    const item_t *item = &scene.items[*i];
    *i += *i < scene.item_count && item->at == block && item->size == size && item->used == used
              ? 1
              : scene.item_count + 1;
    return *i < scene.item_count;
}

/* A flip that the heap's own check does not see (test_heap_damage.c: which) either leaves all blocks
 * as they were, or canaries tell. */
static void flip_all(void)
{
    guarded_t *g = &scene.guarded;
    tally_t *tally = &tallies[METADATA];
    for (uint8_t *at = g->region.memory; at < scene.items[0].at; at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            *at ^= (uint8_t)(1u << bit);
            size_t i = 0;
            unseen_t expected = SEEN;
            if (hs_heap_check(g->heap, NULL) == HS_OK) {
                hs_heap_walk(g->heap, same_item, &i);
                expected = i == scene.item_count     ? HARMLESS
                           : guarded_has_canaries(g) ? SEEN
                                                     : SPLIT;
            }
            const bool hit = walk_finds();
            GUARDED_CHECK(g, hit == (expected == SEEN), "bit %u at %td: %s expected, found %d", bit,
                          guarded_place(g, at, false), unseen_names[expected], hit);
            tally->tried++;
            tally->walk += hit;
            tally->unseen[expected]++;
            scene_back(&scene);
        }
    }
}

/* ---- all -------------------------------------------------------------------------------------- */

static void run(const hs_guard_config_t *config, hs_form_t form, uint32_t alignment)
{
    char label[80];
    snprintf(label, sizeof label, "level %d, form %d, alignment %u, sites %d", (int)config->level,
             (int)form, (unsigned)alignment, config->sites);
    guarded_t *g = &scene.guarded;
    CHECK(scene_open(&scene, label, config, form, alignment, &dice), "%s", label);
    for (size_t i = 0; i < g->count; i++) {
        write_around(&g->blocks[i]);
        free_interior(&g->blocks[i]);
    }
    free_foreign();
    flip_all();
    for (size_t i = 0; i < 5 && g->count > 0; i++) {
        write_stale(&g->blocks[check_below(&dice, (uint32_t)g->count)]);
    }
    for (size_t i = 0; i < 6 && g->count > 0; i++) {
        free_again(check_below(&dice, (uint32_t)g->count));
        free(scene.saved); /* of the scene before */
        guarded_check(g);
        scene_keep(&scene);
    }
    scene_close(&scene);
}

static void print(int level, int form, uint32_t alignment)
{
    for (int fault = 0; fault < FAULTS; fault++) {
        const tally_t *tally = &tallies[fault];
        printf("%d %d %u %s made %lu call %lu handed-out %lu walk %lu", level, form,
               (unsigned)alignment, fault_names[fault], tally->tried, tally->call,
               tally->handed_out, tally->walk);
        for (int i = SAME; i < UNSEEN; i++) {
            printf(" %s %lu", unseen_names[i], tally->unseen[i]);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    dice = check_start(argc, argv);
    const unsigned long scenes = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    for (int level = HS_GUARD_LINKS; level <= HS_GUARD_WALK; level++) {
        for (int form = HS_FORM_SMALL; form <= HS_FORM_WORD; form++) {
            for (uint32_t alignment = 4; alignment <= 16; alignment *= 2) {
                if (CHECK_THIN > 1 &&
                    (level != HS_GUARD_FILL || form != HS_FORM_WORD || alignment != 8)) {
                    continue; /* minutes in emulation */
                }
                memset(tallies, 0, sizeof tallies);
                for (unsigned long i = 0; i < 2 * scenes; i++) {
                    const hs_guard_config_t config = {.level = (hs_guard_level_t)level,
                                                      .owners = true,
                                                      .sites = i % 2 != 0,
                                                      .alignment = alignment,
                                                      .walk_every = 1u << 30};
                    run(&config, (hs_form_t)form, alignment);
                }
                print(level, form, alignment);
            }
        }
    }
    return 0;
}
