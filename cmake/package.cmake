# The device library for C users: its options, its installation, and malloc as a library to preload.
# The options are those of heapscope/config.h; what uses the library is compiled with the same.
foreach(part LEAN ENDS)
    option(HEAPSCOPE_${part} "HS_${part} of heapscope/config.h" OFF)
    if(HEAPSCOPE_${part})
        target_compile_definitions(heapscope_device PUBLIC HS_${part}=1)
        string(APPEND heapscope_pc_definitions " -DHS_${part}=1")
    endif()
endforeach()
foreach(part WIDE LOCKS GUARD OWNERS PRIVATE POOLS)
    option(HEAPSCOPE_${part} "HS_${part} of heapscope/config.h" ON)
    if(NOT HEAPSCOPE_${part}) # their defaults are on
        target_compile_definitions(heapscope_device PUBLIC HS_${part}=0)
        string(APPEND heapscope_pc_definitions " -DHS_${part}=0")
    endif()
endforeach()
foreach(limit REGIONS_MAX KINDS_MAX)
    if(NOT DEFINED HEAPSCOPE_${limit}) # a project that fetches this one may have set it
        set(HEAPSCOPE_${limit} "" CACHE STRING
            "HS_${limit} of heapscope/config.h; empty: its default")
    endif()
    if(HEAPSCOPE_${limit})
        target_compile_definitions(heapscope_device PUBLIC HS_${limit}=${HEAPSCOPE_${limit}})
        string(APPEND heapscope_pc_definitions " -DHS_${limit}=${HEAPSCOPE_${limit}}")
    endif()
endforeach()

# Real programs run on it under LD_PRELOAD; made when it is asked for.
if(UNIX AND NOT APPLE)
    file(GLOB malloc_sources CONFIGURE_DEPENDS device/compat/libc/*.c device/compat/arenas/*.c)
    find_package(Threads REQUIRED)
    add_library(heapscope_malloc SHARED EXCLUDE_FROM_ALL ${malloc_sources} device/port/posix/port.c)
    target_include_directories(heapscope_malloc PRIVATE device/compat/libc device/compat/arenas)
    target_compile_definitions(heapscope_malloc PRIVATE HS_LIBC_MEMORY=HS_LIBC_PAGES
        HS_ARENAS_MAX=64)
    target_compile_options(heapscope_malloc PRIVATE -fvisibility=default -fno-builtin)
    target_link_libraries(heapscope_malloc PRIVATE heapscope_device heapscope_flags
        Threads::Threads)
endif()

if(HEAPSCOPE_INSTALL AND NOT SKBUILD)
    include(CMakePackageConfigHelpers)
    set(package ${CMAKE_INSTALL_LIBDIR}/cmake/heapscope)
    install(DIRECTORY device/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(TARGETS heapscope_device EXPORT heapscope)
    install(EXPORT heapscope NAMESPACE heapscope:: FILE heapscope-targets.cmake
        DESTINATION ${package})
    install(FILES cmake/heapscope-config.cmake DESTINATION ${package})
    write_basic_package_version_file(heapscope-config-version.cmake COMPATIBILITY SameMinorVersion)
    # The file finds the library from its own place, so that the folder may be moved.
    set(heapscope_pc_prefix ${CMAKE_INSTALL_PREFIX})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
        file(RELATIVE_PATH heapscope_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
        string(REGEX REPLACE "/$" "" heapscope_pc_prefix "\${pcfiledir}/${heapscope_pc_prefix}")
    endif()
    configure_file(cmake/heapscope.pc.in heapscope.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heapscope-config-version.cmake
        DESTINATION ${package})
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heapscope.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    # What is compiled into a firmware with its own configuration comes as source.
    install(DIRECTORY device/compat device/port
        DESTINATION ${CMAKE_INSTALL_DATADIR}/heapscope)
endif()
