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
    size_t *made = malloc(bytes + 2 * sizeof(void *));
    made[0] = bytes;
    return made + 2;
}

static void without_header(void *made)
{
    free((size_t *)made - 2);
}

struct item *headed(void)
{
    struct item *made = with_header(sizeof *made);
    made->a = NULL;
    return made;
}

static void *with_eight(size_t bytes)
{
    return malloc(bytes + 8);
}

struct three *summed(void)
{
    struct three *made = with_eight(sizeof(struct item));
    made->a = NULL;
    return made;
}

struct item *and_more(int bytes)
{
    struct item *made = malloc(sizeof(struct item) + bytes);
    made->a = NULL;
    return made;
}

struct tail *open_ended(int bytes)
{
    struct tail *made = malloc(sizeof(struct tail) + bytes);
    made->count = bytes;
    return made;
}

struct number *number(void)
{
    struct number *made = malloc(sizeof *made);
    made->low = 1;
    return made;
}

limb_t *limbs(int count)
{
    limb_t *made = malloc(count * sizeof *made);
    made[0] = 1;
    return made;
}

struct other *other(void)
{
    struct other *made = malloc(sizeof *made);
    made->a = NULL;
    return made;
}

struct words *words(void)
{
    struct words *made = malloc(sizeof *made);
    made->used = 0;
    return made;
}

struct tight *tight(void)
{
    struct tight *made = malloc(sizeof *made);
    made->kind = 0;
    return made;
}

struct clocked *clocked(void)
{
    struct clocked *made = malloc(sizeof *made);
    made->next = NULL;
    return made;
}

struct by_macro *by_macro(void)
{
    struct by_macro *made = malloc(sizeof *made);
    made->more = 0;
    return made;
}

struct item *counted(void)
{
    struct item *made = malloc(WORDS * sizeof(struct item));
    made->a = NULL;
    return made;
}

char *arena(void)
{
    char *made = malloc(10 * sizeof(struct item) + 5);
    made[0] = 0;
    return made;
}

struct item *by_chance(int bytes)
{
    struct item *made = malloc(bytes);
    if (made != NULL) {
        memset(made, 0, bytes);
    }
    return made;
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
