/*
 * Records one call of two ICE agents: ice OUT.hst TURN CONFIG [WORD=N...]. TURN is the server's
 * program. The caller's pools are recorded: those of PJNATH alone, the queue and the timers are the
 * application's. Six marks, as in the published study. WORDs: components, hosts, callee, callee_stun,
 * callee_turn, stun, turn, delay, jitter, lost, seed. Prints what the pools hold at each mark.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "link.h"
#include "pools.h"
#include "server.h"

#define SECOND UINT64_C(1000000)
#define PATIENCE (60 * SECOND) /* for anything that ought to happen */
#define RTP_BYTES 172          /* 20 ms of PCMU */
#define RTP_EVERY (SECOND / 50)
#define RTCP_BYTES 64
#define RTCP_EVERY (5 * SECOND)

#define VERSION "2.12.1"

typedef struct word {
    const char *name;
    unsigned value;
} word_t;

enum {
    COMPONENTS,
    HOSTS,
    STUN,
    TURN,
    CALLEE_HOSTS,
    CALLEE_STUN,
    CALLEE_TURN,
    DELAY,
    JITTER,
    LOST,
    SEED
};

static word_t words[] = {
    [COMPONENTS] = {"components", 2},
    [HOSTS] = {"hosts", 1},
    [STUN] = {"stun", 1},
    [TURN] = {"turn", 1},
    [CALLEE_HOSTS] = {"callee", 1},
    [CALLEE_STUN] = {"callee_stun", 0},
    [CALLEE_TURN] = {"callee_turn", 0},
    [DELAY] = {"delay", 20},
    [JITTER] = {"jitter", 10},
    [LOST] = {"lost", 0},
    [SEED] = {"seed", 1},
};
#define WORDS (sizeof words / sizeof words[0])

typedef struct call {
    hs_rec_t *rec;
    pj_pool_factory *recorded;
    pj_caching_pool application; /* not recorded */
    pj_ioqueue_t *queue;
    pj_timer_heap_t *timers;
    hs_server_t *server;
    unsigned port;
    hs_agent_t caller, callee;
    bool talking;
    uint64_t next_rtp, next_rtcp;
    bool nat_known;
} call_t;

static void stop(const char *what, pj_status_t status)
{
    char text[PJ_ERR_MSG_SIZE] = "";
    pj_strerror(status, text, sizeof text);
    fprintf(stderr, "ice: %s: %s\n", what, text);
    exit(1);
}

static void check(const char *what, pj_status_t status)
{
    if (status != PJ_SUCCESS) {
        stop(what, status);
    }
}

/* ---- time -------------------------------------------------------------------------------------- */

static void work(call_t *call)
{
    for (int round = 1; round > 0;) {
        const pj_time_val now = {0, 0};
        round = (int)pj_timer_heap_poll(call->timers, NULL);
        int events = pj_ioqueue_poll(call->queue, &now);
        int remote = hs_server_work(call->server);
        if (remote < 0) {
            stop("the server is gone", PJ_EUNKNOWN);
        }
        round += (events > 0 ? events : 0) + remote;
    }
}

