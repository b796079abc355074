"""The scripts that make traces share these modules: sources, compiler, files."""
