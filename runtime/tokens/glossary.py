"""Words that mean the same, in Japanese and English: what else a query may be answered by."""

from runtime.tokens.script import CJK, WORD, fold_kana, normalize, runs
from runtime.tokens.sound import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OWN_FILE = __file__.removesuffix(".py") + ".txt"
MAX_MEANINGS = 4
"""Other words looked for in place of one; what comes later in a line is the less usual."""
_MAX_WORDS = 3
_LONG_VOWEL = "ー"
_COMMENT = "#"


class Glossary:
    """Groups of words of one meaning, asked for what a text could also have said."""

    __slots__ = ("_longest", "_meanings")

    def __init__(self, lines: "Iterable[str]" = ()) -> None:
        """Take one group a line, its words between commas; what follows ``#`` is a comment."""
        self._meanings: dict[str, list[str]] = {}
        for line in lines:
            words = [word.strip() for word in line.partition(_COMMENT)[0].split(",")]
            self._add([word for word in words if word])
        self._longest = max(map(len, self._meanings), default=0)

    def _add(self, words: list[str]) -> None:
        for word in words:
            meanings = self._meanings.setdefault(_key(word), [])
            meanings += [other for other in words if other != word and other not in meanings]

    def __bool__(self) -> bool:
        """Say whether there is anything to look up."""
        return bool(self._meanings)

    def meanings(self, text: str) -> list[tuple[str, list[str]]]:
        """
        List the words of normalised *text* that are known, each with the others of its group.

        Where one holds another, the longer one counts: 環境変数 and not 環境.
        """
        found: list[tuple[str, list[str]]] = []
        latin: list[str] = []
        for family, run in runs(text):
            if family == WORD:
                latin.append(run.casefold())
                continue
            found += self._of_words(latin)
            latin = []
            if family == CJK:
                found += self._of_japanese(run)
        return found + self._of_words(latin)

    def _of_words(self, words: list[str]) -> list[tuple[str, list[str]]]:
        found = []
        at = 0
        while at < len(words):
            for count in range(min(_MAX_WORDS, len(words) - at), 0, -1):
                meanings = self._of_phrase(words[at : at + count])
                if meanings:
                    found.append((" ".join(words[at : at + count]), meanings))
                    at += count - 1
                    break
            at += 1
        return found

    def _of_phrase(self, words: list[str]) -> list[str]:
        *before, last = words
        for stem in stems(last):
            meanings = self._meanings.get(" ".join([*before, stem]))
            if meanings:
                # English has a stemmer for its forms, and its near synonyms mislead.
                return [word for word in meanings if not word.isascii()][:MAX_MEANINGS]
        return []

    def _of_japanese(self, run: str) -> list[tuple[str, list[str]]]:
        folded = fold_kana(run)
        found = []
        at = 0
        while at < len(run):
            for length in range(min(self._longest, len(run) - at), 0, -1):
                meanings = self._meanings.get(folded[at : at + length])
                if meanings:
                    found.append((run[at : at + length], meanings[:MAX_MEANINGS]))
                    at += length - 1
                    break
            at += 1
        return found


def _key(word: str) -> str:
    return fold_kana(normalize(word).casefold()).rstrip(_LONG_VOWEL)


def read_glossary(*paths: str) -> Glossary:
    """Read glossaries into one, our own first; a file that cannot be read adds nothing."""
    lines: list[str] = []
    for path in (OWN_FILE, *paths):
        try:
            with open(path, encoding="utf-8-sig", errors="replace") as file:
                lines += file.read().splitlines()
        except OSError:
            continue
    return Glossary(lines)
