# Installed for find_package(heapscope). The target has the name heapscope::heapscope below
# FetchContent, too; heapscope::heapscope_device is its older name.
include(${CMAKE_CURRENT_LIST_DIR}/heapscope-targets.cmake)
if(NOT TARGET heapscope::heapscope)
    add_library(heapscope::heapscope INTERFACE IMPORTED)
    set_target_properties(heapscope::heapscope PROPERTIES
        INTERFACE_LINK_LIBRARIES heapscope::heapscope_device)
endif()
