/* The command ends at once. A process that it leaves behind is quiet for long, and then asks for memory. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    void *block = malloc(11);
    if (fork() == 0) {
        if (fork() == 0) { /* its parent is gone as well */
            usleep(1000 * (argc > 1 ? atoi(argv[1]) : 0));
            for (int i = 0; i < 1000; i++) {
                free(malloc(2000 + i));
            }
        }
        _exit(0);
    }
    free(block);
    return 0;
}
