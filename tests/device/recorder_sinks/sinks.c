/*
 * A recording through a sink: argv[1] names it, argv[2] where to (a file, or a port of the loopback), as
 * tests/device/test_recorder_sinks.py starts it. A stream is cut there: it is connected anew, and the events begin
 * again.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "sink_console.h"
#include "sink_file.h"
#include "sink_rtt.h"
#include "sink_socket.h"

#define EVENTS 3000u

static _Alignas(8) unsigned char memory[1 << 16];
static hs_recorder_config_t config = {.boot = 3, .clock_hz = 1000, .chip = "host"};

/* ---- a socket ---- */

static hs_recorder_socket_t line = {.handle = -1};
static int kind_of_socket;
static unsigned connections;
static uint16_t port;

static void connect_line(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    line.handle = socket(AF_INET, kind_of_socket, 0);
    if (connect(line.handle, (struct sockaddr *)&to, sizeof to) != 0) {
        (void)close(line.handle);
        line.handle = -1;
    } else {
        connections++;
    }
}

/* ---- a console that another thread writes log text to ---- */

static pthread_mutex_t console_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *console;
static volatile int logging = 1;
static volatile int logged;

static void lock(void *context)
{
    (void)context;
    (void)pthread_mutex_lock(&console_lock);
}

static void unlock(void *context)
{
    (void)context;
    (void)pthread_mutex_unlock(&console_lock);
}

static void put(void *context, uint8_t byte)
{
    (void)fputc(byte, (FILE *)context);
}

static void *log_text(void *context)
{
    for (unsigned i = 0; logging; i++) {
        lock(NULL);
        (void)fprintf((FILE *)context, "I (%u) wifi: state HS\r\n", i);
        unlock(NULL);
        logged = 1;
    }
    return NULL;
}

/* ---- a ring that a debugger reads ---- */

static unsigned char ring[1024];
static hs_recorder_rtt_t rtt;
static FILE *debugger;

static void debugger_reads(void)
{
    while (debugger != NULL && rtt.read != rtt.written) {
        (void)fputc(ring[rtt.read], debugger);
        rtt.read = rtt.read + 1u < rtt.size ? rtt.read + 1u : 0u;
    }
}

static void choose(const char *sink, const char *to)
{
    static hs_recorder_console_t shared = {.lock = lock, .unlock = unlock, .put = put};
    if (strcmp(sink, "file") == 0) {
        config.write = hs_recorder_file_write;
        config.context = fopen(to, "wb");
    } else if (strcmp(sink, "console") == 0) {
        console = fopen(to, "wb");
        shared.context = console;
        config.write = hs_recorder_console_write;
        config.context = &shared;
    } else if (strcmp(sink, "rtt") == 0) {
        debugger = fopen(to, "wb");
        hs_recorder_rtt_open(&rtt, ring, sizeof ring);
        config.write = hs_recorder_rtt_write;
        config.context = &rtt;
    } else {
        port = (uint16_t)atoi(to);
        kind_of_socket = strcmp(sink, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM;
        config.write = kind_of_socket == SOCK_DGRAM ? hs_recorder_udp_write : hs_recorder_tcp_write;
        config.context = &line;
        connect_line();
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        return 2;
    }
    choose(argv[1], argv[2]);
    hs_recorder_t *recorder = hs_recorder_open(memory, sizeof memory, &config);
    pthread_t logger;
    const bool logs = console != NULL && pthread_create(&logger, NULL, log_text, console) == 0;
    while (logs && !logged) {
        (void)sched_yield();
    }
    const bool is_cut = port != 0 && kind_of_socket == SOCK_STREAM;
    for (unsigned i = 0; i < EVENTS || (is_cut && connections < 2); i++) {
        void *const block = (void *)(uintptr_t)(0x1000u + 16u * (i / 2u % 8u));
        if (i % 2u == 0) {
            hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, 12, 0, HS_RECORDER_CALLER);
        } else {
            hs_recorder_freed(recorder, block);
        }
        if (i % 50u == 0) {
            if (port != 0 && line.handle < 0) {
                connect_line();
                i = 0;
            }
            (void)hs_recorder_drain(recorder, 1000);
            debugger_reads();
        }
    }
    for (int i = 0; i < 1000; i++) {
        (void)hs_recorder_drain(recorder, 1000);
        debugger_reads();
    }
    const hs_status_t flushed = hs_recorder_flush(recorder);
    debugger_reads();
    logging = 0;
    if (logs) {
        (void)pthread_join(logger, NULL);
        (void)fclose(console);
    }
    if (debugger != NULL) {
        (void)fclose(debugger);
    }
    return flushed == HS_OK ? 0 : 1;
}
