/* One side of a call: an ICE stream transport of PJNATH. */
#ifndef HEAPSCOPE_ICE_AGENT_H
#define HEAPSCOPE_ICE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pjlib.h>
#include <pjnath.h>

#define HS_COMPONENTS_MAX 2

typedef struct hs_agent_plan {
    pj_pool_factory *pools; /* of all that PJNATH makes for this side */
    pj_ioqueue_t *queue;
    pj_timer_heap_t *timers;
    const char *name;
    unsigned components;
    unsigned first_host, hosts; /* its addresses: link.h */
    unsigned server;            /* the port on loopback */
    bool stun, turn;            /* asks it for these candidates */
} hs_agent_plan_t;

typedef struct hs_agent {
    pj_ice_strans *ice;
    unsigned components;
    bool gathered, negotiated;
    pj_status_t status; /* the first thing that went wrong */
    uint64_t received;  /* packets of media */
} hs_agent_t;

/* Begins to gather candidates. The agent stays where it is. */
pj_status_t hs_agent_begin(hs_agent_t *agent, const hs_agent_plan_t *plan);

/* An ICE session: what a call needs before its offer, or its answer, can be written. */
pj_status_t hs_agent_session(hs_agent_t *agent, pj_ice_sess_role role);

/* `from` has learnt of `other` by its answer. */
pj_status_t hs_agent_negotiate(hs_agent_t *from, hs_agent_t *other);

/* A packet of media of `size` bytes, at most 256, to the other side. */
pj_status_t hs_agent_send(hs_agent_t *agent, unsigned component, size_t size);

#endif
