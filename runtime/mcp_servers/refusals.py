"""What the servers do not do, each with what to do instead."""

from runtime.errors import ExpectedError


class StatementRefusedError(ExpectedError):
    """A statement is not one that is run here."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"the statement was not run: {reason}; give one SELECT, or WITH … SELECT, that reads"
        )


class QueryFailedError(ExpectedError):
    """SQLite does not understand, or cannot do, what was asked."""

    def __init__(self, database: str, reason: str) -> None:
        self.database, self.reason = database, reason
        super().__init__(
            f"{database}: {reason}; the resource schema://{database} has the tables and columns, "
            f"recipes://{database} has queries that work"
        )


class QueryTooSlowError(ExpectedError):
    """A query takes longer than it may."""

    def __init__(self, database: str, limit_s: float) -> None:
        self.database, self.limit_s = database, limit_s
        super().__init__(
            f"{database}: the query was stopped after {limit_s:g} s; narrow it down by an indexed "
            f"column (such as created_at), or look at chiebukuro_explain_query_{database}"
        )


class DatabaseUnusableError(ExpectedError):
    """A registered database cannot be read."""

    def __init__(self, database: str, path: str, reason: str) -> None:
        self.database, self.path = database, path
        super().__init__(
            f"{database} ({path}) cannot be read: {reason}; tell the person to correct its path "
            "in chiebukuro.json"
        )


class NoSuchPageError(ExpectedError):
    """A page beyond the last one."""

    def __init__(self, page: int, count: int) -> None:
        self.page, self.count = page, count
        super().__init__(f"there is no page {page}: the text has {count}, counted from 1")


class ProjectOffError(ExpectedError):
    """The person keeps a project out of the memory."""

    def __init__(self, project: str) -> None:
        self.project = project
        super().__init__(
            f"nothing of the project {project} is kept, as the person has set "
            "(capture.off_projects, .oboegakiignore): nothing was stored; do not store it under "
            "another name, the person can with `runtime longterm store`"
        )


class PatternError(ExpectedError):
    """A regular expression that is none."""

    def __init__(self, pattern: str, reason: str) -> None:
        self.pattern = pattern
        super().__init__(f"source_filter is no regular expression: {reason}; give a plain word")
