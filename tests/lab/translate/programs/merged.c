/* Functions with the same code, of which an optimising compiler makes one. */
#include <stdlib.h>

struct pointers {
    void *a, *b;
};
struct numbers {
    long long a, b;
};

static struct pointers *pointers(void)
{
    return malloc(sizeof(struct pointers));
}

static struct numbers *numbers(void)
{
    return malloc(sizeof(struct numbers));
}

int main(void)
{
    free(pointers());
    free(numbers());
    return 0;
}
