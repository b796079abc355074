#ifndef HOSTED_ERRNO_H
#define HOSTED_ERRNO_H

extern int errno;
#define ENOMEM 12
#define EINVAL 22

#endif
