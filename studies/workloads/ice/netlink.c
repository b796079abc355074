/* In the place of socket() and perror() in ice_session.c, whose get_invalid_addresses() asks the
 * kernel which IPv6 addresses are no more to be used, and can wait for ever for the last answer. It learns that there is no such socket. */
int hs_no_socket(int family, int type, int protocol)
{
    (void)family, (void)type, (void)protocol;
    return -1;
}

void hs_no_complaint(const char *what)
{
    (void)what;
}
