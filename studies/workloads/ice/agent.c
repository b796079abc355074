#include "agent.h"

#include "link.h"

/* One of the users that PJPROJECT's server knows. */
#define USER "100"
#define PASSWORD "100"
#define REALM "pjsip.org"
#define SERVER "127.0.0.1"

static void on_complete(pj_ice_strans *ice, pj_ice_strans_op operation, pj_status_t status)
{
    hs_agent_t *agent = pj_ice_strans_get_user_data(ice);
    if (agent->status == PJ_SUCCESS) {
        agent->status = status;
    }
    agent->gathered |= operation == PJ_ICE_STRANS_OP_INIT;
    agent->negotiated |= operation == PJ_ICE_STRANS_OP_NEGOTIATION;
}

static void on_media(pj_ice_strans *ice, unsigned component, void *packet, pj_size_t size,
                     const pj_sockaddr_t *from, unsigned from_length)
{
    (void)component, (void)packet, (void)size, (void)from, (void)from_length;
    hs_agent_t *agent = pj_ice_strans_get_user_data(ice);
    agent->received++;
}

static void use_turn(pj_ice_strans_turn_cfg *turn, unsigned port)
{
    pj_ice_strans_turn_cfg_default(turn);
    turn->server = pj_str(SERVER);
    turn->port = (pj_uint16_t)port;
    turn->conn_type = PJ_TURN_TP_UDP;
    turn->auth_cred.type = PJ_STUN_AUTH_CRED_STATIC;
    turn->auth_cred.data.static_cred.realm = pj_str(REALM);
    turn->auth_cred.data.static_cred.username = pj_str(USER);
    turn->auth_cred.data.static_cred.data_type = PJ_STUN_PASSWD_PLAIN;
    turn->auth_cred.data.static_cred.data = pj_str(PASSWORD);
}

pj_status_t hs_agent_begin(hs_agent_t *agent, const hs_agent_plan_t *plan)
{
    *agent = (hs_agent_t){.components = plan->components};
    pj_ice_strans_cfg config;
    pj_ice_strans_cfg_default(&config);
    pj_stun_config_init(&config.stun_cfg, plan->pools, 0, plan->queue, plan->timers);
    config.stun_tp_cnt = 1;
    pj_ice_strans_stun_cfg_default(&config.stun_tp[0]);
    if (plan->stun) {
        config.stun_tp[0].server = pj_str(SERVER);
        config.stun_tp[0].port = (pj_uint16_t)plan->server;
    }
    config.stun_tp[0].loop_addr = PJ_TRUE;
    if (plan->turn) {
        config.turn_tp_cnt = 1;
        use_turn(&config.turn_tp[0], plan->server);
    }
    hs_link_hosts(plan->first_host, plan->hosts);
    const pj_ice_strans_cb calls = {.on_rx_data = &on_media, .on_ice_complete = &on_complete};
    return pj_ice_strans_create(plan->name, &config, plan->components, agent, &calls, &agent->ice);
}

pj_status_t hs_agent_session(hs_agent_t *agent, pj_ice_sess_role role)
{
    return pj_ice_strans_init_ice(agent->ice, role, NULL, NULL);
}

pj_status_t hs_agent_negotiate(hs_agent_t *from, hs_agent_t *other)
{
    pj_ice_sess_cand candidates[PJ_ICE_MAX_CAND];
    unsigned known = 0;
    for (unsigned component = 1; component <= other->components; component++) {
        unsigned more = PJ_ICE_MAX_CAND - known;
        pj_status_t status =
            pj_ice_strans_enum_cands(other->ice, component, &more, &candidates[known]);
        if (status != PJ_SUCCESS) {
            return status;
        }
        known += more;
    }
    pj_str_t user, password;
    pj_ice_strans_get_ufrag_pwd(other->ice, &user, &password, NULL, NULL);
    return pj_ice_strans_start_ice(from->ice, &user, &password, known, candidates);
}

pj_status_t hs_agent_send(hs_agent_t *agent, unsigned component, size_t size)
{
    static const uint8_t packet[256] = {0x80}; /* RTP's version; not STUN's */
    const pj_ice_sess_check *pair = pj_ice_strans_get_valid_pair(agent->ice, component);
    if (pair == NULL) {
        return PJ_ENOTFOUND;
    }
    const pj_sockaddr *to = &pair->rcand->addr;
    pj_status_t status =
        pj_ice_strans_sendto2(agent->ice, component, packet, size, to, pj_sockaddr_get_len(to));
    return status == PJ_EPENDING ? PJ_SUCCESS : status;
}
