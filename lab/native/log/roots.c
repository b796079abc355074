#include "roots.h"

#include <stdbool.h>
#include <stddef.h>

static const struct {
    const char *text;
    uint32_t means;
} roots[] = {
    /* by the first letter, so that a text is compared with few */
    {"alloc", HS_ROOT_ALLOC},   {"avail", HS_ROOT_FREE}, {"code", HS_ROOT_ERROR},
    {"err", HS_ROOT_ERROR},     {"fail", HS_ROOT_ERROR}, {"free", HS_ROOT_FREE},
    {"handshake", HS_ROOT_TLS}, {"heap", HS_ROOT_FREE},  {"largest", HS_ROOT_FREE},
    {"left", HS_ROOT_FREE},     {"lfb", HS_ROOT_FREE},   {"mem", HS_ROOT_ALLOC},
    {"remain", HS_ROOT_FREE},   {"res=", HS_ROOT_ERROR}, {"return", HS_ROOT_ERROR},
    {"ssl", HS_ROOT_TLS},       {"tls", HS_ROOT_TLS},    {"x509", HS_ROOT_TLS},
};
#define ROOTS (sizeof roots / sizeof roots[0])

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

/* Has a root this first letter? */
static bool begins_root(char letter)
{
    const uint32_t letters = 1u << ('a' - 'a') | 1u << ('c' - 'a') | 1u << ('e' - 'a') |
                             1u << ('f' - 'a') | 1u << ('h' - 'a') | 1u << ('l' - 'a') |
                             1u << ('m' - 'a') | 1u << ('r' - 'a') | 1u << ('s' - 'a') |
                             1u << ('t' - 'a') | 1u << ('x' - 'a');
    return letter >= 'a' && letter <= 'z' && (letters >> (letter - 'a') & 1u) != 0;
}

uint32_t hs_log_roots(const char *text)
{
    uint32_t match = 0;
    for (; *text != 0; text++) {
        const char letter = lower(*text);
        for (size_t i = begins_root(letter) ? 0 : ROOTS; i < ROOTS && roots[i].text[0] <= letter;
             i++) {
            size_t same = 0;
            while (roots[i].text[same] != 0 && lower(text[same]) == roots[i].text[same]) {
                same++;
            }
            match |= roots[i].text[same] == 0 ? roots[i].means : 0;
        }
    }
    return match;
}
