# heapscope_flags: an interface target with what all our code is compiled and linked with.
# HEAPSCOPE_LTO: whether the lab's library is optimised across files.
add_library(heapscope_flags INTERFACE)

if(MSVC)
    target_compile_options(heapscope_flags INTERFACE /W4 $<$<BOOL:${HEAPSCOPE_WERROR}>:/WX>)
else()
    target_compile_options(heapscope_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
        $<$<BOOL:${HEAPSCOPE_WERROR}>:-Werror>)
endif()

if(HEAPSCOPE_M32)
    target_compile_options(heapscope_flags INTERFACE -m32)
    target_link_options(heapscope_flags INTERFACE -m32)
endif()

if(HEAPSCOPE_SANITIZE)
    # gcc compiles with -O0 in half of -Og's time, and what it makes takes twice as long: less in sum where
    # the rounds are thinned, as tests/CMakeLists.txt does it on 64 bits.
    set(level -O0)
    if(HEAPSCOPE_M32)
        set(level -O1)
    endif()
    target_compile_options(heapscope_flags INTERFACE -fsanitize=${HEAPSCOPE_SANITIZE}
        -fno-sanitize-recover=all -fno-omit-frame-pointer ${level} -g1)
    target_link_options(heapscope_flags INTERFACE -fsanitize=${HEAPSCOPE_SANITIZE})
endif()

if(HEAPSCOPE_ASSERTS) # our own programs end where one is violated
    add_library(heapscope_assert_failed STATIC EXCLUDE_FROM_ALL tests/assert_failed.c)
    target_include_directories(heapscope_assert_failed PRIVATE device/include)
    target_compile_options(heapscope_assert_failed
        PRIVATE $<TARGET_PROPERTY:heapscope_flags,INTERFACE_COMPILE_OPTIONS>)
    target_compile_definitions(heapscope_flags INTERFACE HS_ASSERTS=1)
    target_compile_definitions(heapscope_assert_failed PRIVATE HS_ASSERTS=1)
    target_link_libraries(heapscope_flags INTERFACE heapscope_assert_failed)
endif()

# The heap interface and the models are called across files for every event: a tenth faster with it.
set(HEAPSCOPE_LTO OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT HEAPSCOPE_SANITIZE AND NOT MSVC)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT HEAPSCOPE_LTO OUTPUT lto_reason LANGUAGES C)
endif()
