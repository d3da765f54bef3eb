"""
Errors that a person can do something about.

Each takes facts, keeps them as attributes (tests and callers read those), and
builds one sentence: what, where, measured against allowed, what to do next.
Whatever is not an `ExpectedError` is a bug.
"""


class ExpectedError(Exception):
    """The base: a command prints the message alone and exits with 1."""


class SettingsError(ExpectedError):
    """Settings that cannot be used."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems) + "; see `runtime config show`")


class HomeError(ExpectedError):
    """The home folder cannot be found or made."""

    def __init__(self, root: str, reason: str) -> None:
        self.root = root
        super().__init__(f"home {root} cannot be used: {reason}; set OBOEGAKI_HOME elsewhere")


class StoreUnusableError(ExpectedError):
    """The database cannot be opened."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(
            f"store {path} cannot be opened: {reason}; "
            "move it aside or set store.path, events wait in the spool meanwhile"
        )


class StoreUnreadableError(StoreUnusableError):
    """The file is there and is no database."""


class StoreTooNewError(ExpectedError):
    """A newer version has migrated the database."""

    def __init__(self, path: str, found: int, known: int) -> None:
        self.path, self.found, self.known = path, found, known
        super().__init__(
            f"store {path} has schema {found}, this version knows up to {known}: "
            "upgrade oboegaki on this machine"
        )


class StoreLockedError(ExpectedError):
    """Another process holds the database longer than we wait."""

    def __init__(self, path: str, waited_s: float) -> None:
        self.path, self.waited_s = path, waited_s
        super().__init__(
            f"store {path} is locked: waited {waited_s:g} s; "
            "try again, or raise store.busy_timeout_s"
        )


class StoreBusyError(ExpectedError):
    """Others read the database for so long that its log of changes cannot be emptied."""

    def __init__(self, path: str, waited_s: float) -> None:
        self.path, self.waited_s = path, waited_s
        super().__init__(
            f"what was purged is out of {path}, but {path}-wal may still hold bytes of it: another "
            f"program has been reading for {waited_s:g} s; end it and run `runtime longterm purge` "
            "again"
        )


class WorkerError(ExpectedError):
    """The worker does not do what was asked."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"the worker {problem}; {hint}")


class EncoderError(ExpectedError):
    """The encoder for the search by meaning cannot be used."""

    def __init__(self, encoder: str, reason: str) -> None:
        self.encoder, self.reason = encoder, reason
        super().__init__(
            f"encoder {encoder} cannot be used: {reason}; "
            "name another in semantic.encoder, or set semantic.enabled = false"
        )


class UnknownIdError(ExpectedError):
    """Something was asked for by an id that does not exist."""

    def __init__(self, what: str, ids: tuple[str, ...], hint: str) -> None:
        self.what, self.ids = what, ids
        super().__init__(f"no {what} {', '.join(ids)}: {hint}")


class MissingExtraError(ExpectedError):
    """A command needs a package that only an extra brings."""

    def __init__(self, extra: str, what: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} need the extra {extra}, which is not installed: run "
            f"`uv tool install './oboegaki[{extra}]'` beside the clone, or `pip install "
            f"'./oboegaki[{extra}]'` in the environment of this command"
        )


class UnreadableFileError(ExpectedError):
    """A file that was named cannot be read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(f"{path} cannot be read: {reason}")


class UnwritableFileError(ExpectedError):
    """A file cannot be written."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(f"{path} cannot be written: {reason}; nothing was changed")


class OutputError(ExpectedError):
    """stdout takes no more."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"stdout cannot be written: {reason}; what was asked for is done, and part of the "
            "answer is missing"
        )


# Note files


class NoteRefusedError(ExpectedError):
    """
    A note was left as it is, and *reason*, one word, says why to a program.

    *headings* are the blocks that the reader needs to see to go on, *operation*
    the number, from 1, of the one in a batch that was refused. What the rules for
    writing refuse is in `runtime.notes.refusals`.
    """

    def __init__(self, reason: str, message: str, headings: tuple[str, ...] = ()) -> None:
        self.reason = reason
        self.headings = headings
        self.operation: int | None = None
        super().__init__(message)


