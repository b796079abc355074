/*
 * Tasks, call sites and marks by their index in the trace. The tables are small: who finds no place takes
 * that of another, who gets a new index when it comes again.
 */
#include "recorder.h"

#define MIX UINT32_C(2654435761) /* 2^32 divided by the golden ratio */
#define HEX_BYTES (2u + 2u * sizeof(uintptr_t))

_Static_assert((HS_RECORDER_SITES & (HS_RECORDER_SITES - 1)) == 0 && HS_RECORDER_SITES >= 2,
               "sets of two places, found by bits of a hash");

/* "0x" and the digits of a number. Returns the byte after. Bound: the digits. */
static HS_ONE_COPY char *hex_put(char *at, uintptr_t number)
{
    *at++ = '0';
    *at++ = 'x';
    unsigned shift = 8u * (unsigned)sizeof number - 4u;
    while (shift != 0 && number >> shift == 0) {
        shift -= 4u;
    }
    for (;; shift -= 4u) {
        *at++ = "0123456789abcdef"[number >> shift & 15u];
        if (shift == 0) {
            return at;
        }
    }
}

void hs_recorder_name(hs_recorder_t *recorder, unsigned table, uint32_t index, const char *name,
                      size_t limit)
{
    size_t length = 0;
    while (name != NULL && length < limit && name[length] != '\0') {
        length++;
    }
    hs_emit_name(&recorder->emit, table, index, name, length);
}

hs_known_t *hs_recorder_known(hs_known_t *from, unsigned count, uintptr_t handle)
{
    for (unsigned i = 0; i < count; i++) {
        if (from[i].handle == handle) {
            return &from[i];
        }
    }
    return NULL;
}

/* A place for a handle that has none. */
static hs_known_t *take(hs_known_t *from, unsigned count, hs_knowns_t *state, uintptr_t handle)
{
    hs_known_t *place = hs_recorder_known(from, count, 0);
    if (place == NULL) {
        place = &from[state->turn];
        state->turn = (uint8_t)(state->turn + 1u < count ? state->turn + 1u : 0u);
    }
    *place = (hs_known_t){.handle = handle, .index = state->next, .where = 0xFF};
    state->next++;
    return place;
}

/* ---- tasks ---- */

static void task_name(hs_recorder_t *recorder, const hs_known_t *task, const char *name)
{
    char built[HEX_BYTES + 10u] = "interrupt ";
    const hs_recorder_config_t *config = recorder->config;
    if (task->handle <= HS_RECORDER_CORES) { /* the handlers of a core */
        built[10] = (char)('0' + task->handle - 1u);
        hs_emit_name(&recorder->emit, HS_NAMES_TASK, task->index, built, 11);
        return;
    }
    if (name == NULL && config->task_name != NULL && !hs_recorder_is_old(recorder)) {
        name = config->task_name(config->context, task->handle);
    }
    if (name != NULL) {
        hs_recorder_name(recorder, HS_NAMES_TASK, task->index, name, HS_RAW_NAME_BYTES);
    } else {
        const size_t length = (size_t)(hex_put(built, task->handle) - built);
        hs_emit_name(&recorder->emit, HS_NAMES_TASK, task->index, built, length);
    }
}

static void where_put(hs_recorder_t *recorder, const hs_known_t *task)
{
    const hs_number_t numbers[] = {task->index, task->where};
    hs_recorder_say(recorder, HS_EXTENSION_TASK_ON, numbers, 2);
}

uint32_t hs_recorder_task(hs_recorder_t *recorder, uintptr_t handle, unsigned where)
{
    if ((where & 1u) != 0) { /* all handlers of a core are one task */
        handle = (where >> 1) + 1u;
    } else if (handle == 0) {
        return 0; /* main, before there are tasks */
    }
    hs_known_t *task = &recorder->tasks[recorder->task_state.last];
    if (task->handle == handle && task->where == where) {
        return task->index;
    }
    task = hs_recorder_known(recorder->tasks, HS_RECORDER_TASKS, handle);
    if ((task == NULL || task->where != where) &&
        !hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_NAMES_NEED)) {
        return HS_NO_ROOM;
    }
    if (task == NULL) {
        task = take(recorder->tasks, HS_RECORDER_TASKS, &recorder->task_state, handle);
        task_name(recorder, task, NULL);
        task->where = 0; /* where a reader takes it to be */
    }
    if (task->where != where) {
        task->where = (uint8_t)where;
        where_put(recorder, task);
    }
    recorder->task_state.last = (uint8_t)(task - recorder->tasks);
    return task->index;
}

