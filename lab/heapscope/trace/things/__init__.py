"""What a thing is that a user names: by its bytes, and not by its name."""
