"""Recognises what a user names (a trace, a log, an ELF, a folder ...), by its bytes and never by
its name."""
