/*
 * The unwind tables: .eh_frame_hdr, a sorted index of functions, and .eh_frame, a program for each
 * that tells how its frame grows (DWARF's call frame information, as the psABI writes it). Only what
 * a rule can hold is kept: frames that begin at a register plus a number.
 */
#include "unwind.h"

#if defined(__x86_64__)
enum { POINTER = 6, STACK = 7, RETURN = 16 };
#elif defined(__i386__)
enum { POINTER = 5, STACK = 4, RETURN = 8 };
#else
enum { POINTER = 29, STACK = 31, RETURN = 30 };
#endif

#define STATES_MAX 8 /* remembered ones on top of each other */
#define NO_RULE ((hs_rec_rule_t){.base = HS_REC_BASE_END})

/* Encodings of pointers. */
enum { OMITTED = 0xFF, RELATIVE_TO_HERE = 0x10, RELATIVE_TO_TABLE = 0x30, INDIRECT = 0x80 };

typedef struct reader {
    const uint8_t *at, *end;
} reader_t;

typedef struct state {
    uint64_t cfa_register;
    int64_t cfa_offset, pointer_offset;
    bool cfa_known, pointer_saved, return_lost;
} state_t;

typedef struct function {
    reader_t common, own; /* instructions */
    uintptr_t start;
    uint64_t code_step;
    int64_t data_step;
    uint64_t return_register;
    bool signal; /* a signal handler's frame: it ends what can be followed */
} function_t;

static uint64_t fixed(reader_t *reader, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->at = reader->end;
        return 0;
    }
    memcpy(&value, reader->at, bytes); /* little-endian, as all that this object runs on */
    reader->at += bytes;
    return value;
}

static uint64_t varint(reader_t *reader, int64_t *sign_extended)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80u) != 0 && reader->at < reader->end) {
        byte = *reader->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7Fu) << shift : 0;
        shift += 7;
    }
    if (sign_extended != NULL) {
        const bool negative = (byte & 0x40u) != 0 && shift < 64;
        *sign_extended = (int64_t)(negative ? value | ~UINT64_C(0) << shift : value);
    }
    return value;
}

static uint64_t number(reader_t *reader)
{
    return varint(reader, NULL);
}

static int64_t signed_number(reader_t *reader)
{
    int64_t value = 0;
    (void)varint(reader, &value);
    return value;
}

static uintptr_t pointer(reader_t *reader, unsigned encoding, uintptr_t table)
{
    const uintptr_t here = (uintptr_t)reader->at;
    uint64_t value = 0;
    switch (encoding & 15u) {
    case 0x01:
        value = number(reader);
        break;
    case 0x02:
        value = fixed(reader, 2);
        break;
    case 0x03:
        value = fixed(reader, 4);
        break;
    case 0x09:
        value = (uint64_t)signed_number(reader);
        break;
    case 0x0A:
        value = (uint64_t)(int64_t)(int16_t)fixed(reader, 2);
        break;
    case 0x0B:
        value = (uint64_t)(int64_t)(int32_t)fixed(reader, 4);
        break;
    case 0x04:
    case 0x0C:
        value = fixed(reader, 8);
        break;
    default:
        value = fixed(reader, sizeof(void *));
        break;
    }
    if ((encoding & 0x70u) == RELATIVE_TO_HERE) {
        value += here;
    } else if ((encoding & 0x70u) == RELATIVE_TO_TABLE) {
        value += table;
    }
    return (uintptr_t)value;
}

/* ---- the index ---- */

