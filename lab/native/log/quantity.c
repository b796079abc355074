#include "quantity.h"

#include <string.h>

#include "form.h"
#include "letters.h"

hs_log_quantity_t hs_log_quantity_read(const char *text, size_t at)
{
    hs_log_quantity_t number = {0};
    number.is_hex = text[at] == '0' && hs_log_lower(text[at + 1]) == 'x';
    at += number.is_hex ? 2 : 0;
    for (int digits = 0; digits < 15; digits++, at++) {
        const char byte = hs_log_lower(text[at]);
        if (byte >= '0' && byte <= '9') {
            number.value = number.value * (number.is_hex ? 16 : 10) + (byte - '0');
        } else if (number.is_hex && byte >= 'a' && byte <= 'f') {
            number.value = number.value * 16 + (byte - 'a' + 10);
        } else {
            break;
        }
    }
    number.end = at;
    const char *unit = text + at + strspn(text + at, " ");
    const bool word = hs_log_lower(unit[0]) == 'b' && hs_log_lower(unit[1]) == 'y' &&
                      hs_log_lower(unit[2]) == 't' && hs_log_lower(unit[3]) == 'e';
    number.in_bytes = word || (hs_log_lower(unit[0]) == 'b' && !hs_log_word_byte(unit[1]));
    const char *giant = unit + (unit[0] == '.' ? 1 + strspn(unit + 1, "0123456789 ") : 0);
    number.is_giant = strncmp(giant, "GiB", 3) == 0 || strncmp(giant, "GB", 2) == 0;
    return number;
}
