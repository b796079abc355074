# heapscope_export_only(TARGET PREFIX): the shared library exports the functions whose names begin
# with PREFIX and nothing else. All code is compiled with hidden visibility, which no linker script
# can undo, so the files that define such functions (lab/native/lab, studies/native) are compiled without it.
include(CheckLinkerFlag)
file(GLOB exporting CONFIGURE_DEPENDS lab/native/lab/*.c native/*.c)
if(NOT MSVC)
    set_source_files_properties(${exporting} PROPERTIES COMPILE_OPTIONS -fvisibility=default)
endif()

function(heapscope_export_only target prefix)
    if(WIN32)
        set_target_properties(${target} PROPERTIES WINDOWS_EXPORT_ALL_SYMBOLS ON)
    elseif(APPLE)
        # zig's linker does not know the option, and then what is visible in those files is exported.
        check_linker_flag(C "LINKER:-exported_symbol,_*" HEAPSCOPE_LINKER_EXPORTS)
        if(HEAPSCOPE_LINKER_EXPORTS)
            target_link_options(${target} PRIVATE "LINKER:-exported_symbol,_${prefix}*")
        endif()
    else()
        set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
        file(CONFIGURE OUTPUT ${script} CONTENT "{ global: @prefix@*; local: *; };\n" @ONLY)
        target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
        set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
    endif()
endfunction()