/* The record of the function with the address, or of the last one before it; NULL: none. */
static const uint8_t *record_of(const uint8_t *header, uintptr_t address)
{
    reader_t reader = {header + 4, header + 4 + 2 * 8};
    if (header[0] != 1 || header[3] != (RELATIVE_TO_TABLE | 0x0B)) {
        return NULL; /* no sorted index */
    }
    (void)pointer(&reader, header[1], (uintptr_t)header);
    const size_t count = pointer(&reader, header[2], (uintptr_t)header);
    const uint8_t *table = reader.at;
    const int64_t wanted = (int64_t)address - (int64_t)(uintptr_t)header;
    size_t low = 0, high = count;
    while (low < high) { /* the first that begins after the address */
        const size_t middle = low + (high - low) / 2;
        int32_t start = 0;
        memcpy(&start, table + 8 * middle, 4);
        if (start <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    int32_t record = 0;
    memcpy(&record, table + 8 * (low - 1) + 4, 4);
    return header + record;
}

/* ---- a function's records ---- */

static reader_t record_at(const uint8_t *at)
{
    uint32_t length = 0;
    memcpy(&length, at, 4);
    return (reader_t){at + 4, at + 4 + (length == UINT32_MAX ? 0 : length)};
}

/* The record that functions have in common. False: not one that is understood. */
static bool read_common(const uint8_t *at, function_t *function, unsigned *encoding, bool *sized)
{
    reader_t reader = record_at(at);
    (void)fixed(&reader, 4);
    const uint8_t version = (uint8_t)fixed(&reader, 1);
    const char *letters = (const char *)reader.at;
    while (reader.at < reader.end && *reader.at != 0) {
        reader.at++;
    }
    reader.at++;
    function->code_step = number(&reader);
    function->data_step = signed_number(&reader);
    function->return_register = version == 1 ? fixed(&reader, 1) : number(&reader);
    *encoding = 0;
    *sized = letters[0] == 'z';
    if (letters[0] != 'z' && letters[0] != 0) {
        return false;
    }
    const uint64_t length = *sized ? number(&reader) : 0;
    const uint8_t *behind = reader.at + length;
    for (; *sized && *++letters != 0;) {
        if (*letters == 'R') {
            *encoding = (unsigned)fixed(&reader, 1);
        } else if (*letters == 'P') {
            const unsigned form = (unsigned)fixed(&reader, 1);
            (void)pointer(&reader, form & 0x7Fu, 0);
        } else if (*letters == 'L') {
            (void)fixed(&reader, 1);
        } else if (*letters == 'S') {
            function->signal = true;
        }
    }
    function->common = (reader_t){behind, reader.end};
    return (version == 1 || version == 3) && behind <= reader.end;
}

static bool read_function(const uint8_t *record, uintptr_t address, function_t *function)
{
    reader_t reader = record_at(record);
    const uint8_t *here = reader.at;
    const uint32_t back = (uint32_t)fixed(&reader, 4);
    unsigned encoding = 0;
    bool sized = false;
    if (back == 0 || !read_common(here - back, function, &encoding, &sized)) {
        return false;
    }
    function->start = pointer(&reader, encoding, 0);
    const uintptr_t size = pointer(&reader, encoding & 15u, 0);
    if (sized) {
        const uint64_t length = number(&reader);
        reader.at += length;
    }
    function->own = reader;
    return reader.at <= reader.end && address - function->start < size;
}

/* ---- the program ---- */

static void save(state_t *state, uint64_t which, int64_t offset, bool saved)
{
    if (which == POINTER) {
        state->pointer_saved = saved;
        state->pointer_offset = offset;
    }
}

/* An instruction with all of its operands in the low bits of its byte, or one more. */
static void run_extended(reader_t *reader, unsigned code, const function_t *function,
                         state_t *state, const state_t *first)
{
    uint64_t which = 0;
    switch (code) {
    case 0x05: /* offset_extended */
        which = number(reader);
        save(state, which, (int64_t)number(reader) * function->data_step, true);
        break;
    case 0x11: /* offset_extended_sf */
        which = number(reader);
        save(state, which, signed_number(reader) * function->data_step, true);
        break;
    case 0x06: /* restore_extended */
        save(state, number(reader), first->pointer_offset, first->pointer_saved);
        break;
    case 0x07: /* undefined: the outermost frame says so of its return address */
        state->return_lost |= number(reader) == function->return_register;
        break;
    case 0x08: /* same_value */
        save(state, number(reader), 0, false);
        break;
    case 0x09: /* register */
        (void)number(reader);
        (void)number(reader);
        break;
    case 0x0C: /* def_cfa */
        state->cfa_register = number(reader);
        state->cfa_offset = (int64_t)number(reader);
        state->cfa_known = true;
        break;
    case 0x12: /* def_cfa_sf */
        state->cfa_register = number(reader);
        state->cfa_offset = signed_number(reader) * function->data_step;
        state->cfa_known = true;
        break;
    case 0x0D: /* def_cfa_register */
        state->cfa_register = number(reader);
        break;
    case 0x0E: /* def_cfa_offset */
        state->cfa_offset = (int64_t)number(reader);
        break;
    case 0x13: /* def_cfa_offset_sf */
        state->cfa_offset = signed_number(reader) * function->data_step;
        break;
    case 0x0F: /* def_cfa_expression */
        state->cfa_known = false;
        which = number(reader);
        reader->at += which;
        break;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        which = number(reader);
        state->return_lost |= which == POINTER || which == function->return_register;
        which = number(reader);
        reader->at += which;
        break;
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
        (void)number(reader);
        (void)number(reader);
        break;
    case 0x2E: /* GNU_args_size */
        (void)number(reader);
        break;
    default: /* nop, and what does not concern these registers */
        break;
    }
}

/* Runs the instructions up to the address. `first` is the state after the common ones. */
static void run(reader_t reader, const function_t *function, uintptr_t address, state_t *state,
                const state_t *first)
{
    state_t kept[STATES_MAX];
    unsigned depth = 0;
    uintptr_t location = function->start;
    while (reader.at < reader.end) {
        const unsigned byte = *reader.at++;
        const unsigned low = byte & 0x3Fu;
        uint64_t step = 0;
        switch (byte >> 6) {
        case 1:
            step = low;
            break;
        case 2:
            save(state, low, (int64_t)number(&reader) * function->data_step, true);
            continue;
        case 3:
            save(state, low, first->pointer_offset, first->pointer_saved);
            continue;
        default:
            if (low >= 2 && low <= 4) { /* advance_loc1, 2, 4 */
                step = fixed(&reader, 1u << (low - 2u));
            } else if (low == 0x0A && depth < STATES_MAX) {
                kept[depth++] = *state;
            } else if (low == 0x0B && depth > 0) {
                *state = kept[--depth];
            } else {
                run_extended(&reader, low, function, state, first);
            }
            break;
        }
        location += (uintptr_t)(step * function->code_step);
        if (location > address) {
            return;
        }
    }
}

hs_rec_rule_t hs_rec_table_rule(const uint8_t *header, uintptr_t address)
{
    function_t function = {0};
    const uint8_t *record = record_of(header, address);
    if (record == NULL || !read_function(record, address, &function)) {
        return HS_REC_GUESS; /* a function without a program: compiled with frame pointers, maybe */
    }
    if (function.signal) {
        return NO_RULE;
    }
    const state_t none = {0};
    state_t first = none;
    run(function.common, &function, UINTPTR_MAX, &first, &none);
    state_t state = first;
    run(function.own, &function, address, &state, &first);
    const bool known = state.cfa_register == STACK || state.cfa_register == POINTER;
    if (!state.cfa_known || !known || state.return_lost || state.cfa_offset > 0x7FFFFF ||
        state.cfa_offset < -0x7FFFFF) {
        return NO_RULE;
    }
    return (hs_rec_rule_t){
        .base = state.cfa_register == STACK ? HS_REC_BASE_STACK : HS_REC_BASE_FRAME,
        .keeps_pointer = state.pointer_saved,
        .frame = (int32_t)state.cfa_offset,
        .pointer = (int32_t)state.pointer_offset,
    };
}
