// What a core does around a sketch; its line is a file, open from begin() on.
#include "Arduino.h"

#include <stdio.h>

Line Serial;
static FILE *line;
static char buffer[1 << 16];
static const char *path;

void Line::begin(unsigned long)
{
    line = fopen(path, "wb");
    setvbuf(line, buffer, _IOFBF, sizeof buffer);
}

int Line::availableForWrite()
{
    return line == nullptr ? 0 : 63; // as much as its buffer has
}

size_t Line::write(const uint8_t *bytes, size_t count)
{
    return fwrite(bytes, 1, count, line);
}

unsigned long micros(void)
{
    static unsigned long now;
    return now += 7;
}

int main(int argc, char **argv)
{
    path = argc > 1 ? argv[1] : "recorded.hst";
    setup();
    for (int i = 0; i < 200; i++) {
        loop();
        serialEventRun();
    }
    fclose(line);
    return 0;
}
