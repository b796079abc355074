/* Allocates and frees until it is killed; writes a dot to standard output first. Each round's size
 * is its number, so that a trace shows how far it came. */
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    const long limit = count > 1 ? atol(arguments[1]) : -1;
    if (write(1, ".", 1) != 1) {
        return 1;
    }
    for (long i = 1; i != limit + 1; i++) {
        free(malloc((size_t)(i & 0xFFFFF)));
    }
    return 0;
}
