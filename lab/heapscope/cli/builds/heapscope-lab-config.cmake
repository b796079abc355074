# Heapscope's command in a build by CMake: find_package(heapscope-lab) where Heapscope is installed.
#
#   heapscope_report(TARGET [ARGS argument...] [MEMORY option...] [OUTPUT file])
#     The target TARGET-heap-report records the program and writes its page.
#   heapscope_check(TARGET FAIL_ON budget... [ARGS argument...] [MEMORY option...])
#     CTest's tests TARGET-heap-record and TARGET-heap-check record the program and hold the budgets.
#   heapscope_check(FILE file.toml [NAME name])
#     CTest's test heap-check, or `name`, holds the budgets of a file.
#   heapscope_ram(TARGET [ARGS option...] [OUTPUT file])
#     The target TARGET-heap-ram shows where the RAM of a firmware goes. ARGS are options of
#     `heapscope ram`, such as --chip esp32 --idf 5.5; OUTPUT is a page, or Markdown (.md).
#
# Else, ARGS are the program's own; MEMORY has the options of `heapscope replay` that choose the memory,
# such as --chip esp32 --idf 5.5; a budget is what `heapscope replay --fail-on` takes.
cmake_minimum_required(VERSION 3.20)

get_filename_component(_heapscope_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(HEAPSCOPE_EXECUTABLE heapscope HINTS "${_heapscope_prefix}/bin" "${_heapscope_prefix}/Scripts"
    DOC "The command heapscope")
unset(_heapscope_prefix)
if(NOT HEAPSCOPE_EXECUTABLE)
    set(heapscope-lab_FOUND FALSE)
    set(heapscope-lab_NOT_FOUND_MESSAGE
        "There is no command heapscope on the PATH. "
        "Run: pip install \"PATH[report]\", where PATH is a clone of Heapscope or a wheel of it")
    return()
endif()

function(heapscope_report target)
    cmake_parse_arguments(PARSE_ARGV 1 given "" "OUTPUT" "ARGS;MEMORY")
    _heapscope_known(heapscope_report "${target}" "${given_UNPARSED_ARGUMENTS}")
    if(NOT given_OUTPUT)
        set(given_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}-heap.html")
    endif()
    set(trace "${CMAKE_CURRENT_BINARY_DIR}/${target}.hst")
    add_custom_target(${target}-heap-report
        COMMAND "${HEAPSCOPE_EXECUTABLE}" record -o "${trace}" -- "$<TARGET_FILE:${target}>" ${given_ARGS}
        COMMAND "${HEAPSCOPE_EXECUTABLE}" report "${trace}" ${given_MEMORY} -o "${given_OUTPUT}"
        DEPENDS ${target} BYPRODUCTS "${trace}" "${given_OUTPUT}"
        COMMENT "Recording the heap of ${target}" USES_TERMINAL VERBATIM)
endfunction()

function(heapscope_ram target)
    cmake_parse_arguments(PARSE_ARGV 1 given "" "OUTPUT" "ARGS")
    _heapscope_known(heapscope_ram "${target}" "${given_UNPARSED_ARGUMENTS}")
    set(out "")
    if(given_OUTPUT)
        set(out -o "${given_OUTPUT}")
    endif()
    add_custom_target(${target}-heap-ram
        COMMAND "${HEAPSCOPE_EXECUTABLE}" ram "$<TARGET_FILE:${target}>" ${given_ARGS} ${out}
        DEPENDS ${target} COMMENT "The RAM of ${target}" USES_TERMINAL VERBATIM)
endfunction()

function(heapscope_check)
    cmake_parse_arguments(PARSE_ARGV 0 given "" "FILE;NAME" "ARGS;MEMORY;FAIL_ON")
    if(given_FILE)
        if(given_UNPARSED_ARGUMENTS OR given_ARGS OR given_MEMORY OR given_FAIL_ON)
            message(FATAL_ERROR "heapscope_check(FILE): the file tells all but NAME. Leave the rest out.")
        endif()
        if(NOT given_NAME)
            set(given_NAME heap-check)
        endif()
        get_filename_component(file "${given_FILE}" ABSOLUTE)
        add_test(NAME ${given_NAME} COMMAND "${HEAPSCOPE_EXECUTABLE}" check "${file}")
        return()
    endif()
    list(POP_FRONT given_UNPARSED_ARGUMENTS target)
    _heapscope_known(heapscope_check "${target}" "${given_UNPARSED_ARGUMENTS}")
    if(NOT given_FAIL_ON)
        message(FATAL_ERROR "heapscope_check(${target}): no budget. Name one: FAIL_ON failures=0")
    endif()
    set(trace "${CMAKE_CURRENT_BINARY_DIR}/${target}.hst")
    list(TRANSFORM given_FAIL_ON PREPEND "--fail-on=")
    add_test(NAME ${target}-heap-record
        COMMAND "${HEAPSCOPE_EXECUTABLE}" record -o "${trace}" -- "$<TARGET_FILE:${target}>" ${given_ARGS})
    add_test(NAME ${target}-heap-check
        COMMAND "${HEAPSCOPE_EXECUTABLE}" replay "${trace}" ${given_MEMORY} ${given_FAIL_ON})
    set_tests_properties(${target}-heap-record PROPERTIES FIXTURES_SETUP ${target}-heap)
    set_tests_properties(${target}-heap-check PROPERTIES FIXTURES_REQUIRED ${target}-heap)
endfunction()

# An error that names what is wrong with the words of a call.
function(_heapscope_known function target more)
    if(more)
        message(FATAL_ERROR "${function}(${target}): unknown words: ${more}. "
            "They belong after ARGS, MEMORY, OUTPUT or FAIL_ON.")
    endif()
    if(NOT TARGET "${target}")
        message(FATAL_ERROR "${function}: there is no target '${target}'. Add the executable before.")
    endif()
endfunction()
