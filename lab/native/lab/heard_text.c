/* The reports of a listener in words: sentences that the desk and the page show as they are. */
#include <string.h>

#include "lab/fact.h"
#include "lab/listener.h"

#define FACT_MAX 80u    /* bytes of a fact in a sentence */
#define NUMBER_MAX 27u  /* 2^64 - 1 with commas, and its end */
#define LABEL_DIGITS 10 /* of the number of a boot */

const char *hs_lab_source_name(uint32_t by)
{
    static const char *const names[] = {"", "heap", "blocks", "replay", "laid anew"};
    return by < sizeof names / sizeof names[0] ? names[by] : "";
}

const char *hs_lab_source_text(uint32_t by)
{
    static const char *const texts[] = {
        "", "the heap said that its largest free block has", "between the live blocks are at most",
        "the largest that its heap would serve is",
        "the largest that its heap would serve, were it laid out anew, is"};
    return by < sizeof texts / sizeof texts[0] ? texts[by] : "";
}

/* Text that is cut where its room ends, always with a NUL behind it. */
typedef struct text {
    char *out;
    size_t capacity, used;
} text_t;

static void put_bytes(text_t *text, const void *bytes, size_t count)
{
    const size_t room = text->capacity - text->used - 1;
    const size_t taken = count < room ? count : room;
    memcpy(text->out + text->used, bytes, taken);
    text->used += taken;
    text->out[text->used] = 0;
}

static void put(text_t *text, const char *words)
{
    put_bytes(text, words, strlen(words));
}

/* With commas between thousands. */
static void put_number(text_t *text, uint64_t number)
{
    char digits[NUMBER_MAX];
    size_t at = sizeof digits;
    for (unsigned count = 0; count == 0 || number != 0; count++, number /= 10) {
        if (count != 0 && count % 3 == 0) {
            digits[--at] = ',';
        }
        digits[--at] = (char)('0' + number % 10);
    }
    put_bytes(text, digits + at, sizeof digits - at);
}

static void put_size(text_t *text, uint64_t bytes)
{
    put_number(text, bytes);
    put(text, " B");
}

static void put_count(text_t *text, uint64_t count, const char *noun)
{
    put_number(text, count);
    put(text, noun);
    put(text, count == 1 ? "" : "s");
}

/* The fact behind these words; nothing where the recorder does not give it. */
static void put_fact(text_t *text, const hs_lab_listener_t *listener, const char *words,
                     const char *key)
{
    size_t length;
    const uint8_t *value = hs_fact(listener->decoder, key, &length);
    if (length != 0) {
        put(text, words);
        put_bytes(text, value, length < FACT_MAX ? length : FACT_MAX);
    }
}

/* ---- sentences ---- */

static void put_begin(text_t *text, const hs_lab_listener_t *listener)
{
    put(text, "recording ");
    put_number(text, listener->account.sums.recordings + 1);
    put(text, " begins");
    put_fact(text, listener, ", boot ", "boot");
    put_fact(text, listener, " after ", "reset");
}

static void put_failed(text_t *text, const hs_lab_notice_t *notice)
{
    put(text, "a request of ");
    put_size(text, notice->size);
    put(text, " failed");
    if (notice->count > 1) {
        put(text, ", ");
        put_number(text, notice->count);
        put(text, " times");
    }
    put(text, ": ");
}

static void put_lost(text_t *text, const hs_lab_listener_t *listener, uint64_t count)
{
    hs_state_figures_t figures;
    hs_state_figures(listener->state, &figures);
    put_count(text, count, " event");
    put(text, " did not arrive");
    if (!figures.known) {
        put(text, hs_fact_begin(listener->decoder, "snapshots") == '1'
                      ? "; live blocks are not known until the next snapshot"
                      : "; live blocks are not known from here on: the recorder takes no "
                        "snapshots");
    }
}

/* Behind the request. */
static void put_stopped(text_t *text, const hs_lab_watched_t *watched,
                        const hs_lab_notice_t *notice)
{
    if (watched->fits != 0) {
        put(text, "did not fit for a moment");
        return;
    }
    put(text, "do not fit: ");
    put(text, hs_lab_source_text(watched->by));
    put(text, " ");
    put_size(text, watched->largest == HS_LAB_NEVER ? 0 : watched->largest);
    if (notice->owned) {
        put(text, "; most in the way: ");
        put_size(text, notice->size);
        put(text, " in ");
        put_count(text, notice->blocks, " block");
        put(text, " of ");
    }
}

const char *hs_lab_late_start_text(void)
{
    return "The recorder began when the heap had blocks already and takes no snapshots: those "
           "blocks are not counted.";
}

size_t hs_lab_listener_sentence(const hs_lab_listener_t *listener, const hs_lab_notice_t *notice,
                                char *out, size_t capacity)
{
    text_t text = {out, capacity, 0};
    switch (notice->kind) {
    case HS_LAB_NOTICE_BEGIN:
        put_begin(&text, listener);
        break;
    case HS_LAB_NOTICE_FAILED:
        put_failed(&text, notice);
        break;
    case HS_LAB_NOTICE_LOST:
        put_lost(&text, listener, notice->count);
        break;
    case HS_LAB_NOTICE_LATE_START:
        put(&text, hs_lab_late_start_text());
        break;
    case HS_LAB_NOTICE_STOPPED:
        put_stopped(&text, &listener->watched[notice->index], notice);
        break;
    default:
        put(&text, "mark ");
        break;
    }
    return text.used;
}

const char *hs_lab_notice_name(uint32_t kind)
{
    static const char *const names[] = {[HS_LAB_NOTICE_BEGIN] = "recording",
                                        [HS_LAB_NOTICE_FAILED] = "failed",
                                        [HS_LAB_NOTICE_LOST] = "lost",
                                        [HS_LAB_NOTICE_MARK] = "mark",
                                        [HS_LAB_NOTICE_LATE_START] = "recording",
                                        [HS_LAB_NOTICE_STOPPED] = "need"};
    return kind < sizeof names / sizeof names[0] ? names[kind] : "";
}

const char *hs_lab_lost_name(uint32_t kind)
{
    static const char *const names[HS_LAB_LISTENED_KINDS] = {
        "anything else", "malloc", "calloc", "aligned", "realloc", "free", "failed request"};
    return kind < HS_LAB_LISTENED_KINDS ? names[kind] : "";
}

/* ---- the name of a recording ---- */

size_t hs_lab_listener_label(const hs_lab_listener_t *listener, char *out, size_t capacity)
{
    text_t text = {out, capacity, 0};
    size_t length, digits = 0, skipped = 0;
    const uint8_t *boot = hs_fact(listener->decoder, "boot", &length);
    put(&text, "boot");
    while (digits < length && boot[digits] >= '0' && boot[digits] <= '9') {
        digits++;
    }
    if (length != 0 && digits == length && length <= LABEL_DIGITS) {
        while (skipped + 1 < length && boot[skipped] == '0') {
            skipped++;
        }
        put(&text, "-");
        put_bytes(&text, boot + skipped, length - skipped);
    }
    const uint8_t *box = hs_fact(listener->decoder, "black_box", &length);
    put(&text, length == 1 && box[0] == '1' ? "-black-box" : "");
    return text.used;
}
