"""
The home: one folder for hooks and commands alike.

Standard library only: the hook process imports this.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NO = ("false", "0", "no", "off", "f", "n")
"""What a variable may say for no, in lower case: the words that the settings take."""
DIR_MODE = 0o700
FILE_MODE = 0o600


class Home:
    """Where everything lies. Building one touches nothing on disk."""

    __slots__ = (
        "config",
        "database",
        "dead",
        "drain_lock",
        "durable",
        "glossary",
        "logs",
        "notes",
        "root",
        "run",
        "spool",
    )

    def __init__(self, root: str) -> None:
        self.root = root
        self.config = root + "/config.toml"
        self.database = root + "/memory.db"
        self.spool = root + "/spool"
        self.dead = root + "/dead"
        self.logs = root + "/logs"
        self.run = root + "/run"
        self.drain_lock = root + "/run/drain.lock"
        """Held by whoever handles the spool."""
        self.durable = root + "/run/durable"
        """Is there while `config.toml` sets `hook.durable`: a hook process reads no TOML."""
        self.notes = root + "/notes"
        self.glossary = root + "/glossary.txt"
        """The person's own words of one meaning; need not be there."""

    def prepare(self) -> None:
        """Create the folders, 0700 each. Raises OSError where that is impossible."""
        import os  # noqa: PLC0415 - dear, and once in a home's life

        for folder in (self.root, self.spool, self.dead, self.logs, self.run, self.notes):
            os.makedirs(folder, mode=DIR_MODE, exist_ok=True)


def find_home(environ: "Mapping[str, str]") -> Home:
    """
    Return the home: `$OBOEGAKI_HOME`, else `~/.oboegaki`.

    Raises FileNotFoundError when neither tells an absolute place (no HOME and
    no entry in the user database).
    """
    root = environ.get("OBOEGAKI_HOME") or (environ.get("HOME") or "~") + "/.oboegaki"
    if root.startswith("/"):
        return Home(root.rstrip("/") or "/")
    import os  # noqa: PLC0415 - dear, and seldom needed

    root = os.path.expanduser(root)
    if not os.path.isabs(root):
        root = os.path.abspath(root) if environ.get("OBOEGAKI_HOME") else root
    if not os.path.isabs(root):
        msg = "no home folder: set HOME or OBOEGAKI_HOME to an absolute path"
        raise FileNotFoundError(msg)
    return Home(root)
