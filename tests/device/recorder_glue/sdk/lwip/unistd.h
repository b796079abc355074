#ifndef TESTS_UNISTD_H
#define TESTS_UNISTD_H
int close(int fd);
#endif
