"""The kinds of the things that a user names, by their bytes and not by their names."""
