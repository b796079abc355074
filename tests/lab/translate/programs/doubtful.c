/* Requests that look like those of a type, and have another size on a chip than the type tells. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct item {
    void *a, *b;
};
struct three {
    void *a, *b, *c;
};
struct tail {
    long count;
    char kind;
    char data[];
};
#if LONG_MAX > INT_MAX
typedef uint64_t limb_t;
#else
typedef uint32_t limb_t;
#endif
struct number {
    limb_t low, high;
};
struct other {
    void *a;
#if LONG_MAX > INT_MAX
    void *b;
#endif
    char text[8];
};
#define WORDS (64 / sizeof(void *))
struct words {
    void *each[WORDS];
    int used;
};
struct __attribute__((packed)) tight {
    char kind;
    void *next;
    long long wide;
};
struct clocked {
    time_t at;
    void *next;
};
#define WRAPPED struct item wrapped;
struct by_macro {
    WRAPPED
    int more;
};

static void *with_header(size_t bytes)
{
    size_t *built = malloc(bytes + 2 * sizeof(void *));
    built[0] = bytes;
    return built + 2;
}

static void without_header(void *built)
{
    free((size_t *)built - 2);
}

struct item *headed(void)
{
    struct item *built = with_header(sizeof *built);
    built->a = NULL;
    return built;
}

static void *with_eight(size_t bytes)
{
    return malloc(bytes + 8);
}

struct three *summed(void)
{
    struct three *built = with_eight(sizeof(struct item));
    built->a = NULL;
    return built;
}

struct item *and_more(int bytes)
{
    struct item *built = malloc(sizeof(struct item) + bytes);
    built->a = NULL;
    return built;
}

struct tail *open_ended(int bytes)
{
    struct tail *built = malloc(sizeof(struct tail) + bytes);
    built->count = bytes;
    return built;
}

struct number *number(void)
{
    struct number *built = malloc(sizeof *built);
    built->low = 1;
    return built;
}

limb_t *limbs(int count)
{
    limb_t *built = malloc(count * sizeof *built);
    built[0] = 1;
    return built;
}

struct other *other(void)
{
    struct other *built = malloc(sizeof *built);
    built->a = NULL;
    return built;
}

struct words *words(void)
{
    struct words *built = malloc(sizeof *built);
    built->used = 0;
    return built;
}

struct tight *tight(void)
{
    struct tight *built = malloc(sizeof *built);
    built->kind = 0;
    return built;
}

struct clocked *clocked(void)
{
    struct clocked *built = malloc(sizeof *built);
    built->next = NULL;
    return built;
}

struct by_macro *by_macro(void)
{
    struct by_macro *built = malloc(sizeof *built);
    built->more = 0;
    return built;
}

struct item *counted(void)
{
    struct item *built = malloc(WORDS * sizeof(struct item));
    built->a = NULL;
    return built;
}

char *arena(void)
{
    char *built = malloc(10 * sizeof(struct item) + 5);
    built[0] = 0;
    return built;
}

struct item *by_chance(int bytes)
{
    struct item *built = malloc(bytes);
    if (built != NULL) {
        memset(built, 0, bytes);
    }
    return built;
}

int main(void)
{
    without_header(headed());
    free(summed());
    free(and_more(16));
    free(and_more(32));
    free(open_ended(16));
    free(open_ended(21));
    free(number());
    free(limbs(6));
    free(other());
    free(words());
    free(tight());
    free(clocked());
    free(by_macro());
    free(counted());
    free(arena());
    free(by_chance(16));
    free(by_chance(48));
    return 0;
}
