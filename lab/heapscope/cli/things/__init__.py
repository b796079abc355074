"""The answers that the command gives at once of a thing, a file for each kind."""
