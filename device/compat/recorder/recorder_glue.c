/* Who is within a request whose inner calls are not recorded: tasks by handle, and handlers by core. */
#include "recorder_glue.h"

#define HANDLERS HS_RECORDER_CORES

static uintptr_t tasks[HS_RECORDER_TASKS]; /* handle + 1; 0: the place is free */
static uint32_t handlers[HANDLERS];        /* 1: the handler that runs on this core is */
static uint32_t inside;                    /* how many there are */

HS_RECORDER_CODE static uintptr_t *place_of(uintptr_t wanted)
{
    for (unsigned i = 0; i < HS_RECORDER_TASKS; i++) {
        if (tasks[i] == wanted) {
            return &tasks[i];
        }
    }
    return NULL;
}

HS_RECORDER_CODE bool hs_recorder_is_inside(void)
{
    if (HS_RECORDER_LOAD(&inside) == 0) {
        return false;
    }
    return HS_RECORDER_IN_INTERRUPT() ? handlers[HS_RECORDER_CORE()] != 0
                                      : place_of(HS_RECORDER_TASK() + 1u) != NULL;
}

/* A place of `tasks` is taken by one task, and with several cores by one step of a word. */
HS_RECORDER_CODE static bool take_place(uintptr_t mark)
{
    for (unsigned i = 0; i < HS_RECORDER_TASKS; i++) {
#if HS_RECORDER_CORES > 1
        uintptr_t none = 0;
        if (__atomic_compare_exchange_n(&tasks[i], &none, mark, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
#else
        if (tasks[i] == 0) {
            tasks[i] = mark;
            return true;
        }
#endif
    }
    return false;
}

HS_RECORDER_CODE bool hs_recorder_enter(void)
{
    if (hs_recorder_is_inside()) {
        return false;
    }
    const uintptr_t before = HS_RECORDER_MASK();
    bool done = true;
    if (HS_RECORDER_IN_INTERRUPT()) {
        handlers[HS_RECORDER_CORE()] = 1;
    } else {
        done = take_place(HS_RECORDER_TASK() + 1u);
    }
    if (done) {
        (void)HS_RECORDER_NEXT(&inside);
    }
    HS_RECORDER_RESTORE(before);
    return done;
}

HS_RECORDER_CODE void hs_recorder_leave(void)
{
    const uintptr_t before = HS_RECORDER_MASK();
    if (HS_RECORDER_IN_INTERRUPT()) {
        handlers[HS_RECORDER_CORE()] = 0;
    } else {
        uintptr_t *const place = place_of(HS_RECORDER_TASK() + 1u);
        if (place != NULL) {
            *place = 0;
        }
    }
#if HS_RECORDER_CORES > 1
    (void)__atomic_fetch_sub(&inside, 1u, __ATOMIC_RELAXED);
#else
    inside--;
#endif
    HS_RECORDER_RESTORE(before);
}
