"""
Why a note is not written: the family of `NoteRefusedError`.

Each has a reason, one word for programs, and a sentence that says what to do
next. None holds text of what was to be written, which may be a secret.
"""

from typing import Final

from runtime.errors import NoteRefusedError

TEXT: Final = {
    "empty_heading": "the heading is empty: say in a few words what the block is about",
    "empty_body": "the body is empty: give it with --body or on stdin",
    "control_characters": "{} holds {}: take it out, no reader would see it",
    "not_text": "the body is not UTF-8: the byte at offset {} does not belong there",
    "heading_marks": (
        "give the heading without its marks ##: they are added to it, and # at its beginning or "
        "end would not read back"
    ),
    "no_date": (
        "the heading has no date that exists, written as YYYY-MM-DD: put the day that the block "
        "speaks of into the heading{}"
    ),
    "no_title": "the heading is a date alone: add a few words that say what the block is about",
    "relative_date": (
        "{}: that means another day tomorrow, so write the date in its place (YYYY-MM-DD) or "
        "behind it in brackets, such as 来週（2026-12-07）; words that are no date go into "
        "quotation marks or `code`"
    ),
    "heading_in_body": (
        "line {} of the body is a heading of level {}, which would begin a block of its own: write "
        "it with ###, or save it as another block"
    ),
    "open_end": (
        "the body opens a code fence or a comment and does not close it, so it would swallow what "
        "follows: end it with {}"
    ),
    "secret": (
        "the text holds what looks like a secret ({}): notes are told to models and may be "
        "synchronised, so leave it out and write where it is kept"
    ),
}
"""Reasons that lie in a heading or a body."""

PLACE: Final = {
    "bad_name": (
        "{!r} is no name for a note: it is empty, holds characters that cannot be seen, or begins "
        "or ends with a blank"
    ),
    "not_markdown": "{} is no note: the name has to end in .md or .markdown",
    "hidden": "{} would not be indexed: no part of its path may begin with a dot",
    "ignored": (
        "{} would not be indexed: notes.ignore, or the name of a folder such as node_modules, "
        "leaves it out; name another file"
    ),
    "outside": "{} lies outside the folders of notes ({}): name a file in one of them",
    "archive": (
        "{} is the archive of what rotated out of CONTEXT.md, which only rotation writes: "
        "write to another file"
    ),
    "folder_missing": (
        "{} cannot be made: the folder {} does not exist; make it, or bring back the disk that "
        "holds it"
    ),
    "many_files": "{} lies in more than one folder of notes ({}): give the whole path",
    "no_file": "{} does not exist: `runtime notes list` shows the notes",
    "not_a_file": "{} is no regular file: name another one",
    "not_indexed": (
        "{} has {:,} bytes, and no file of more than {:,} is read (notes.max_file_bytes): split "
        "it in an editor, or name another file"
    ),
    "same_file": "{} is where the block stands already: name another file to move it to",
    "unwritable": "{} cannot be written: {}; nothing was changed",
}
"""Reasons that lie in the file that was named."""


class TextRefusedError(NoteRefusedError):
    """A heading or a body breaks a rule."""

    def __init__(self, reason: str, *details: object) -> None:
        self.details = details
        super().__init__(reason, TEXT[reason].format(*details))


class PlaceRefusedError(NoteRefusedError):
    """A file is not one that may be written, or cannot be."""

    def __init__(self, reason: str, path: str, *details: object) -> None:
        self.path, self.details = path, details
        super().__init__(reason, PLACE[reason].format(path, *details))


class DuplicateError(NoteRefusedError):
    """The same body is in the file already."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        super().__init__(
            "duplicate",
            "a block with the same body is there already: nothing to save; to change its heading, "
            "use `runtime notes replace`",
            (heading,),
        )


class HeadingTakenError(NoteRefusedError):
    """Another block of the file has that heading."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        super().__init__(
            "heading_taken",
            "a block with this heading is there already, and no two could be told apart: write "
            "both into one with `runtime notes replace`, or give another heading",
            (heading,),
        )


class MatchError(NoteRefusedError):
    """--match does not name one block."""

    def __init__(self, count: int, headings: tuple[str, ...], *, are_equal: bool = False) -> None:
        self.count = count
        if count:
            reason = "many_matches"
            message = f"--match names {count} blocks: give more of the heading, or all of it"
            if are_equal:
                message = (
                    f"{count} blocks have this heading: change all but one in the file itself, "
                    "no command can tell them apart"
                )
        else:
            reason = "no_match"
            message = "--match names no block: give a part of one of these headings"
        super().__init__(reason, message, headings)


class EmptyMatchError(NoteRefusedError):
    """--match is empty, which would name every block."""

    def __init__(self, headings: tuple[str, ...]) -> None:
        super().__init__(
            "empty_match", "--match is empty: give a part of one of these headings", headings
        )


class TooLargeError(NoteRefusedError):
    """The file would be over the limit, and no smaller than it is."""

    advice = (
        "write blocks that belong together into one with `runtime notes replace`, `delete` what no "
        "longer holds or `move` it to another file, then save this; what makes the file smaller is "
        "always allowed"
    )
    """What to do about it."""

    def __init__(
        self, path: str, chars: int, now_chars: int, limit_chars: int, headings: tuple[str, ...]
    ) -> None:
        self.path, self.chars, self.now_chars = path, chars, now_chars
        self.limit_chars = limit_chars
        super().__init__(
            "too_large",
            f"{path} would have {chars:,} characters, at most {limit_chars:,} are allowed "
            f"(notes.file_max_chars), it has {now_chars:,} now: {self.advice}",
            headings,
        )


class BlockTooLargeError(TooLargeError):
    """The block alone is over the limit: no other one can make room for it."""

    advice = (
        "this block alone is over the limit: shorten it, or split it into blocks for several files"
    )


class NothingToMergeError(TooLargeError):
    """The file would be over the limit, and holds no block that could make room."""

    advice = (
        "no block is there that could make room: shorten what is new, or write a part of it to "
        "another file"
    )


class StructureError(NoteRefusedError):
    """The file's own text would swallow the block, or the block would change how others read."""

    def __init__(self, headings: tuple[str, ...]) -> None:
        super().__init__(
            "structure",
            "the block would not read back as one block, because the file leaves something open "
            "(a code fence, a comment, a line of three dashes at its top): close it in the file "
            "first",
            headings,
        )


class BadOperationError(NoteRefusedError):
    """A batch holds something that is no operation."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            "bad_operation",
            f"{problem}: give one JSON object a line, or an array of them, such as "
            '{"op": "append", "file": …, "heading": …, "body": …}; '
            "replace and delete take match, move takes match and to",
        )


class MarkedOperationsError(NoteRefusedError):
    """A batch is a plan that nobody has decided on."""

    def __init__(self) -> None:
        super().__init__(
            "bad_operation",
            "every operation is still behind `# `: take the mark off what shall happen",
        )
