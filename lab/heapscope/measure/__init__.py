"""What a replay yields: one kind of row a file, each with its JSON form."""
