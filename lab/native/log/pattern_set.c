#include "pattern_set.h"

void hs_set_add(uint8_t *set, unsigned first, unsigned last)
{
    for (unsigned byte = first; byte <= last; byte++) {
        set[byte / 8] |= (uint8_t)(1u << byte % 8);
    }
}

bool hs_set_has(const uint8_t *set, unsigned byte)
{
    return (set[byte / 8] & 1u << byte % 8) != 0;
}

void hs_set_invert(uint8_t *set)
{
    for (unsigned i = 0; i < 32; i++) {
        set[i] = (uint8_t)~set[i];
    }
}

/* \d, \w, \s and what they are not, added to a set; false: not a class letter. */
bool hs_set_add_class(uint8_t *set, char letter)
{
    uint8_t match[32] = {0};
    switch (letter | 0x20) {
    case 'd':
        hs_set_add(match, '0', '9');
        break;
    case 'w':
        hs_set_add(match, '0', '9');
        hs_set_add(match, 'a', 'z');
        hs_set_add(match, 'A', 'Z');
        hs_set_add(match, '_', '_');
        break;
    case 's':
        hs_set_add(match, ' ', ' ');
        hs_set_add(match, '\t', '\r');
        break;
    default:
        return false;
    }
    if ((letter & 0x20) == 0) {
        hs_set_invert(match);
    }
    for (unsigned i = 0; i < 32; i++) {
        set[i] |= match[i];
    }
    return true;
}

void hs_set_fold(uint8_t *set)
{
    for (unsigned letter = 'a'; letter <= 'z'; letter++) {
        if (hs_set_has(set, letter) || hs_set_has(set, letter & ~0x20u)) {
            hs_set_add(set, letter, letter);
            hs_set_add(set, letter & ~0x20u, letter & ~0x20u);
        }
    }
}
