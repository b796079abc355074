#ifndef TESTS_ESP_ATTR_H
#define TESTS_ESP_ATTR_H
#define TESTS_TEXT_OF(number) #number
#define TESTS_TEXT(number) TESTS_TEXT_OF(number)
#define TESTS_SECTION(name, number) __attribute__((section(name "." TESTS_TEXT(number))))
#define IRAM_ATTR TESTS_SECTION(".iram1", __COUNTER__)
#define DRAM_ATTR
#define RTC_DATA_ATTR
#define WORD_ALIGNED_ATTR __attribute__((aligned(4)))
#define NOINLINE_ATTR __attribute__((noinline))
#define FORCE_INLINE_ATTR static inline __attribute__((always_inline))
#define __NOINIT_ATTR TESTS_SECTION(".noinit", __COUNTER__)
#endif
