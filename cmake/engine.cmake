# The lab's library as WebAssembly, for pages (cmake/engine.py), where the Python of the build has zig. A
# wheel is always built with it (pyproject.toml); an installation from the source tree takes the one that
# `make dev` makes.
function(heapscope_install_engine package)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import ziglang"
        RESULT_VARIABLE without_zig OUTPUT_QUIET ERROR_QUIET)
    if(NOT without_zig EQUAL 0)
        message(STATUS "no engine for pages: this Python has no ziglang")
        return()
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS device/include/*.h device/src/*.[ch] lab/models/*.[ch]
        lab/native/*.[ch])
    set(engine ${CMAKE_CURRENT_BINARY_DIR}/engine.wasm)
    add_custom_command(OUTPUT ${engine} DEPENDS ${sources} cmake/engine.py
        COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/engine.py
            ${CMAKE_CURRENT_SOURCE_DIR} ${engine}
        VERBATIM)
    add_custom_target(heapscope_engine ALL DEPENDS ${engine})
    install(FILES ${engine} DESTINATION ${package})
endfunction()
