/* The report of a fault, and the fate of the call and of the memory under each policy. */
#include <setjmp.h>

#include "guarded.h"

static guarded_t guarded;
static jmp_buf halted;
static const hs_tag_t tag = {7, &guarded};

static void leave(void *context, const hs_fault_t *fault)
{
    guarded_note(context, fault);
    longjmp(halted, 1);
}

static void open_with(hs_guard_level_t level, hs_policy_t policy, uint32_t walk_every)
{
    const hs_guard_config_t config = {
        .level = level, .policy = policy, .owners = true, .sites = true, .walk_every = walk_every};
    CHECK(guarded_open(&guarded, "policy", &config, HS_FORM_AUTO, 8, 2000, 0), "no heap");
}

static void check_reported(size_t faults, hs_fault_kind_t kind, const void *block, const void *at)
{
    const hs_fault_t *last = &guarded.last;
    CHECK(guarded.faults == faults && last->kind == kind, "%zu faults, kind %d", guarded.faults,
          (int)last->kind);
    CHECK(last->block == block && last->at == at, "block %p, at %p", last->block, last->at);
    CHECK(last->owner == (block != NULL ? tag.owner : HS_OWNER_NONE), "owner %u",
          (unsigned)last->owner);
    CHECK(last->site == (block != NULL ? tag.site : NULL), "site %p", last->site);
}

static void check_overflow(hs_policy_t policy)
{
    open_with(HS_GUARD_CANARIES, policy, 0);
    hs_guard_t *guard = &guarded.guard;
    uint8_t *block = hs_guard_malloc(guard, 21, tag);
    const bool goes_on = policy == HS_POLICY_CONTINUE;
    block[21] = 0;
    CHECK(hs_guard_check_block(guard, block) == HS_ERR_CORRUPT, "check");
    check_reported(1, HS_FAULT_TAIL, block, block + 21);
    uint8_t *grown = hs_guard_realloc(guard, block, 22, tag);
    check_reported(2, HS_FAULT_TAIL, block, block + 21);
    CHECK((grown != NULL) == goes_on, "realloc");
    if (goes_on) {
        block = grown;
        block[22] = 0;
    }
    CHECK(hs_guard_free(guard, block) == (goes_on ? HS_OK : HS_ERR_CORRUPT), "free");
    check_reported(3, HS_FAULT_TAIL, block, block + (goes_on ? 22 : 21));
    CHECK((hs_guard_usable_size(guard, block) == 0) == goes_on, "the block stays allocated");
    uint8_t *other = hs_guard_malloc(guard, 21, tag);
    CHECK((other == block) == goes_on, "its memory is not handed out again");
    other[-1] = 0;
    CHECK(hs_guard_free(guard, other) == (goes_on ? HS_OK : HS_ERR_CORRUPT), "free");
    check_reported(4, HS_FAULT_HEAD, other, other - 1);
    CHECK(hs_guard_free(guard, other + 1) == HS_ERR_ARGUMENT, "interior");
    check_reported(5, HS_FAULT_NOT_A_BLOCK, NULL, other + 1);
    guarded_close(&guarded);
}

/* Written after the free: the next malloc of that memory tells. */
static void check_stale(hs_policy_t policy)
{
    open_with(HS_GUARD_FILL, policy, 0);
    hs_guard_t *guard = &guarded.guard;
    uint8_t *block = hs_guard_malloc(guard, 64, tag);
    CHECK(hs_guard_free(guard, block) == HS_OK, "free");
    block[40] = 1;
    uint8_t *again = hs_guard_malloc(guard, 64, tag);
    check_reported(1, HS_FAULT_FREE, NULL, block + 40);
    CHECK(again == (policy == HS_POLICY_CONTINUE ? block : NULL), "handed out");
    again = again == NULL ? hs_guard_malloc(guard, 64, tag) : again;
    CHECK(again != NULL && (again == block) == (policy == HS_POLICY_CONTINUE), "set aside");
    CHECK(hs_guard_check(guard) == HS_OK && guarded.faults == 1, "told of twice");
    CHECK(again[0] == HS_FILL_FRESH && again[63] == HS_FILL_FRESH, "not fresh");
    guarded_close(&guarded);
}

