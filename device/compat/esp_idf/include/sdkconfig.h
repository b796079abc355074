/*
 * The project's, where there is one; else a host's choice: hooks and traces are there, and blocks carry
 * nothing: neither what guards them nor, without CONFIG_HEAP_TASK_TRACKING, whose they are. Each may be set on the compiler's command line, the same for the library
 * and the program. What is switched on here has the value 1, as Kconfig writes it.
 */
#ifndef HEAPSCOPE_SDKCONFIG_H
#define HEAPSCOPE_SDKCONFIG_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<sdkconfig.h>)
#include_next <sdkconfig.h>
#else

#if !defined(CONFIG_HEAP_POISONING_LIGHT) && !defined(CONFIG_HEAP_POISONING_COMPREHENSIVE) &&      \
    !defined(CONFIG_HEAP_POISONING_DISABLED)
#define CONFIG_HEAP_POISONING_DISABLED 1
#endif
#ifndef CONFIG_HEAP_USE_HOOKS
#define CONFIG_HEAP_USE_HOOKS 1
#endif
#ifndef CONFIG_HEAP_TRACING
#define CONFIG_HEAP_TRACING 1
#define CONFIG_HEAP_TRACING_STANDALONE 1
#endif
#ifndef CONFIG_HEAP_TRACING_STACK_DEPTH
#define CONFIG_HEAP_TRACING_STACK_DEPTH 2
#endif
#endif
#endif
