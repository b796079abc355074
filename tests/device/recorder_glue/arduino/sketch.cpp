// A sketch that knows nothing of a recorder.
#include <stdlib.h>

#include "Arduino.h"

static void *volatile kept[4];

void setup()
{
    for (auto &block : kept) {
        block = malloc(100);
    }
}

void loop()
{
    void *volatile block = malloc(20);
    kept[0] = realloc(kept[0], 50);
    free(block);
}
