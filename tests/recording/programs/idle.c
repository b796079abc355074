/* idle poll|read: waits for a byte in one system call, which may not end before; then it asks once. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    static char buffer[4096];
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    puts("begun");
    (void)fflush(stdout);
    struct pollfd input = {0, POLLIN, 0};
    if (count > 1 && strcmp(arguments[1], "poll") == 0 && poll(&input, 1, 600000) != 1) {
        return 1;
    }
    char byte = 0;
    if (read(0, &byte, 1) != 1) {
        return 2;
    }
    void *volatile block = malloc(77);
    free(block);
    return 0;
}
