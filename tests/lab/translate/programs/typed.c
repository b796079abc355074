/* Requests whose types debug information tells, in the ways in which C programs write them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct point {
    long x;
    char mark;
    void *owner;
};
typedef struct entry {
    struct entry *next, *before;
    uint64_t stamp;
    struct point at[3];
    double weight;
    unsigned kind : 3, level : 7;
    char name[10];
} entry_t;
union value {
    void *pointer;
    long whole;
    char bytes[12];
};
struct table {
    entry_t *first;
    union value *values;
    size_t count;
    const char **names;
};

#define NEW(type) ((type *)malloc(sizeof(type)))

static struct table *table;

static void *checked(size_t bytes)
{
    void *built = malloc(bytes);
    if (built == NULL) {
        abort();
    }
    return built;
}

static void *handed_on(size_t bytes)
{
    return checked(bytes);
}

static void *(*allocate)(size_t) = malloc;

entry_t *in_a_variable(void)
{
    entry_t *built = malloc(sizeof *built);
    if (built == NULL) {
        return NULL;
    }
    built->next = NULL;
    return built;
}

void in_a_member(struct table *of)
{
    of->first = malloc(sizeof(entry_t));
    of->count = 1;
}

struct point *returned(void)
{
    return malloc(sizeof(struct point));
}

struct point *by_a_wrapper(void)
{
    struct point *built = checked(sizeof *built);
    built->x = 1;
    return built;
}

union value *by_two_wrappers(int count)
{
    union value *made = handed_on((size_t)count * sizeof(union value));
    made[0].whole = count;
    return made;
}

struct table *by_a_macro(void)
{
    struct table *built = NEW(struct table);
    built->count = 0;
    return built;
}

entry_t *by_a_pointer(void)
{
    entry_t *built = allocate(sizeof(entry_t));
    built->next = NULL;
    return built;
}

const char **of_pointers(int count)
{
    const char **built = calloc(count, sizeof *built);
    built[0] = "";
    return built;
}

struct point *grown(struct point *old, int count)
{
    struct point *built = realloc(old, sizeof(struct point) * (count + 1));
    built[count].mark = 1;
    return built;
}

char *text(const char *of)
{
    char *built = malloc(strlen(of) + 1);
    strcpy(built, of);
    return built;
}

char *buffer(void)
{
    char *built = malloc(100);
    built[0] = 0;
    return built;
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        table = by_a_macro();
        in_a_member(table);
        table->values = by_two_wrappers(5 + round);
        table->names = of_pointers(7 + round);
        entry_t *one = in_a_variable(), *other = by_a_pointer();
        struct point *first = returned(), *second = by_a_wrapper();
        first = grown(first, 3 + round);
        char *letters = text("a text"), *room = buffer();
        free(table->first);
        free(table->values);
        free(table->names);
        free(one);
        free(other);
        free(first);
        free(second);
        free(letters);
        free(room);
        free(table);
    }
    return 0;
}
