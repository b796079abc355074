/* The first instructions on QEMU's Xtensa board "sim", and its end: the program's output goes to the
   simulator by its call 4 (write), the result by call 1 (exit). */
    .section .reset, "ax"
    .global xtensa_reset
    .align 4
xtensa_reset:
    j xtensa_begin

    .section .start, "ax"
    .align 4
    .literal_position
xtensa_begin:
    movi a1, xtensa_stack_end
    movi a2, xtensa_finished
    movi a3, hosted_return
    s32i a2, a3, 0
    movi a2, 1
    movi a3, xtensa_arguments
    movi a0, hosted_start
    callx0 a0

    .align 4
    .global xtensa_finished
xtensa_finished:
    movi a2, 4
    movi a3, 1
    movi a4, hosted_output
    movi a5, hosted_written
    l32i a5, a5, 0
    simcall
    movi a2, 1
    movi a3, hosted_code
    l32i a3, a3, 0
    simcall
1:  j 1b

    .section .rodata
    .align 4
xtensa_arguments:
    .word xtensa_name, 0
xtensa_name:
    .asciz "program"
