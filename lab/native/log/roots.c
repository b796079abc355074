#include "roots.h"

#include <stddef.h>

#include "letters.h"

static const struct {
    const char *text;
    uint32_t means;
} roots[] = {
    /* by the first letter, so that a text is compared with few */
    {"alloc", HS_ROOT_ALLOC},   {"avail", HS_ROOT_FREE},  {"code", HS_ROOT_ERROR},
    {"err", HS_ROOT_ERROR},     {"fail", HS_ROOT_ERROR},  {"free", HS_ROOT_FREE},
    {"handshake", HS_ROOT_TLS}, {"heap", HS_ROOT_FREE},   {"largest", HS_ROOT_FREE},
    {"left", HS_ROOT_FREE},     {"lfb", HS_ROOT_FREE},    {"mem", HS_ROOT_ALLOC},
    {"out of", HS_ROOT_ALLOC},  {"remain", HS_ROOT_FREE}, {"res=", HS_ROOT_ERROR},
    {"return", HS_ROOT_ERROR},  {"ssl", HS_ROOT_TLS},     {"tls", HS_ROOT_TLS},
    {"x509", HS_ROOT_TLS},
};
#define ROOTS (sizeof roots / sizeof roots[0])

/* Where the roots of each letter from 'a' on begin in the table; those of the next letter end them. */
static const uint8_t begins[27] = {0,  2,  2,  3,  3,  4,  6,  6,  8,  8,  8,  8,  11, 12,
                                   12, 13, 13, 13, 16, 17, 18, 18, 18, 18, 19, 19, 19};
_Static_assert(ROOTS == 19, "begins has the places of all roots");

uint32_t hs_log_roots(const char *text)
{
    uint32_t match = 0;
    for (; *text != 0; text++) {
        const char letter = hs_log_lower(*text);
        if (letter < 'a' || letter > 'z') {
            continue;
        }
        for (size_t i = begins[letter - 'a']; i < begins[letter - 'a' + 1]; i++) {
            size_t same = 1;
            while (roots[i].text[same] != 0 && hs_log_lower(text[same]) == roots[i].text[same]) {
                same++;
            }
            match |= roots[i].text[same] == 0 ? roots[i].means : 0;
        }
    }
    return match;
}
