/*
 * Records a gateway: mix OUT.hst SERVER SCRIPT.js CONFIG. Three tasks share one heap: the TLS client,
 * the script engine, and the application's settings. A task passes its turn on when it waits, the
 * client for the server's bytes and the script for its next timer, and after so many requests to the
 * heap, as if its time were up.
 */
#include <inttypes.h>
#include <stdio.h>

#include "mbedtls/platform.h"
#include "mbedtls/version.h"

#include "client.h"
#include "engine.h"
#include "settings.h"
#include "turns.h"

/* Requests in a turn: so that client and script end at about the same time. */
#define TLS_TURN 96
#define SCRIPT_TURN 144

#define SETTINGS_AT_START 100
#define TURNS_PER_SETTING 32 /* in one of so many, a setting is added; in the others one changes */

typedef struct task {
    hs_turns_task_t *turns;
    hs_rec_t *rec;
    const char *name;
    unsigned used, turn; /* requests in this turn, and how many it may have */
    int error;
} task_t;

static const char *server_path, *script_path;
static task_t *tls_task; /* mbedTLS's hooks have no context */

static void pass_turn(void *context)
{
    task_t *task = context;
    hs_turns_pass(task->turns);
    task->used = 0;
    hs_rec_task(task->rec, task->name);
}

static void count_request(void *context)
{
    task_t *task = context;
    if (++task->used >= task->turn) {
        pass_turn(task);
    }
}

static task_t *begin(hs_turns_task_t *turns)
{
    task_t *task = turns->context;
    task->turns = turns;
    hs_rec_task(task->rec, task->name);
    return task;
}

/* ---- the tasks --------------------------------------------------------------------------------- */

static void *tls_calloc(size_t count, size_t size)
{
    void *block = hs_rec_calloc(tls_task->rec, count, size);
    count_request(tls_task);
    return block;
}

static void tls_free(void *block)
{
    if (block != NULL) {
        hs_rec_free(tls_task->rec, block);
        count_request(tls_task);
    }
}

static void run_tls(hs_turns_task_t *turns)
{
    task_t *task = tls_task = begin(turns);
    mbedtls_platform_set_calloc_free(tls_calloc, tls_free);
    hs_client_plan_t plan = {
        .server = server_path,
        .keys = HS_KEYS_RSA,
        .connections = 5,
        .rec = task->rec,
        .waiting = pass_turn,
        .context = task,
    };
    hs_client_use_t use;
    task->error = hs_client_run(&plan, &use);
}

static void run_script(hs_turns_task_t *turns)
{
    task_t *task = begin(turns);
    hs_engine_plan_t plan = {
        .script = script_path,
        .rec = task->rec,
        .used = count_request,
        .waiting = pass_turn,
        .context = task,
    };
    task->error = hs_engine_run(&plan);
}

static void run_settings(hs_turns_task_t *turns)
{
    task_t *task = begin(turns);
    hs_settings_t settings = {.rec = task->rec, .random = 0x5E77};
    for (unsigned i = 0; i < SETTINGS_AT_START; i++) {
        hs_settings_add(&settings);
    }
    for (unsigned turn = 1; hs_turns_left(turns) > 1; turn++) { /* until the others are done */
        if (turn % TURNS_PER_SETTING == 0) {
            hs_settings_add(&settings);
        } else {
            hs_settings_change(&settings);
        }
        pass_turn(task);
    }
}

/* ---- all together ------------------------------------------------------------------------------ */

static int run_all(hs_rec_t *rec)
{
    task_t settings = {.rec = rec, .name = "app"};
    task_t script = {.rec = rec, .name = "script", .turn = SCRIPT_TURN};
    task_t tls = {.rec = rec, .name = "tls", .turn = TLS_TURN};
    hs_turns_task_t tasks[] = {
        {.run = run_settings, .context = &settings},
        {.run = run_script, .context = &script},
        {.run = run_tls, .context = &tls},
    };
    int error = hs_turns_run(tasks, 3);
    return error != 0 ? error : script.error != 0 ? script.error : tls.error;
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: %s OUT.hst SERVER SCRIPT.js CONFIG\n", arguments[0]);
        return 2;
    }
    server_path = arguments[2];
    script_path = arguments[3];
    char engine[64], program[128];
    hs_engine_name(engine, sizeof engine);
    snprintf(program, sizeof program, "%s client, %s, settings", MBEDTLS_VERSION_STRING_FULL,
             engine);
    hs_rec_t *rec = hs_rec_open(arguments[1], program, arguments[4]);
    if (rec == NULL) {
        fprintf(stderr, "%s: cannot be written\n", arguments[1]);
        return 2;
    }
    hs_rec_mark(rec, "start");
    int error = run_all(rec);
    hs_rec_mark(rec, "end");
    hs_rec_use_t use = hs_rec_use(rec);
    hs_status_t status = hs_rec_close(rec);
    if (error != 0 || status != HS_OK) {
        fprintf(stderr, "a task failed: %d; recording: %d\n", error, status);
        return 1;
    }
    printf("left %" PRIu64 " in %" PRIu64 " blocks\n", use.live, use.blocks);
    return 0;
}
