/*
 * PJPROJECT's own TURN server in a process of its own: turn. It answers on loopback, and works in
 * step with the recorded program: for each line `T` (the time, microseconds) on standard input it
 * does all that is to do at that time, and says how many events that were. The first line of its
 * output is its port.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pjlib-util.h>
#include <pjlib.h>
#include <pjnath.h>

#include "auth.h"
#include "turn.h"

#include "link.h"

static pj_caching_pool pools;

static int failed(const char *what, pj_status_t status)
{
    char text[PJ_ERR_MSG_SIZE];
    pj_strerror(status, text, sizeof text);
    fprintf(stderr, "turn: %s: %s\n", what, text);
    return 1;
}

/* In the place of pj_thread_create in server.c, whose threads would only poll. */
pj_status_t hs_no_thread(pj_pool_t *pool, const char *name, pj_thread_proc *entry, void *argument,
                         pj_size_t stack, unsigned flags, pj_thread_t **out)
{
    (void)pool, (void)name, (void)entry, (void)argument, (void)stack, (void)flags;
    *out = NULL;
    return PJ_SUCCESS;
}

/* In the place of pj_stun_msg_create_response in server.c, which has no word for who asks as RFC 3489
 * says, as PJNATH does to find out about its NAT: that this server has another address, at which
 * nothing answers, and that it does not answer from there. */
pj_status_t hs_answer(pj_pool_t *pool, const pj_stun_msg *request, int code, const pj_str_t *text,
                      pj_stun_msg **out)
{
    const pj_stun_uint_attr *change =
        (const pj_stun_uint_attr *)pj_stun_msg_find_attr(request, PJ_STUN_ATTR_CHANGE_REQUEST, 0);
    if (change != NULL && change->value != 0) {
        return PJ_ENOTSUP;
    }
    pj_status_t status = pj_stun_msg_create_response(pool, request, code, text, out);
    if (status == PJ_SUCCESS && change != NULL) {
        pj_sockaddr_in other;
        pj_str_t address = pj_str("127.9.0.1");
        pj_sockaddr_in_init(&other, &address, 9);
        status = pj_stun_msg_add_sockaddr_attr(pool, *out, PJ_STUN_ATTR_CHANGED_ADDR, PJ_FALSE,
                                               &other, sizeof other);
    }
    return status;
}

static unsigned port_of(const pj_turn_listener *listener)
{
    pj_sockaddr address;
    int length = sizeof address;
    pj_sock_getsockname(listener->sock, &address, &length);
    return pj_sockaddr_get_port(&address);
}

static int work(pj_turn_srv *server)
{
    int done = 0;
    for (int round = 1; round > 0;) {
        const pj_time_val now = {0, 0};
        round = (int)pj_timer_heap_poll(server->core.timer_heap, NULL);
        int events = pj_ioqueue_poll(server->core.ioqueue, &now);
        round += events > 0 ? events : 0;
        done += round;
    }
    return done;
}

int main(void)
{
    pj_turn_srv *server;
    pj_turn_listener *listener;
    pj_log_set_level(0); /* the log goes to the standard output */
    pj_status_t status = pj_init();
    if (status == PJ_SUCCESS) {
        status = pjlib_util_init();
    }
    if (status == PJ_SUCCESS) {
        status = pjnath_init();
    }
    pj_caching_pool_init(&pools, NULL, 0);
    hs_link_hosts(0, 1);
    pj_turn_auth_init("pjsip.org");
    if (status == PJ_SUCCESS) {
        status = pj_turn_srv_create(&pools.factory, &server);
    }
    if (status != PJ_SUCCESS) {
        return failed("start", status);
    }
    pj_str_t loopback = pj_str("127.0.0.1");
    status = pj_turn_listener_create_udp(server, pj_AF_INET(), &loopback, 0, 1, 0, &listener);
    if (status != PJ_SUCCESS) {
        return failed("listener", status);
    }
    pj_turn_srv_add_listener(server, listener);
    printf("%u\n", port_of(listener));
    fflush(stdout);
    uint64_t now;
    while (scanf("%" SCNu64, &now) == 1) {
        hs_link_set_now(now);
        printf("%d\n", work(server));
        fflush(stdout);
    }
    return 0;
}
