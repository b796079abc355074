#include "quote.h"

#include <stdbool.h>
#include <string.h>

#include "form.h"
#include "letters.h"

/* Length of the word at `text` that announces a secret; 0: none does. */
static size_t announces(const char *text)
{
    static const char *const words[] = {"ssid",   "password", "passwd", "passphrase",
                                        "pwd",    "psk",      "secret", "token",
                                        "apikey", "api_key",  "bearer"};
    if (strchr("abpstABPST", text[0]) == NULL) {
        return 0;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t at = 0;
        while (words[i][at] != 0 && hs_log_lower(text[at]) == words[i][at]) {
            at++;
        }
        if (words[i][at] == 0) {
            return at;
        }
    }
    return 0;
}

/* Stars out the value behind such a word: a quoted text, or what comes up to a blank or a comma. */
static char *mask(char *text)
{
    while (*text != 0 && strchr(" \"':=>[(", *text) != NULL) {
        text++;
    }
    const char before = text[-1];
    const char close = before == '"' || before == '\'' ? before : before == '[' ? ']' : 0;
    while (*text != 0 && (close != 0 ? *text != close : strchr(" ,;)}", *text) == NULL)) {
        *text++ = '*';
    }
    return text;
}

void hs_log_quote(char *out, size_t size, const char *text, size_t length)
{
    hs_log_copy(out, size, text, length);
    for (char *at = out; *at != 0;) {
        const size_t word = announces(at);
        at = word == 0 ? at + 1 : mask(at + word);
    }
}
