#ifndef TESTS_ESP_ATTR_H
#define TESTS_ESP_ATTR_H
#define TESTS_TEXT_OF(number) #number
#define TESTS_TEXT(number) TESTS_TEXT_OF(number)
#define TESTS_SECTION(name, number) __attribute__((section(name "." TESTS_TEXT(number))))
#define IRAM_ATTR TESTS_SECTION(".iram1", __COUNTER__)
#define __NOINIT_ATTR TESTS_SECTION(".noinit", __COUNTER__)
#endif
