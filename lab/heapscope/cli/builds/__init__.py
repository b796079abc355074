"""For build systems: the extension of idf.py, a package for CMake, a script for PlatformIO."""
