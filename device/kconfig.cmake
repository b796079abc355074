# What Kconfig chose, as macros of heapscope/config.h and as the list of sources; shared by the
# components for ESP-IDF and Zephyr. Gives heapscope_definitions and heapscope_sources.
set(heapscope_definitions
    HS_REGIONS_MAX=${CONFIG_HEAPSCOPE_REGIONS_MAX}
    HS_KINDS_MAX=${CONFIG_HEAPSCOPE_KINDS_MAX})
foreach(part GUARD OWNERS PRIVATE POOLS)
    if(CONFIG_HEAPSCOPE_${part})
        list(APPEND heapscope_definitions HS_${part}=1)
    else()
        list(APPEND heapscope_definitions HS_${part}=0)
    endif()
endforeach()
file(GLOB_RECURSE heapscope_sources ${CMAKE_CURRENT_LIST_DIR}/src/*.c)
