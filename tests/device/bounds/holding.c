#include <stdint.h>
volatile uint32_t sink;
typedef struct hooks {
    void (*lock)(void);
    void (*unlock)(void);
} hooks_t;

__attribute__((noinline)) void take(void)
{
    sink = 1;
}
__attribute__((noinline)) void give(void)
{
    sink = 2;
}
hooks_t hooks = {take, give};

static inline void lock(void)
{
    if (hooks.lock != 0) {
        hooks.lock();
    }
}

static inline void unlock(void)
{
    if (hooks.unlock != 0) {
        hooks.unlock();
    }
}

__attribute__((noinline)) static uint32_t end(uint32_t n)
{
    sink = n;
    sink = n;
    unlock();
    sink = n;
    return n;
}

uint32_t held(uint32_t n)
{
    sink = n;
    lock();
    for (uint32_t i = 0; i < 4 && i < n; i++) { /* bound: 4 */
        sink = i;
    }
    unlock();
    sink = n;
    return n;
}

uint32_t in_turn(uint32_t n)
{
    for (uint32_t i = 0; i < 6 && i < n; i++) { /* bound: 6 */
        lock();
        sink = i;
        sink = end(i);
        sink = i;
    }
    return n;
}

uint32_t nesting(uint32_t n)
{
    lock();
    lock();
    sink = n;
    unlock();
    sink = n;
    unlock();
    return n;
}
