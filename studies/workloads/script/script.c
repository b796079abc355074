/*
 * Records the script engine alone: script OUT.hst SCRIPT.js. Prints what is live at each mark.
 */
#include <stdio.h>

#include "engine.h"

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s OUT.hst SCRIPT.js\n", arguments[0]);
        return 2;
    }
    char program[64];
    hs_engine_name(program, sizeof program);
    hs_rec_t *rec = hs_rec_open(arguments[1], program, "default");
    if (rec == NULL) {
        fprintf(stderr, "%s: cannot be written\n", arguments[1]);
        return 2;
    }
    hs_rec_task(rec, "script");
    hs_engine_plan_t plan = {.script = arguments[2], .rec = rec, .verbose = true};
    int error = hs_engine_run(&plan);
    hs_rec_mark(rec, "end");
    hs_status_t status = hs_rec_close(rec);
    if (status != HS_OK) {
        fprintf(stderr, "recording: %d\n", status);
        return 1;
    }
    return error;
}
