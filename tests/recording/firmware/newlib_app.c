#include <stddef.h>
#include <stdlib.h>

struct _reent;
extern struct _reent *_impure_ptr;
void *_malloc_r(struct _reent *own, size_t size);
void *_memalign_r(struct _reent *own, size_t align, size_t size);
void _free_r(struct _reent *own, void *block);

/* A function of the library, such as printf. */
static void library_call(void)
{
    _free_r(_impure_ptr, _malloc_r(_impure_ptr, 501));
}

int main(void)
{
    char *block = malloc(502);
    library_call();
    block = realloc(block, 503);
    free(calloc(2, 252));
    (void)_memalign_r(_impure_ptr, 64, 505);
    free(block);
    return malloc(2 << 20) == NULL ? 0 : 1;
}
