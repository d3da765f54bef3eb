"""
`runtime search` where nothing has to be done before: the usual case, in little time.

No event waits, no file of a note or a permanent memory has changed, the settings are
those of the last search: then the question is answered from the database, read-only,
and none of the packages is loaded that writing takes. In any other case the command
itself does all of it.
"""

import os
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

from runtime.cli.hits import document, for_people, is_coloured, said
from runtime.cli.search_options import Options, read
from runtime.days import day_at
from runtime.errors import ExpectedError
from runtime.notes.finding import files_named
from runtime.notes.surveying import survey
from runtime.paths import find_home
from runtime.permanent.freshness import Place, is_current
from runtime.search_setup import Setup, kept
from runtime.spool import pending
from runtime.store.search_hits import Hit, Meaning, Question, find
from runtime.store.sqlite import Error, open_read_only
from runtime.tokens.glossary import read_glossary
from runtime.tokens.index import TOKENIZER_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

LOCK_WAIT_S = 0.2


def search(arguments: Sequence[str]) -> None:
    """Answer and end the process; returns when that takes more than looking something up."""
    options = read(arguments)
    if options is None:
        return
    today = day_at(time.time())
    try:
        found = _found(options, today)
    except (Error, OSError, ValueError, ExpectedError):
        return  # whatever it is, the command tells it
    if found is not None:
        _say(options, found, today)


def _found(options: Options, today: str) -> list[Hit] | None:
    """Return the hits, None when something has to be done before."""
    home = find_home(os.environ)
    setup = kept(home, os.environ)
    if setup is None or pending(home.spool):
        return None
    connection = open_read_only(setup.database, LOCK_WAIT_S)
    try:
        connection.execute("BEGIN")  # one state of the database for all that follows
        if not _is_up_to_date(connection, setup):
            return None
        glossary = read_glossary(home.glossary)
        question = Question(
            *(options.asked, options.limit, today, glossary),
            is_all=options.is_all,
            meaning=_meaning(setup),
        )
        return find(connection, question)
    finally:
        connection.close()


def _meaning(setup: Setup) -> Meaning | None:
    """Return what looks at the order again, None where nobody has switched that on."""
    if setup.semantic is None:
        return None
    from runtime.embeddings.choosing import Chosen, reordering  # noqa: PLC0415 - an extra

    return reordering(Chosen(*setup.semantic))


def _is_up_to_date(connection: "Connection", setup: Setup) -> bool:
    """Tell whether tables, index and files are as this code, and the folders, have them."""
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    index = [tuple(row) for row in connection.execute(_INDEX)]
    if schema != setup.schema or index != [("tokenizer_version", str(TOKENIZER_VERSION))]:
        return False
    if not is_current(connection, Place(*setup.permanent)):
        return False
    roots = (*setup.folders, *(files_named(*setup.archive) if setup.archive else ()))
    files, changes, _bad = survey(
        connection, roots, setup.max_file_bytes, setup.ignore, forget=False
    )
    return not (
        files.unread
        or changes.changed
        or changes.gone
        or changes.outside
        or any(aside.files and aside.state != "outside" for aside in changes.aside)
    )


# The second is there while memories wait to be put into the index.
_INDEX = "SELECT name, value FROM meta WHERE name IN ('tokenizer_version', 'unindexed_after')"


def _say(options: Options, found: list[Hit], today: str) -> NoReturn:
    if options.as_json:
        text = document(options.query, found)
    else:
        coloured = is_coloured(sys.stdout, os.environ)
        text = for_people(found, options.asked, today, is_coloured=coloured)
    try:
        if text:
            sys.stdout.buffer.write(text.encode(sys.stdout.encoding, "replace") + b"\n")
        for line in said(options.asked, found, as_json=options.as_json):
            sys.stderr.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # `| head` has left. Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(0)
