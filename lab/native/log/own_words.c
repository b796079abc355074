#include "own_words.h"

#include <string.h>

#include "form.h"
#include "letters.h"
#include "measure.h"

static bool letter(char byte)
{
    return hs_log_word_byte(byte) && byte != '_';
}

/* "largest block", "16 bytes". */
static hs_log_own_status_t meaning_read(hs_log_own_word_t *word, const char *text, size_t length,
                                        size_t *at)
{
    char meaning[96];
    hs_log_copy(meaning, sizeof meaning, text, length);
    length = strlen(meaning);
    for (*at = 0; *at < length;) {
        if (!letter(meaning[*at])) {
            (*at)++;
            continue;
        }
        size_t end = *at;
        while (letter(meaning[end])) {
            end++;
        }
        const hs_log_word_t one = hs_log_word_find(meaning + *at, end - *at);
        if (one.means != 0) {
            word->means |= one.means;
            word->memory = one.means & HS_WORD_MEMORY ? one.memory : word->memory;
        } else if (end - *at == 5 && strncmp(meaning + *at, "other", 5) == 0) {
            word->means |= HS_WORD_OTHER;
        } else if (hs_log_is_digit(meaning[*at])) {
            const hs_log_number_t size = hs_log_number_read(meaning, *at);
            if (!size.has_unit || size.value < 1 || size.value > 1 << 20) {
                return HS_LOG_OWN_UNKNOWN;
            }
            word->unit = (uint32_t)size.value;
            end = size.end;
        } else {
            return HS_LOG_OWN_UNKNOWN;
        }
        *at = end;
    }
    *at = 0;
    const uint32_t says = HS_WORD_MEASURES | HS_WORD_MEMORY | HS_WORD_HEAP | HS_WORD_NO_HEAP;
    if ((word->means & says) == 0 && word->unit == 0) {
        return HS_LOG_OWN_NOTHING;
    }
    if (word->means & HS_WORD_MEASURES && (word->means & HS_WORD_NO_HEAP) == 0) {
        word->means |= HS_WORD_HEAP; /* the user says so */
    }
    return HS_LOG_OWN_OK;
}

hs_log_own_status_t hs_log_own_add(hs_log_own_words_t *own, const char *word, size_t length,
                                   const char *meaning, size_t meaning_length, size_t *at)
{
    *at = 0;
    if (own->count == HS_LOG_OWN_WORDS) {
        return HS_LOG_OWN_MANY;
    }
    hs_log_own_word_t *one = &own->word[own->count];
    if (length == 0 || length > HS_LOG_OWN_WORD_MAX ||
        (!letter(word[0]) && (unsigned char)word[0] < 0x80) || hs_log_is_digit(word[0])) {
        return HS_LOG_OWN_LENGTH;
    }
    memset(one, 0, sizeof *one);
    for (size_t i = 0; i < length; i++) {
        one->text[i] = hs_log_lower(word[i]);
    }
    one->length = (uint8_t)length;
    const hs_log_own_status_t status = meaning_read(one, meaning, meaning_length, at);
    own->count += status == HS_LOG_OWN_OK;
    return status;
}

/* Does the word begin and end here? A word of letters ends where they do. */
static bool is_here(const hs_log_own_word_t *word, const char *text, size_t at)
{
    size_t same = 0;
    while (same < word->length && hs_log_lower(text[at + same]) == word->text[same]) {
        same++; /* NUL at the latest */
    }
    return same == word->length && !(letter(word->text[0]) && at > 0 && letter(text[at - 1])) &&
           !(letter(word->text[same - 1]) && letter(text[at + same]));
}

const hs_log_own_word_t *hs_log_own_find(const hs_log_own_words_t *own, const char *text, size_t at)
{
    const hs_log_own_word_t *best = NULL;
    for (size_t i = 0; i < own->count; i++) {
        const hs_log_own_word_t *word = &own->word[i];
        if ((best == NULL || word->length > best->length) && is_here(word, text, at)) {
            best = word;
        }
    }
    return best;
}

bool hs_log_own_any(const hs_log_own_words_t *own, const char *text)
{
    for (size_t at = 0; own->count != 0 && text[at] != 0; at++) {
        if (hs_log_own_find(own, text, at) != NULL) {
            return true;
        }
    }
    return false;
}

hs_log_number_t hs_log_own_number(const hs_log_own_words_t *own, const char *text, size_t at)
{
    hs_log_number_t number = hs_log_number_read(text, at);
    const size_t behind = number.end + strspn(text + number.end, " ");
    const hs_log_own_word_t *unit =
        own->count == 0 || number.has_unit ? NULL : hs_log_own_find(own, text, behind);
    if (unit != NULL && unit->unit != 0) {
        number.value =
            number.value > INT64_MAX / unit->unit || number.value < -INT64_MAX / unit->unit
                ? INT64_MAX
                : number.value * unit->unit;
        number.unit = unit->unit < 1024 ? 1 : unit->unit; /* blocks are counted, KB are rounded */
        number.has_unit = true;
        number.end = behind + unit->length;
    }
    return number;
}
