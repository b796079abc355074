/* setjmp and longjmp: the registers that a function must keep. */
#include <setjmp.h>

#if defined(__riscv)
#define EACH(of)                                                                                   \
    of " ra, 0(a0)\n" of " sp, 4(a0)\n" of " s0, 8(a0)\n" of " s1, 12(a0)\n" of " s2, 16(a0)\n" of \
       " s3, 20(a0)\n" of " s4, 24(a0)\n" of " s5, 28(a0)\n" of " s6, 32(a0)\n" of                 \
       " s7, 36(a0)\n" of " s8, 40(a0)\n" of " s9, 44(a0)\n" of " s10, 48(a0)\n" of                \
       " s11, 52(a0)\n"
__asm__(".text\n.globl setjmp\nsetjmp:\n" EACH("sw") "li a0, 0\nret\n"
                                                     ".globl longjmp\nlongjmp:\n" EACH(
                                                         "lw") "mv a0, a1\nret\n");
#elif defined(__arm__)
__asm__(".text\n.thumb\n.syntax unified\n"
        ".globl setjmp\n.type setjmp, %function\n.thumb_func\nsetjmp:\n"
        "mov r2, sp\nmov r3, lr\nstmia r0!, {r2-r7}\n"
        "mov r2, r8\nmov r3, r9\nmov r4, r10\nmov r5, r11\nstmia r0!, {r2-r5}\n"
        "subs r0, #32\nldmia r0!, {r4-r7}\nmovs r0, #0\nbx lr\n"
        ".globl longjmp\n.type longjmp, %function\n.thumb_func\nlongjmp:\n"
        "adds r0, #24\nldmia r0!, {r2-r5}\nmov r8, r2\nmov r9, r3\nmov r10, r4\nmov r11, r5\n"
        "subs r0, #40\nldmia r0!, {r2-r7}\nmov sp, r2\nmovs r0, r1\nbx r3\n");
#elif defined(__i386__)
__asm__(".text\n.globl setjmp\nsetjmp:\nmovl 4(%esp), %eax\nmovl (%esp), %ecx\nmovl %ecx, 0(%eax)\n"
        "leal 4(%esp), %ecx\nmovl %ecx, 4(%eax)\nmovl %ebx, 8(%eax)\nmovl %esi, 12(%eax)\n"
        "movl %edi, 16(%eax)\nmovl %ebp, 20(%eax)\nxorl %eax, %eax\nret\n"
        ".globl longjmp\nlongjmp:\nmovl 4(%esp), %edx\nmovl 8(%esp), %eax\nmovl 4(%edx), %esp\n"
        "movl 8(%edx), %ebx\nmovl 12(%edx), %esi\nmovl 16(%edx), %edi\nmovl 20(%edx), %ebp\n"
        "jmp *0(%edx)\n");
#endif