#if HS_RECORDER_PROGRAM
uint32_t hs_recorder_task_begin(hs_recorder_t *recorder, uintptr_t handle, const char *name)
{
    (void)hs_recorder_task_end(recorder, handle); /* a handle may come again */
    hs_known_t *task = take(recorder->tasks, HS_RECORDER_TASKS, &recorder->task_state, handle);
    task->where = 0;
    task_name(recorder, task, name[0] != '\0' ? name : NULL);
    return task->index;
}

uint32_t hs_recorder_task_end(hs_recorder_t *recorder, uintptr_t handle)
{
    hs_known_t *task = hs_recorder_known(recorder->tasks, HS_RECORDER_TASKS, handle);
    if (task == NULL) {
        return 0;
    }
    task->handle = 0;
    return task->index;
}
#endif

void hs_recorder_task_again(hs_recorder_t *recorder, unsigned place)
{
    const hs_known_t *task = &recorder->tasks[place];
    if (task->handle != 0) {
        task_name(recorder, task, NULL);
        where_put(recorder, task);
    }
}

/* ---- call sites ---- */

/* The first place of the set. */
static unsigned set_of(const uintptr_t *callers)
{
    uint32_t mixed = 0;
    for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
        mixed = (mixed ^ (uint32_t)(callers[i] >> 1)) * MIX;
    }
    return (mixed >> 16) & (HS_RECORDER_SITES - 2u);
}

/* A name is the stack, the outermost caller first. */
static void site_name(hs_recorder_t *recorder, unsigned place)
{
    const hs_callers_t *callers = &recorder->sites.callers[place];
    char name[HS_RECORDER_CALLERS * (HEX_BYTES + 1u)];
    char *at = name;
    for (unsigned i = HS_RECORDER_CALLERS; i > 0; i--) {
        if (callers->at[i - 1u] != 0) {
            at = hex_put(at, callers->at[i - 1u]);
            *at++ = ';';
        }
    }
    hs_emit_name(&recorder->emit, HS_NAMES_SITE, recorder->sites.index[place], name,
                 (size_t)(at - name) - 1u);
}

uint32_t hs_recorder_site(hs_recorder_t *recorder, const uintptr_t *callers)
{
    hs_sites_t *sites = &recorder->sites;
    if (callers[0] == 0 || sites->next == UINT16_MAX) {
        return 0;
    }
    const unsigned place = set_of(callers);
    if (hs_callers_same(&sites->callers[place], callers)) {
        return sites->index[place];
    }
    if (hs_callers_same(&sites->callers[place + 1u], callers)) {
        return sites->index[place + 1u];
    }
    if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_NAMES_NEED)) {
        return HS_NO_ROOM;
    }
    sites->callers[place + 1u] = sites->callers[place]; /* the set's older one goes */
    sites->index[place + 1u] = sites->index[place];
    for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
        sites->callers[place].at[i] = callers[i];
    }
    sites->index[place] = ++sites->next;
    site_name(recorder, place);
    return sites->index[place];
}

void hs_recorder_site_again(hs_recorder_t *recorder, unsigned place)
{
    if (recorder->sites.callers[place].at[0] != 0) {
        site_name(recorder, place);
    }
}

/* ---- marks ---- */

#if HS_RECORDER_PROGRAM
uint32_t hs_recorder_mark_index(hs_recorder_t *recorder, uintptr_t name)
{
    hs_known_t *mark = hs_recorder_known(recorder->marks, HS_MARKS_KNOWN, name);
    if (mark == NULL) {
        mark = take(recorder->marks, HS_MARKS_KNOWN, &recorder->mark_state, name);
        hs_recorder_mark_again(recorder, (unsigned)(mark - recorder->marks));
    }
    return mark->index;
}

void hs_recorder_mark_again(hs_recorder_t *recorder, unsigned place)
{
    const hs_known_t *mark = &recorder->marks[place];
    if (mark->handle != 0) {
        hs_recorder_name(recorder, HS_NAMES_MARK, mark->index, (const char *)mark->handle,
                         HS_MARK_NAME_BYTES);
    }
}

#endif
