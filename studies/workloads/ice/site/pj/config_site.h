/*
 * PJLIB's own hook for a program's options. HS_ICE_CONFIG chooses the configuration of the case
 * study: 0 the library's defaults, 1 tuned; 2 the defaults with its sizes of pools, which tells how
 * much of the rest is theirs, and that a what-if of 0 is right. (Its third one, without RTCP, is the tuned one with one
 * component, which the program decides.)
 */
#ifndef HEAPSCOPE_ICE_CONFIG_SITE_H
#define HEAPSCOPE_ICE_CONFIG_SITE_H

#define PJ_HAS_TCP 1 /* this fork does not build without it; sources.py cuts its buffers */
#define PJ_HAS_IPV6 0
#define PJ_OS_HAS_CHECK_STACK 0

#if HS_ICE_CONFIG == 1

#define PJ_STUN_SOCK_PKT_LEN 360
#define PJ_STUN_MAX_PKT_LEN PJ_STUN_SOCK_PKT_LEN
#define PJ_TURN_MAX_PKT_LEN PJ_STUN_MAX_PKT_LEN

#define PJ_ICE_ST_MAX_CAND 4
#define PJ_ICE_MAX_CAND 8
#define PJ_ICE_MAX_CHECKS 16
/* Bits of a component's number. The case study's 0 meant two components; with 0 this version has
 * room for one. */
#define PJ_ICE_COMP_BITS 1

#define PJ_LOG_MAX_LEVEL 4

#endif

#if HS_ICE_CONFIG != 0

#define PJNATH_POOL_LEN_ICE_SESS HS_ICE_LEN
#define PJNATH_POOL_INC_ICE_SESS HS_ICE_LEN
#define PJNATH_POOL_LEN_ICE_STRANS HS_ICE_LEN
#define PJNATH_POOL_INC_ICE_STRANS HS_ICE_LEN
#define PJNATH_POOL_LEN_NATCK HS_ICE_LEN
#define PJNATH_POOL_INC_NATCK HS_ICE_LEN
#define PJNATH_POOL_LEN_STUN_SESS HS_ICE_LEN
#define PJNATH_POOL_INC_STUN_SESS HS_ICE_LEN
#define PJNATH_POOL_LEN_STUN_TDATA HS_ICE_LEN
#define PJNATH_POOL_INC_STUN_TDATA HS_ICE_LEN
#define PJNATH_POOL_LEN_TURN_SESS HS_ICE_LEN
#define PJNATH_POOL_INC_TURN_SESS HS_ICE_LEN
#define PJNATH_POOL_LEN_TURN_SOCK HS_ICE_LEN
#define PJNATH_POOL_INC_TURN_SOCK HS_ICE_LEN

#define HS_ICE_LEN 128

#endif
#endif
