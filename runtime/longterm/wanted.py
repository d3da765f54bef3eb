"""What is to be forgotten: a text, a project, a session, a time, or what is all of these."""

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.store.search_filter import folded


@dataclass(frozen=True, slots=True)
class Wanted:
    """Everything given must hold; "" is not given."""

    match: str = ""
    """A text, whatever its width and case, and whatever blanks stand in it."""
    projects: frozenset[str] = frozenset()
    """Names and keys of one project."""
    session: str = ""
    """A session's id, or the beginning of one."""
    since: str = ""
    """ISO 8601 UTC."""

    def has_text(self, texts: Iterable[str]) -> bool:
        """Tell whether one of the texts holds the text, or none is asked for."""
        wanted = folded(self.match)
        return not wanted or any(wanted in folded(text) for text in texts)

    def has_project(self, *names: str | None) -> bool:
        """Tell whether a project's name or key is one of those."""
        return not self.projects or not self.projects.isdisjoint(filter(None, names))

    def has_session(self, session_id: str | None) -> bool:
        """Tell whether it is this session."""
        return not self.session or (session_id or "").startswith(self.session)

    def has_moment(self, moment: str | None) -> bool:
        """Tell whether it was not before."""
        return not self.since or (moment or "") >= self.since
