/*
 * Records the script beside the settings of an application, on one heap: week OUT.hst SCRIPT.js. The
 * settings are made while the engine starts, as a firmware's parts all start at once, and change when
 * the script waits. Prints what is live at each mark.
 */
#include <stdio.h>

#include "engine.h"
#include "settings.h"

#define SETTINGS 400
#define REQUESTS_PER_SETTING 8
#define CHANGES 2 /* each time that the script waits */

typedef struct week {
    hs_settings_t settings;
    unsigned requests;
} week_t;

static void starting(void *context)
{
    week_t *week = context;
    if (week->settings.count < SETTINGS && ++week->requests % REQUESTS_PER_SETTING == 0) {
        hs_rec_task(week->settings.rec, "app");
        hs_settings_add(&week->settings);
        hs_rec_task(week->settings.rec, "script");
    }
}

static void waiting(void *context)
{
    week_t *week = context;
    hs_rec_task(week->settings.rec, "app");
    for (unsigned i = 0; i < CHANGES; i++) {
        hs_settings_change(&week->settings);
    }
    hs_rec_task(week->settings.rec, "script");
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s OUT.hst SCRIPT.js\n", arguments[0]);
        return 2;
    }
    char engine[64], program[128];
    hs_engine_name(engine, sizeof engine);
    snprintf(program, sizeof program, "%s, settings", engine);
    hs_rec_t *rec = hs_rec_open(arguments[1], program, "default");
    if (rec == NULL) {
        fprintf(stderr, "%s: cannot be written\n", arguments[1]);
        return 2;
    }
    hs_rec_task(rec, "app");
    week_t week = {.settings = {.rec = rec, .random = 0x5E77}};
    hs_settings_add(&week.settings);
    hs_rec_task(rec, "script");
    hs_engine_plan_t plan = {
        .script = arguments[2],
        .rec = rec,
        .verbose = true,
        .used = starting,
        .waiting = waiting,
        .context = &week,
    };
    int error = hs_engine_run(&plan);
    hs_rec_mark(rec, "end");
    hs_status_t status = hs_rec_close(rec);
    if (status != HS_OK) {
        fprintf(stderr, "recording: %d\n", status);
        return 1;
    }
    return error;
}
