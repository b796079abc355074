/* Which of the recorded processes have ended. */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder_state.h"

int hs_recorder_process(uint32_t pid)
{
    return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
}

void hs_recorder_look_at_life(hs_recorder_t *recorder)
{
    struct pollfd asked[HS_REC_PROCESSES];
    uint32_t numbers[HS_REC_PROCESSES];
    nfds_t count = 0;
    for (uint32_t i = 0; i < HS_REC_PROCESSES; i++) {
        hs_rec_taken_t *place = &recorder->places[i];
        if (place->ring == NULL) {
            continue;
        }
        if (place->process >= 0) {
            numbers[count] = i;
            asked[count++] = (struct pollfd){.fd = place->process, .events = POLLIN};
        } else if (kill((pid_t)place->ring->pid, 0) != 0 && errno == ESRCH) {
            place->ended = true; /* a kernel without pidfd */
        }
    }
    (void)poll(asked, count, 0);
    for (nfds_t i = 0; i < count; i++) {
        recorder->places[numbers[i]].ended |= asked[i].revents != 0;
    }
}
