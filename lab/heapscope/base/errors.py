"""Errors that a user can act on. Each names what, where, why and what to do."""

from __future__ import annotations


class HeapscopeError(Exception):
    """Base of all errors that the command line prints without a traceback; exit code 2."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class InputError(HeapscopeError):
    """The input cannot be used: the message names file, place and cause."""
