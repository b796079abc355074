"""What build systems run: the extension of idf.py, a package for CMake, a script for PlatformIO."""
