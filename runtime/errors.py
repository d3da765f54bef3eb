"""
Errors that a person can do something about.

Each takes facts, keeps them as attributes (tests and callers read those), and
builds one sentence: what, where, measured against allowed, what to do next.
Whatever is not an `ExpectedError` is a bug.
"""


class ExpectedError(Exception):
    """The base: a command prints the message alone and exits with 1."""
