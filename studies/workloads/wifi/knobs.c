#include "knobs.h"

#include <stdlib.h>
#include <string.h>

hs_knobs_t hs_knobs = {
#define VALUE(name, value) .name = value,
    HS_KNOBS(VALUE)
#undef VALUE
};

bool hs_knobs_word(const char *word)
{
    static const struct {
        const char *name;
        uint32_t *value;
    } known[] = {
#define PLACE(name, value) {#name, &hs_knobs.name},
        HS_KNOBS(PLACE)
#undef PLACE
    };
    const char *equals = strchr(word, '=');
    for (size_t i = 0; equals != NULL && i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == (size_t)(equals - word) &&
            strncmp(known[i].name, word, (size_t)(equals - word)) == 0) {
            char *end = NULL;
            *known[i].value = (uint32_t)strtoul(equals + 1, &end, 10);
            return end != equals + 1 && *end == 0;
        }
    }
    return false;
}
