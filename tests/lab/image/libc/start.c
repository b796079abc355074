#include <stdint.h>
#include <string.h>
extern uint32_t data_from, data_start, data_end, bss_start, bss_end, stack_top;
int main(void);
void reset(void);
__attribute__((section(".vectors"), used)) void *const vectors[] = {&stack_top, reset};
void reset(void)
{
    memcpy(&data_start, &data_from, (char *)&data_end - (char *)&data_start);
    memset(&bss_start, 0, (char *)&bss_end - (char *)&bss_start);
    main();
    for (;;) {
    }
}
void _exit(int code)
{
    (void)code;
    for (;;) {
    }
}
int _kill(int a, int b)
{
    (void)a;
    (void)b;
    return -1;
}
int _getpid(void)
{
    return 1;
}
int _write(int f, const void *b, int n)
{
    (void)f;
    (void)b;
    return n;
}
int _read(int f, void *b, int n)
{
    (void)f;
    (void)b;
    (void)n;
    return 0;
}
int _close(int f)
{
    (void)f;
    return 0;
}
int _fstat(int f, void *s)
{
    (void)f;
    (void)s;
    return -1;
}
int _isatty(int f)
{
    (void)f;
    return 1;
}
int _lseek(int f, int o, int w)
{
    (void)f;
    (void)o;
    (void)w;
    return 0;
}
