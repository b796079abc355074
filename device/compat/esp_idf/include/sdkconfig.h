/*
 * The options of a host, where the project has no sdkconfig.h of its own: hooks and traces are there;
 * blocks carry no canaries and, without CONFIG_HEAP_TASK_TRACKING, no owner. Each option may be set on
 * the compiler's command line, to the same value for the library and the program. An option that is on
 * has the value 1, as Kconfig writes it.
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
