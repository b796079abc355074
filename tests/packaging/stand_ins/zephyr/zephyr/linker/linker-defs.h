/* The one declaration of Zephyr's that our code uses. */
#pragma once
extern char _end[];
