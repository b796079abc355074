"""The command line: one verb a file. Commands parse and call; they compute nothing."""
