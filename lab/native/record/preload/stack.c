#include "stack.h"

#include "modules.h"
#include "session.h"
#include "system.h"
#include "unwind.h"

#define STACKS (1u << 20) /* as many as a trace has sites for */
#define PROBES 64u
#define REACH ((uintptr_t)1 << 26) /* most bytes between two frames of one stack */

/* Stacks by their hash: the place is the number. 8 MB, of which what is used is touched. */
static _Atomic(_Atomic uint64_t *) table;

typedef struct cursor {
    uintptr_t at, stack, pointer; /* return address, stack and frame pointer there */
    uintptr_t saved;              /* where that frame pointer was read; 0: it did not change */
} cursor_t;

/* Where the stack of this thread ends at the latest; 0 where it is not one of the C library's. */
static uintptr_t stack_end(uintptr_t stack)
{
    const uintptr_t end = hs_rec_is_main_thread() ? (uintptr_t)environ
                          : pthread_self != NULL  ? pthread_self()
                                                  : 0;
    return end > stack && end - stack < (REACH << 4) ? end : 0;
}

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

#if defined(__x86_64__) || defined(__i386__)

/* To the caller's frame; false: no caller, or the way is not known. */
static bool step(cursor_t *cursor)
{
    const hs_rec_rule_t rule = hs_rec_unwind_rule(cursor->at);
    if (rule.base == HS_REC_BASE_END) {
        return false;
    }
    const uintptr_t base = rule.base == HS_REC_BASE_STACK ? cursor->stack : cursor->pointer;
    const uintptr_t frame = base + (uintptr_t)(intptr_t)rule.frame;
    if (frame <= cursor->stack || frame - cursor->stack > REACH || frame % sizeof(void *) != 0) {
        return false;
    }
    if (rule.base == HS_REC_BASE_GUESS && frame > stack_end(cursor->stack)) {
        return false; /* the register holds something else, and what it points to may not be there */
    }
    cursor->at = word_at(frame - sizeof(void *));
    cursor->saved = rule.keeps_pointer ? frame + (uintptr_t)(intptr_t)rule.pointer : 0;
    if (cursor->saved != 0) {
        cursor->pointer = word_at(cursor->saved);
    }
    cursor->stack = frame;
    return cursor->at > 4096u;
}

static cursor_t caller_of(const void *frame)
{
    const uintptr_t at = (uintptr_t)frame;
    return (cursor_t){word_at(at + sizeof(void *)), at + 2 * sizeof(void *), word_at(at), 0};
}

/* Whether the frame is still as it was when the walk before passed it from an equal one. */
static bool is_unchanged(const cursor_t *outer)
{
    return word_at(outer->stack - sizeof(void *)) == outer->at &&
           (outer->saved == 0 || word_at(outer->saved) == outer->pointer);
}

#else /* where frame pointers are kept by custom: the pair of pointer and return address */

#if defined(__riscv)
#define PAIR (-2 * (intptr_t)sizeof(void *))
#else
#define PAIR 0
#endif

static cursor_t caller_of(const void *frame)
{
    const uintptr_t pair = (uintptr_t)frame + (uintptr_t)PAIR;
    return (cursor_t){word_at(pair + sizeof(void *)), pair, word_at(pair), 0};
}

static bool step(cursor_t *cursor)
{
    const uintptr_t pair = cursor->pointer + (uintptr_t)PAIR;
    if (pair <= cursor->stack || pair >= stack_end(cursor->stack) || pair % sizeof(void *) != 0) {
        return false;
    }
    *cursor = (cursor_t){word_at(pair + sizeof(void *)), pair, word_at(pair), 0};
    return cursor->at > 4096u;
}

static bool is_unchanged(const cursor_t *outer)
{
    return word_at(outer->stack + sizeof(void *)) == outer->at &&
           word_at(outer->stack) == outer->pointer;
}

#endif

/* ---- the walk ---- */

/* The frames of this thread's last walk. Allocations that follow each other mostly differ in their
 * innermost frames: where a walk comes to a frame of the last one, those outside of it are the same
 * if the words of the stack are, and no rule is asked. */
typedef struct walk {
    cursor_t frames[HS_REC_FRAMES_MAX];
    unsigned count;
    uint32_t age;
} walk_t;

#if HS_REC_IS_ATTACHED
/* An object that is loaded late finds no such room beside the threads: each walk is the first one. */
static const walk_t last;

static void remember(const cursor_t *walked, unsigned count, uint32_t age)
{
    (void)walked, (void)count, (void)age;
}
#else
static _Thread_local walk_t last;

static void remember(const cursor_t *walked, unsigned count, uint32_t age)
{
    last.count = 0; /* a signal handler's walk in between must not find half of it */
    for (unsigned i = 0; i < count; i++) {
        last.frames[i] = walked[i];
    }
    last.age = age;
    last.count = count;
}
#endif

