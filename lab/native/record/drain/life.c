/* Which of the recorded processes have ended. */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder_state.h"

int hs_recorder_process(uint32_t pid)
{
    return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
}

bool hs_recorder_is_stopped(uint32_t pid)
{
    char text[64];
    (void)snprintf(text, sizeof text, "/proc/%u/stat", pid);
    FILE *file = fopen(text, "r");
    if (file == NULL) {
        return false;
    }
    const size_t count = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[count] = 0; /* 1234 (name) T ... ; names are of 15 bytes at most */
    const char *end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' && (end[2] == 'T' || end[2] == 't');
}

void hs_recorder_look_at_life(hs_recorder_t *recorder)
{
    struct pollfd requested[HS_REC_PROCESSES];
    uint32_t numbers[HS_REC_PROCESSES];
    nfds_t count = 0;
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        hs_rec_taken_t *place = &recorder->places[i];
        if (place->ring == NULL) {
            continue;
        }
        if (place->process >= 0) {
            numbers[count] = i;
            requested[count++] = (struct pollfd){.fd = place->process, .events = POLLIN};
        } else if (kill((pid_t)place->ring->pid, 0) != 0 && errno == ESRCH) {
            place->ended = true; /* a kernel without pidfd */
        }
    }
    (void)poll(requested, count, 0);
    for (nfds_t i = 0; i < count; i++) {
        recorder->places[numbers[i]].ended |= requested[i].revents != 0;
    }
}

bool hs_recorder_parent_passed(const hs_recorder_t *recorder, const hs_rec_ring_t *ring)
{
    const uint32_t number = ring->parent_place;
    if (ring->forked != HS_REC_FORKED || number >= HS_REC_PROCESSES ||
        atomic_load(&recorder->control->lives[number]) != ring->parent_life) {
        return true; /* no parent, or it is over and another has its place */
    }
    const hs_rec_taken_t *parent = &recorder->places[number];
    const uint32_t state = atomic_load(&recorder->control->states[number]);
    if (parent->ring == NULL) { /* over, or itself not looked at yet */
        return state != HS_REC_LIVE && state != HS_REC_REPLACED;
    }
    return (int32_t)(parent->next - ring->fork_number) > 0;
}
