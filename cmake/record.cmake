# The recorder of Linux programs (lab/native/record): what the lab takes in is part of the lab's library;
# what goes into a recorded program is an object of its own, with no library behind it, built beside
# it together with its sources, from which the one for the other word size is made on first use.
set(HEAPSCOPE_RECORDS OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    file(GLOB drain_sources CONFIGURE_DEPENDS lab/native/record/drain/*.c)
    list(APPEND core_sources ${drain_sources})
    if(NOT HEAPSCOPE_SANITIZE AND NOT HEAPSCOPE_FUZZ)
        set(HEAPSCOPE_RECORDS ON)
    endif()
endif()

if(HEAPSCOPE_RECORDS)
    file(GLOB record_sources CONFIGURE_DEPENDS lab/native/record/preload/*.c)
    file(STRINGS lab/native/record/preload/flags.txt record_flags REGEX "^-")
    set(record_own lab/native/record/preload/flags.${CMAKE_SYSTEM_PROCESSOR}.txt)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${record_own})
        file(STRINGS ${record_own} own_flags REGEX "^-")
        list(APPEND record_flags ${own_flags})
    endif()
    add_library(heapscope_record MODULE ${record_sources})
    add_library(heapscope_record_static OBJECT ${record_sources})
    set_target_properties(heapscope_record heapscope_record_static PROPERTIES C_EXTENSIONS ON)
    foreach(target heapscope_record heapscope_record_static)
        target_include_directories(${target} PRIVATE lab/native/record/include)
        target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow
            $<$<BOOL:${HEAPSCOPE_WERROR}>:-Werror> $<$<BOOL:${HEAPSCOPE_M32}>:-m32>
            ${record_flags})
    endforeach()
    target_compile_definitions(heapscope_record_static PRIVATE HS_REC_LINKED)
    target_link_options(heapscope_record PRIVATE -nostdlib $<$<BOOL:${HEAPSCOPE_M32}>:-m32>)

    # The same for programs that run already, where the way into them is known.
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT HEAPSCOPE_M32)
        add_library(heapscope_attach MODULE ${record_sources})
        set_target_properties(heapscope_attach PROPERTIES C_EXTENSIONS ON)
        target_include_directories(heapscope_attach PRIVATE lab/native/record/include)
        target_compile_options(heapscope_attach PRIVATE -Wall -Wextra -Wconversion -Wshadow
            $<$<BOOL:${HEAPSCOPE_WERROR}>:-Werror> ${record_flags})
        target_compile_definitions(heapscope_attach PRIVATE HS_REC_IS_ATTACHED=1)
        target_link_options(heapscope_attach PRIVATE -nostdlib)
    endif()

    # One object for static programs, with the options that put it in front of their functions.
    add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/heapscope_record.o
        COMMAND ${CMAKE_C_COMPILER} -nostdlib -r $<$<BOOL:${HEAPSCOPE_M32}>:-m32>
            -o ${CMAKE_CURRENT_BINARY_DIR}/heapscope_record.o
            "$<TARGET_OBJECTS:heapscope_record_static>"
        DEPENDS heapscope_record_static $<TARGET_OBJECTS:heapscope_record_static>
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(heapscope_record_object ALL
        DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/heapscope_record.o)

    # The sources beside the library, as they are beside an installed one.
    file(GLOB record_headers CONFIGURE_DEPENDS lab/native/record/*.h)
    file(GLOB record_files CONFIGURE_DEPENDS lab/native/record/preload/* lab/native/record/include/*/*)
    set(record_copy ${CMAKE_CURRENT_BINARY_DIR}/record)
    add_custom_command(OUTPUT ${record_copy}/copied
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${record_copy}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${record_copy}
        COMMAND ${CMAKE_COMMAND} -E copy ${record_headers} ${record_copy}
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_CURRENT_SOURCE_DIR}/lab/native/record/preload
            ${record_copy}/preload
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_CURRENT_SOURCE_DIR}/lab/native/record/include
            ${record_copy}/include
        COMMAND ${CMAKE_COMMAND} -E touch ${record_copy}/copied
        DEPENDS ${record_headers} ${record_files} VERBATIM)
    add_custom_target(heapscope_record_copy ALL DEPENDS ${record_copy}/copied)
endif()

function(heapscope_install_record package)
    if(HEAPSCOPE_RECORDS)
        install(TARGETS heapscope_record LIBRARY DESTINATION ${package})
        if(TARGET heapscope_attach)
            install(TARGETS heapscope_attach LIBRARY DESTINATION ${package})
        endif()
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heapscope_record.o DESTINATION ${package})
        install(DIRECTORY lab/native/record DESTINATION ${package} PATTERN drain EXCLUDE)
    endif()
endfunction()