static bool is_same(const cursor_t *left, const cursor_t *right)
{
    return left->at == right->at && left->stack == right->stack && left->pointer == right->pointer;
}

/* Fills `walked` from the caller's frame outwards; returns how many. */
static unsigned walk(cursor_t *walked, unsigned most, const void *frame)
{
    cursor_t cursor = caller_of(frame);
    unsigned count = 0, old = 0;
    walked[count++] = cursor;
    bool more = count < most;
    while (more) {
        while (old < last.count && last.frames[old].stack < cursor.stack) {
            old++;
        }
        if (old < last.count && is_same(&last.frames[old], &cursor)) {
            for (old++; old < last.count && count < most && is_unchanged(&last.frames[old]);
                 old++) {
                cursor = walked[count++] = last.frames[old];
            }
        }
        more = count < most && step(&cursor);
        if (more) {
            walked[count++] = cursor;
            more = count < most;
        }
    }
    return count;
}

/* ---- numbers ---- */

static _Atomic uint64_t *table_get(void)
{
    _Atomic uint64_t *match = atomic_load_explicit(&table, memory_order_acquire);
    if (match == NULL) {
        _Atomic uint64_t *built = hs_rec_map(-1, 0, STACKS * sizeof(uint64_t));
        if (built == NULL) {
            return NULL;
        }
        if (atomic_compare_exchange_strong(&table, &match, built)) {
            return built;
        }
        hs_rec_unmap(built, STACKS * sizeof(uint64_t)); /* another thread was first */
    }
    return match;
}

void hs_rec_stacks_forget(void)
{
    _Atomic uint64_t *match = atomic_exchange(&table, NULL);
    if (match != NULL) {
        hs_rec_unmap(match, STACKS * sizeof(uint64_t));
    }
}

/* Tells a walk's frames, and HS_REC_FRAME_CUT behind them where the stack goes on. */
static void announce(uint32_t number, uint64_t *frames, unsigned count, cursor_t outermost)
{
    hs_rec_modules_announce(frames, count);
    if (count == hs_rec_own->frames && step(&outermost)) {
        frames[count++] = HS_REC_FRAME_CUT;
    }
    hs_rec_put_text((const char *)frames, count * sizeof *frames);
    hs_rec_put(HS_REC_STACK, number, count, 0, 0);
}

/* Whoever comes first with a stack says what it is; others may use the number before that is
 * written, as names are looked at when all is over. */
static uint32_t number_of(uint64_t hash, uint64_t *frames, unsigned count, cursor_t outermost)
{
    _Atomic uint64_t *known = table_get();
    if (known == NULL) {
        return 0;
    }
    for (unsigned i = 0; i < PROBES; i++) {
        const uint32_t at = ((uint32_t)(hash >> 40) + i) & (STACKS - 1u);
        uint64_t held = atomic_load_explicit(&known[at], memory_order_relaxed);
        if (held == hash) {
            return at;
        }
        if (held == 0 && at != 0 && atomic_compare_exchange_strong(&known[at], &held, hash)) {
            announce(at, frames, count, outermost);
            return at;
        }
        if (held == hash) {
            return at;
        }
    }
    return 0;
}

/* Each address is mixed by itself, so that a processor does several at a time; its place counts.
 * So does the age: the same addresses are other functions once code was unloaded. */
static uint64_t hash_of(const uint64_t *frames, unsigned count, uint32_t age)
{
    uint64_t sum = count + ((uint64_t)age << 32);
    for (unsigned i = 0; i < count; i++) {
        uint64_t mixed = frames[i] * UINT64_C(0x9E3779B97F4A7C15);
        mixed ^= mixed >> 32;
        sum += mixed * (UINT64_C(0xD6E8FEB86659FD93) * (2u * i + 1u) | 1u);
    }
    sum ^= sum >> 29;
    return sum * UINT64_C(0x9E3779B97F4A7C15) | 1u;
}

__attribute__((noinline)) uint32_t hs_rec_stack(const void *frame)
{
    if (hs_rec_thread.ring != hs_rec_own->ring && hs_rec_enter() == NULL) {
        return 0; /* not recorded, or a call within one of ours */
    }
    const uint32_t age = hs_rec_unwind_age();
    if (last.age != age) { /* code was unloaded, and other code may lie there now */
        remember(NULL, 0, age);
    }
    cursor_t walked[HS_REC_FRAMES_MAX];
    uint64_t frames[HS_REC_FRAMES_MAX + 1];
    const unsigned count = walk(walked, hs_rec_own->frames, frame);
    remember(walked, count, age);
    for (unsigned i = 0; i < count; i++) {
        frames[i] = walked[i].at;
    }
    return number_of(hash_of(frames, count, age), frames, count, walked[count - 1]);
}
