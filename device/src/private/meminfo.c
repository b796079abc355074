/* The figures of a private heap as text. */
#include "heapscope/private.h"

#if HS_PRIVATE

typedef struct hs_figure {
    size_t value;
    const char *name;
} hs_figure_t;

static void put_line(hs_text_t text, const char *name, const hs_figure_t *figures, uint32_t count)
{
    hs_text_string(text, name);
    for (uint32_t i = 0; i < count; i++) {
        hs_text_string(text, i == 0 ? ": " : ", ");
        hs_text_number(text, figures[i].value, 0);
        hs_text_string(text, figures[i].name);
    }
    hs_text_string(text, "\n");
}

void hs_private_meminfo(hs_private_t *heap, hs_text_t text)
{
    hs_private_info_t info;
    hs_private_info(heap, &info);
    const char *const name = hs_private_name(heap);
    const hs_figure_t memory[] = {
        {info.total, " total"},
        {info.used, " used"},
        {info.free, " free"},
        {info.largest, " largest"},
        {info.fragmentation, " % fragmented"},
        {info.peak, " peak"},
    };
    put_line(text, name, memory, sizeof memory / sizeof memory[0]);
    const hs_figure_t events[] = {
        {info.blocks, " blocks"}, {info.failures, " failures"}, {info.misuse, " misuse"}};
    put_line(text, name, events, sizeof events / sizeof events[0]);
    if (info.failures != 0) {
        hs_text_string(text, name);
        hs_text_string(text, ": last failure ");
        hs_text_number(text, info.failed_size, 0);
        hs_text_string(text, " bytes, largest then ");
        hs_text_number(text, info.failed_largest, 0);
        hs_text_string(text, "\n");
    }
}

#endif
