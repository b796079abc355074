/* A script as a text that lies in no heap. */
#ifndef HEAPSCOPE_PROGRAMS_TEXT_FILE_H
#define HEAPSCOPE_PROGRAMS_TEXT_FILE_H

#include <stdio.h>

#define TEXT_FILE_MAX 16384u

/* Its bytes, with a 0 behind them; 0: it cannot be read, or is too long. */
static size_t text_file_read(const char *path, char text[TEXT_FILE_MAX])
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    const size_t count = fread(text, 1, TEXT_FILE_MAX, file);
    fclose(file);
    if (count == TEXT_FILE_MAX) {
        return 0;
    }
    text[count] = '\0';
    return count;
}

#endif
