"""The answer of a log, with the lines that it rests on and the next step."""