static uint64_t next_timer(call_t *call)
{
    pj_time_val next, now;
    if (pj_timer_heap_count(call->timers) == 0) {
        return HS_LINK_NEVER;
    }
    pj_timer_heap_earliest_time(call->timers, &next);
    pj_gettickcount(&now);
    PJ_TIME_VAL_SUB(next, now);
    long left = PJ_TIME_VAL_MSEC(next);
    return hs_link_now() / 1000 * 1000 + (uint64_t)(left > 1 ? left : 1) * 1000;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool has_rtcp(const call_t *call)
{
    return call->caller.components > 1;
}

static uint64_t next_packet(const call_t *call)
{
    return has_rtcp(call) ? least(call->next_rtp, call->next_rtcp) : call->next_rtp;
}

static void talk(call_t *call)
{
    if (!call->talking) {
        return;
    }
    if (hs_link_now() >= call->next_rtp) {
        call->next_rtp += RTP_EVERY;
        check("media", hs_agent_send(&call->caller, 1, RTP_BYTES));
        check("media back", hs_agent_send(&call->callee, 1, RTP_BYTES));
    }
    if (has_rtcp(call) && hs_link_now() >= call->next_rtcp) {
        call->next_rtcp += RTCP_EVERY;
        check("RTCP", hs_agent_send(&call->caller, 2, RTCP_BYTES));
        check("RTCP back", hs_agent_send(&call->callee, 2, RTCP_BYTES));
    }
}

/* Until `done`, or for `most` microseconds when that is NULL. */
static void run(call_t *call, const char *what, const bool *done, uint64_t most)
{
    uint64_t end = hs_link_now() + most;
    for (;;) {
        work(call);
        if (done != NULL && *done) {
            return;
        }
        if (hs_link_now() >= end) {
            break;
        }
        uint64_t next = least(least(next_timer(call), hs_link_next()), end);
        next = call->talking ? least(next, next_packet(call)) : next;
        hs_link_set_now(next);
        hs_link_deliver();
        talk(call);
    }
    if (done != NULL) {
        stop(what, PJ_ETIMEDOUT);
    }
}

/* ---- the call ---------------------------------------------------------------------------------- */

static void mark(call_t *call, const char *name)
{
    hs_rec_mark(call->rec, name);
    hs_pools_use_t use = hs_pools_use();
    printf("%-24s%8zu%8zu\n", name, use.used, use.allocated);
    hs_pools_dump();
}

static void on_nat(void *data, const pj_stun_nat_detect_result *result)
{
    (void)result;
    call_t *call = data;
    call->nat_known = true;
}

static hs_agent_plan_t plan_of(call_t *call, bool caller)
{
    return (hs_agent_plan_t){
        .pools = caller ? call->recorded : &call->application.factory,
        .queue = call->queue,
        .timers = call->timers,
        .name = caller ? "icetp00" : "callee",
        .components = words[COMPONENTS].value,
        .first_host = caller ? 1 : 2,
        .hosts = words[caller ? HOSTS : CALLEE_HOSTS].value,
        .server = call->port,
        .stun = words[caller ? STUN : CALLEE_STUN].value != 0,
        .turn = words[caller ? TURN : CALLEE_TURN].value != 0,
    };
}

static void gather(call_t *call, bool caller)
{
    hs_agent_t *agent = caller ? &call->caller : &call->callee;
    hs_agent_plan_t plan = plan_of(call, caller);
    check("agent", hs_agent_begin(agent, &plan));
    run(call, "candidates", &agent->gathered, PATIENCE);
    check("candidates", agent->status);
}

/* pjsua also finds out at its start which kind of NAT it is behind. */
static void find_nat(call_t *call)
{
    pj_sockaddr_in server;
    pj_str_t address = pj_str("127.0.0.1");
    pj_sockaddr_in_init(&server, &address, (pj_uint16_t)call->port);
    static pj_stun_config config; /* PJNATH keeps its address */
    pj_stun_config_init(&config, call->recorded, 0, call->queue, call->timers);
    check("NAT", pj_stun_detect_nat_type(&server, &config, call, &on_nat));
}

static void make_call(call_t *call)
{
    gather(call, false);
    gather(call, true);
    mark(call, "TURN allocated");
    find_nat(call);
    run(call, "", NULL, SECOND / 5);
    mark(call, "started");
    run(call, "NAT type", &call->nat_known, PATIENCE);
    run(call, "", NULL, 30 * SECOND);
    mark(call, "idle");
    check("session", hs_agent_session(&call->caller, PJ_ICE_SESS_ROLE_CONTROLLING));
    mark(call, "call made");
    check("session", hs_agent_session(&call->callee, PJ_ICE_SESS_ROLE_CONTROLLED));
    check("negotiation", hs_agent_negotiate(&call->callee, &call->caller));
    run(call, "", NULL, SECOND / 10); /* the answer is on its way */
    check("negotiation", hs_agent_negotiate(&call->caller, &call->callee));
    run(call, "negotiation", &call->caller.negotiated, PATIENCE);
    check("negotiation", call->caller.status);
    mark(call, "ICE complete");
    run(call, "negotiation", &call->callee.negotiated, PATIENCE);
    call->talking = true;
    call->next_rtp = call->next_rtcp = hs_link_now();
    run(call, "", NULL, 60 * SECOND);
    mark(call, "one minute");
    call->talking = false;
    check("hanging up", pj_ice_strans_stop_ice(call->caller.ice));
    run(call, "", NULL, SECOND);
    mark(call, "hung up");
    check("end", pj_ice_strans_destroy(call->caller.ice));
    run(call, "", NULL, 10 * SECOND);
    mark(call, "end");
}

static bool take_word(const char *stated)
{
    const char *equals = strchr(stated, '=');
    for (size_t i = 0; equals != NULL && i < WORDS; i++) {
        size_t length = (size_t)(equals - stated);
        if (strlen(words[i].name) == length && strncmp(words[i].name, stated, length) == 0) {
            words[i].value = (unsigned)strtoul(equals + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

int main(int count, char **arguments)
{
    int known = 4;
    while (known < count && take_word(arguments[known])) {
        known++;
    }
    if (count < 4 || known != count) {
        fprintf(stderr, "usage: %s OUT.hst TURN CONFIG [WORD=N...]\n", arguments[0]);
        return 2;
    }
    static call_t call;
    call.rec = hs_rec_open(arguments[1], "PJNATH " VERSION " caller", arguments[3]);
    call.server = hs_server_begin(arguments[2], &call.port);
    if (call.rec == NULL || call.server == NULL) {
        fprintf(stderr, "%s cannot be written, or %s does not run\n", arguments[1], arguments[2]);
        return 2;
    }
    pj_log_set_level(getenv("ICE_LOG") == NULL ? 0 : atoi(getenv("ICE_LOG")));
    check("PJLIB", pj_init());
    check("PJLIB-UTIL", pjlib_util_init());
    check("PJNATH", pjnath_init());
    pj_srand(words[SEED].value);
    hs_link_begin((hs_link_plan_t){words[SEED].value, words[DELAY].value, words[JITTER].value,
                                   words[LOST].value});
    pj_caching_pool_init(&call.application, NULL, 0);
    pj_pool_t *own = pj_pool_create(&call.application.factory, "application", 4000, 4000, NULL);
    check("queue", pj_ioqueue_create(own, 32, &call.queue));
    check("timers", pj_timer_heap_create(own, 256, &call.timers));
    call.recorded = hs_pools_recorded(call.rec);
    hs_rec_task(call.rec, "caller");
    make_call(&call);
    hs_server_end(call.server);
    hs_status_t status = hs_rec_close(call.rec);
    if (status != HS_OK || call.callee.received == 0) {
        fprintf(stderr, "recording: %d; media received: %u\n", status,
                (unsigned)call.callee.received);
        return 1;
    }
    return 0;
}
