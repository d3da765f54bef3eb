"""
Answers that a hook process gives by itself: read-only, standard library only.

A session's start is answered by the text that was prepared when the notes were
last looked at, whether a worker runs or not; a skill while it is away, straight
from the store, by the search that the dispatcher uses.
"""

from posix import F_OK, access

from runtime import spool
from runtime.paths import Home

NOTHING_NEW = ("resume", "fork")
"""Sources whose history holds the earlier injection already."""
NOT_ASKED = ("env.OBOEGAKI_HOME", "env.OBOEGAKI_HOOK_DURABLE")
"""Settings in the environment that no answer depends on."""
PROGRAMS = ("sdk-ts", "sdk-py")
"""The default of `capture.ignore_entrypoints`."""


def answer(home: Home, event: spool.Captured) -> bytes | None:
    """Return what to print, b"" for nothing, None when it cannot be told from here."""
    facts = event.facts
    if any(key.startswith("env.") and key not in NOT_ASKED for key in facts):
        return None  # settings of this process alone: the dispatcher knows them all
    # Sessions that are none of ours are told nothing; settings may say whose those are.
    if facts.get("nested") or facts.get("entrypoint") in PROGRAMS:
        return None
    if _mentions(home.config, b"capture") or _may_be_off(event):
        return None
    name = event.facts.get("event", "")
    if name == "SessionStart":
        source = _field(event.payload, b"source") or "startup"
        return b"" if source in NOTHING_NEW else _prepared(home, source)
    is_typed = name == "UserPromptExpansion"
    skill = _field(event.payload, b"command_name" if is_typed else b"skill")
    arguments = _field(event.payload, b"command_args" if is_typed else b"args")
    if not skill or _mentions(home.config, b"inject", b"store", b"notes"):
        return None
    from runtime import skill_reader  # noqa: PLC0415 - a session's start needs no database
    from runtime.project import project_of  # noqa: PLC0415

    project = project_of({"payload_cwd": _field(event.payload, b"cwd"), **facts})
    return skill_reader.answer(name, skill, arguments, home, project.key)


def _may_be_off(event: spool.Captured) -> bool:
    """Tell whether a file in the project's folder or above may turn it off."""
    folder = event.facts.get("project") or _field(event.payload, b"cwd")
    while folder:
        if access(folder + "/.oboegakiignore", F_OK):
            return True
        folder = folder.rstrip("/").rpartition("/")[0]
    return access("/.oboegakiignore", F_OK)


def _prepared(home: Home, source: str) -> bytes | None:
    from runtime import prepared  # noqa: PLC0415 - what is told of a skill is not prepared

    return prepared.read(home, source)


def _mentions(config: str, *words: bytes) -> bool:
    """Tell whether settings may say otherwise than the defaults that hold here."""
    try:
        with open(config, "rb") as file:
            text = file.read()
    except OSError:
        return False
    return any(word in text for word in words)


def _field(payload: bytes, name: bytes) -> str:
    """
    Return a string field of a payload by scanning, "" when it is not to be seen.

    Inside a JSON string the quotes would be escaped, so the name in plain quotes
    before a colon is a key; these keys occur once in the events that are answered
    here.
    """
    text, rest = "", payload
    while not text.startswith(":"):
        _before, key, rest = rest.partition(b'"' + name + b'"')
        if not key:
            return ""
        text = rest.lstrip(b" \t\r\n").decode("utf-8", "replace")
    text = text[1:].lstrip(" \t\r\n")
    if not text.startswith('"'):
        return ""
    value, end, _rest = text[1:].partition('"')
    if not end:
        return ""
    if "\\" in value:
        value = _unescaped(text)
    return value.encode("utf-8", "replace").decode().strip()


def _unescaped(text: str) -> str:
    """Return the JSON string at the beginning of a text, "" for none."""
    from _json import scanstring  # noqa: PLC0415 - most strings have no escapes

    try:
        value: str = scanstring(text, 1, False)[0]
    except ValueError:
        return ""
    return value
