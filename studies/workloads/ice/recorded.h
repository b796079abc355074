/*
 * Included before every source of PJPROJECT but the pools and the sockets themselves: what the
 * library asks of its pools goes through pools.c, what it sends through link.c.
 */
#ifndef HEAPSCOPE_ICE_RECORDED_H
#define HEAPSCOPE_ICE_RECORDED_H

#include <pj/addr_resolv.h>
#include <pj/pool.h>
#include <pj/sock.h>

/* `knob` is the initial size as the source says it: the name of the option, where there is one. */
pj_pool_t *hs_pool_create(pj_pool_factory *factory, const char *name, pj_size_t initial,
                          pj_size_t increment, pj_pool_callback *callback, const char *knob);
void *hs_pool_alloc(pj_pool_t *pool, pj_size_t size);
void *hs_pool_calloc(pj_pool_t *pool, pj_size_t count, pj_size_t size);
void hs_pool_reset(pj_pool_t *pool);

#define pj_pool_create(factory, name, initial, increment, callback)                                \
    hs_pool_create(factory, name, initial, increment, callback, #initial)
#define pj_pool_alloc hs_pool_alloc
#define pj_pool_calloc hs_pool_calloc
#define pj_pool_zalloc(pool, size) hs_pool_calloc(pool, 1, size)
#define pj_pool_reset hs_pool_reset

pj_status_t hs_link_sendto(pj_sock_t socket, const void *bytes, pj_ssize_t *length, unsigned flags,
                           const pj_sockaddr_t *to, int to_length);
pj_status_t hs_link_close(pj_sock_t socket);
pj_status_t hs_link_host(int family, pj_sockaddr *address);

#define pj_sock_sendto hs_link_sendto
#define pj_sock_close hs_link_close
#define pj_gethostip hs_link_host

#endif
