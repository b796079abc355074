"""What the scripts that make traces share: sources, compiler, files."""