static void check_halt(void)
{
    open_with(HS_GUARD_CANARIES, HS_POLICY_HALT, 0);
    guarded.config.report = leave;
    uint8_t *volatile block = hs_guard_malloc(&guarded.guard, 21, tag);
    block[-2] = 0;
    if (setjmp(halted) == 0) {
        (void)hs_guard_free(&guarded.guard, block);
        CHECK(false, "it went on");
    }
    check_reported(1, HS_FAULT_HEAD, block, block - 2);
    guarded_close(&guarded);
}

/* Whatever operations follow, the walk comes in time. */
static void check_walk(uint32_t every)
{
    open_with(HS_GUARD_WALK, HS_POLICY_REPORT, every);
    hs_guard_t *guard = &guarded.guard;
    uint8_t *victim = hs_guard_malloc(guard, 30, tag);
    uint32_t operations = 0;
    victim[30] = 0xFF;
    while (guarded.faults == 0) {
        uint8_t *other = hs_guard_malloc(guard, 10, tag);
        CHECK(other != NULL && hs_guard_free(guard, other) == HS_OK, "others go on");
        operations += 2;
        CHECK(operations <= every + 1, "not found after %u operations", (unsigned)operations);
    }
    CHECK(operations + 2 >= every, "found after %u operations of %u", (unsigned)operations,
          (unsigned)every);
    check_reported(every == 1 ? 2 : 1, HS_FAULT_TAIL, victim, victim + 30);
    guarded_close(&guarded);
}

/* Another block's canaries, copied with its payload, are not taken for one's own. */
static void check_copied(void)
{
    open_with(HS_GUARD_CANARIES, HS_POLICY_REPORT, 0);
    uint8_t *from = hs_guard_malloc(&guarded.guard, 24, tag);
    uint8_t *to = hs_guard_malloc(&guarded.guard, 24, tag);
    memcpy(to - 4, from - 4, 4);
    CHECK(hs_guard_check_block(&guarded.guard, to) == HS_ERR_CORRUPT, "head");
    check_reported(1, HS_FAULT_HEAD, to, guarded.last.at);
    CHECK(hs_guard_check_block(&guarded.guard, from) == HS_OK, "the other one");
    guarded_close(&guarded);
}

static void check_init(void)
{
    open_with(HS_GUARD_FILL, HS_POLICY_REPORT, 0);
    hs_guard_t *guard = &guarded.guard;
    hs_guard_t other;
    const hs_guard_config_t wrong[] = {{.level = (hs_guard_level_t)4},
                                       {.policy = (hs_policy_t)3},
                                       {.alignment = 5},
                                       {.alignment = 16}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(hs_guard_init(&other, guarded.heap, &wrong[i]) == HS_ERR_ARGUMENT, "%zu", i);
    }
    CHECK(hs_guard_init(&other, NULL, NULL) == HS_ERR_ARGUMENT, "no heap");
    void *block = hs_guard_malloc(guard, 1, tag);
    CHECK(hs_guard_init(&other, guarded.heap, NULL) == HS_ERR_ARGUMENT, "not empty");
    CHECK(hs_guard_free(guard, NULL) == HS_OK && hs_guard_free(guard, block) == HS_OK, "free");
    CHECK(hs_guard_init(&other, guarded.heap, NULL) == HS_OK, "empty again");
    CHECK(hs_guard_check(guard) == HS_OK, "check");
    guarded_close(&guarded);
}

int main(void)
{
    check_overflow(HS_POLICY_REPORT);
    check_overflow(HS_POLICY_CONTINUE);
    check_stale(HS_POLICY_REPORT);
    check_stale(HS_POLICY_CONTINUE);
    check_halt();
    check_copied();
    check_walk(1);
    check_walk(2);
    check_walk(64);
    check_init();
    return 0;
}
