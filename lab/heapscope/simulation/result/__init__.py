"""The results of a replay: one kind of row a file, each with its JSON form."""