class NotUtf8Error(NoteRefusedError):
    """A note file holds bytes that are not UTF-8."""

    def __init__(self, path: str, offset: int) -> None:
        self.path = path
        self.offset = offset
        super().__init__(
            "not_utf8",
            f"{path} is not UTF-8: the byte at offset {offset} does not belong there; "
            "save the file as UTF-8 (it was left as it is)",
        )


class FileChangedError(NoteRefusedError):
    """A note file changed between the moment it was read and the moment it would be written."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            "changed",
            f"{path} was changed by another program while it was being rewritten; "
            "that change was kept and nothing was written: try again",
        )


class NoteBusyError(NoteRefusedError):
    """Another process is rewriting a note file."""

    def __init__(self, path: str, waited_s: float) -> None:
        self.path = path
        self.waited_s = waited_s
        super().__init__(
            "busy",
            f"{path} is being rewritten by another process: waited {waited_s:.1f} s, "
            "nothing was changed; try again when it is done",
        )


class KeepTooSmallError(ExpectedError):
    """A rotation was asked to keep no block at all."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        super().__init__(
            f"rotation cannot keep {keep} blocks: 1 is the least; give the number of newest "
            "blocks that stay in the file"
        )


class RotationFailedError(ExpectedError):
    """A file of a rotation cannot be read or written."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(
            f"{path}: {reason}; no block was lost: make room or mend the rights, or name "
            "another --archive, and rotate again"
        )


class ArchiveIsSourceError(ExpectedError):
    """A rotation was given the file itself as its archive."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path} cannot be its own archive: name another file for the older blocks"
        )


class ImportSourceError(ExpectedError):
    """A folder that cannot be taken over."""

    def __init__(self, folder: str, reason: str, hint: str) -> None:
        self.folder, self.reason = folder, reason
        super().__init__(f"{folder} cannot be imported: {reason}; {hint}")


class ConfigEditError(ExpectedError):
    """config.toml is written in a way that we do not edit."""

    def __init__(self, path: str, line: str) -> None:
        self.path, self.line = path, line
        super().__init__(
            f"{path}: notes.dirs stands in a form that is not edited here and nothing was "
            f"written; set it by hand under [notes]: {line}"
        )


class SessionContextError(ExpectedError):
    """What a session is told cannot be made."""

    def __init__(self, handler: str, error: str) -> None:
        self.handler, self.error = handler, error
        super().__init__(f"{handler}: {error}; a session is told nothing until that is mended")


class PlanExistsError(ExpectedError):
    """A plan would be written over a file."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path} exists, and may hold somebody's decisions: nothing was written; "
            "name another file, or overwrite it with --force"
        )


class PlanUnwritableError(ExpectedError):
    """A plan cannot be written where it was asked for."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(
            f"{path} cannot be written: {reason}; name a file in a folder that is yours"
        )


# Claude Code's settings


class ClientSettingsError(ExpectedError):
    """A settings file of Claude Code that we cannot edit without harm."""

    def __init__(self, path: str, reason: str, line: int | None = None, column: int = 1) -> None:
        self.path, self.reason, self.line, self.column = path, reason, line, column
        self.where = path if line is None else f"{path}, line {line}, column {column}"
        super().__init__(
            f"{self.where}: {reason}; nothing was written: correct the file and run this again"
        )


class PluginEnabledError(ExpectedError):
    """The plugin brings the same hooks already."""

    def __init__(self, path: str, plugin: str) -> None:
        self.path, self.plugin = path, plugin
        super().__init__(
            f"{path} enables the plugin {plugin}, which brings these hooks: with both, every hook "
            "would run twice; disable the plugin first, or insist with --force"
        )
