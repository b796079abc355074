/* attached SEED THREADS ROUNDS [OBJECT ...]: threads that ask for memory, pass blocks around, load and
 * unload the objects, and look whether each block is as it was left. The sum that it prints depends on the
 * arguments alone. A signal handler runs all the time. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define SHARED 64

typedef struct block {
    size_t size;
    unsigned char fill, bytes[];
} block_t;

static _Atomic(block_t *) shared[SHARED];
static _Atomic uint64_t sum;
static uint64_t first_seed, rounds;
static int objects;
static char **object_names;
static _Atomic int handled;

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static block_t *filled(block_t *block, size_t size, unsigned char fill)
{
    require(block != NULL);
    block->size = size;
    block->fill = fill;
    memset(block->bytes, fill, size);
    return block;
}

static void check(const block_t *block)
{
    for (size_t i = 0; block != NULL && i < block->size; i++) {
        require(block->bytes[i] == block->fill);
    }
}

static block_t *made(uint64_t *seed)
{
    const size_t size = next(seed) % (next(seed) % 16 == 0 ? 20000 : 300);
    const size_t whole = sizeof(block_t) + size;
    void *match = NULL;
    switch (next(seed) % 4) {
    case 0:
        match = calloc(1, whole);
        break;
    case 1:
        require(posix_memalign(&match, 64, whole) == 0);
        break;
    default:
        match = malloc(whole);
        break;
    }
    return filled(match, size, (unsigned char)next(seed));
}

static void *work(void *number)
{
    uint64_t seed = first_seed + (uintptr_t)number, own = 0;
    double state = 1.0; /* in a vector register */
    for (uint64_t i = 0; i < rounds; i++) {
        block_t *block = made(&seed);
        own = own * 31 + block->size + block->fill;
        state = state * 1.0000001 + (double)block->size * 1e-9;
        if (next(&seed) % 3 == 0) {
            const size_t size = next(&seed) % 4000;
            const unsigned char fill = block->fill;
            check(block);
            block = filled(realloc(block, sizeof *block + size), size, fill);
        }
        block = atomic_exchange(&shared[next(&seed) % SHARED], block);
        check(block);
        free(block);
        if (i % 64 == 0) {
            char *copy = strdup("calls within the C library");
            own += strlen(copy);
            free(copy);
        }
        if (i % 256 == 0) {
            usleep(100);
        }
        if (objects != 0 && i % 512 == 0) {
            void *object = dlopen(object_names[next(&seed) % (unsigned)objects], RTLD_NOW);
            void *(*plugin)(size_t) = NULL;
            require(object != NULL);
            *(void **)&plugin = dlsym(object, "plugin");
            free(plugin(((size_t)1 << 20) + next(&seed) % 100)); /* larger than any other */
            dlclose(object);
        }
    }
    atomic_fetch_add(&sum, own ^ (uint64_t)(state * 1e12));
    return NULL;
}

static void note(int number)
{
    (void)number;
    handled++;
}

int main(int count, char **arguments)
{
    first_seed = strtoull(arguments[1], NULL, 10);
    const int threads = atoi(arguments[2]);
    rounds = strtoull(arguments[3], NULL, 10);
    objects = count - 4;
    object_names = arguments + 4;
    const struct itimerval often = {{0, 3000}, {0, 3000}};
    signal(SIGALRM, note);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    pthread_t handles[64];
    puts("begun");
    fflush(stdout);
    for (intptr_t i = 0; i < threads; i++) {
        require(pthread_create(&handles[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(handles[i], NULL);
    }
    for (int i = 0; i < SHARED; i++) {
        check(shared[i]);
        free(shared[i]);
    }
    printf("%llu %d\n", (unsigned long long)sum, handled > 0);
    return 7;
}
