"""Posts and their revisions, as esa keeps them: numbers, merges, archiving."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from runtime.permanent.merge import merge

ZONE = timezone(timedelta(hours=9))
FIRST_MOMENT = datetime(2026, 1, 5, 9, 0, tzinfo=ZONE)


@dataclass
class StoredPost:
    """One post as it stands."""

    number: int
    name: str
    body_md: str
    tags: list[str]
    category: str | None
    wip: bool
    message: str
    created_at: str
    updated_at: str
    created_by: str
    updated_by: str
    revision_number: int = 1

    @property
    def full_name(self) -> str:
        """Category, name and tags in one line."""
        path = f"{self.category}/{self.name}" if self.category else self.name
        return " ".join([path, *(f"#{tag}" for tag in self.tags)])


@dataclass
class Posts:
    """All posts of one team."""

    team: str
    _posts: dict[int, StoredPost] = field(default_factory=dict)
    _revisions: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    _ticks: int = 0

    def all(self) -> list[StoredPost]:
        """Return every post, in order of number."""
        return list(self._posts.values())

    def clear(self) -> None:
        """Forget every post."""
        self._posts.clear()
        self._revisions.clear()

    def get(self, number: int) -> StoredPost | None:
        """Return one post."""
        return self._posts.get(number)

    def revisions(self, number: int) -> list[dict[str, Any]]:
        """Return a post's revisions, newest first."""
        return self._revisions[number][::-1]

    def create(self, wanted: Mapping[str, Any], user: str) -> StoredPost:
        """
        Add a post; a name with a slash is split into category and name, as esa does.

        A `number`, which no client can choose, is for tests that need a certain one.
        """
        category, name = _split(str(wanted["name"]), wanted.get("category"))
        now = self._now()
        post = StoredPost(
            number=wanted.get("number") or max(self._posts, default=0) + 1,
            name=name,
            body_md=_lf(wanted.get("body_md") or ""),
            tags=list(dict.fromkeys(wanted.get("tags") or [])),
            category=category,
            wip=bool(wanted.get("wip", True)),
            message=wanted.get("message") or "Create post.",
            created_at=now,
            updated_at=now,
            created_by=user,
            updated_by=user,
        )
        self._posts[post.number] = post
        self._revisions[post.number] = []
        self._note(post)
        return post

    def update(self, number: int, wanted: Mapping[str, Any], user: str) -> bool:
        """
        Change a post. True when a three-way merge had a clash.

        Without a whole `original_revision` the last writer wins.
        """
        post = self._posts[number]
        overlapped = False
        body = wanted.get("body_md")
        if body is not None:
            body = _lf(body)
            original = wanted.get("original_revision") or {}
            is_whole = "body_md" in original and "number" in original
            if is_whole and original["number"] != post.revision_number:
                base = _lf(original["body_md"])
                merged = merge(base, post.body_md, body, our_name="current", their_name="new")
                body, overlapped = merged.text, merged.clashes > 0
            post.body_md = body
        if "name" in wanted:
            category, post.name = _split(str(wanted["name"]), None)
            post.category = category or post.category
        if "category" in wanted:
            post.category = wanted["category"] or None
        if "tags" in wanted:
            post.tags = list(dict.fromkeys(wanted["tags"]))
        post.wip = bool(wanted.get("wip", post.wip))
        self._changed(post, wanted.get("message") or "Update post.", user)
        return overlapped

    def archive(self, number: int, message: str | None, user: str) -> None:
        """Put a post under Archived; one that is there already stays as it is."""
        post = self._posts[number]
        if f"{post.category or ''}/".startswith("Archived/"):
            return
        post.category = "/".join(filter(None, ["Archived", post.category]))
        is_default = post.message in {"", "Create post.", "Update post."}
        self._changed(post, message or ("Archived!" if is_default else post.message), user)

    def remove(self, number: int) -> None:
        """Delete a post."""
        del self._posts[number], self._revisions[number]

    def _changed(self, post: StoredPost, message: str, user: str) -> None:
        post.revision_number += 1
        post.message, post.updated_by, post.updated_at = message, user, self._now()
        self._note(post)

    def _note(self, post: StoredPost) -> None:
        self._revisions[post.number].append(
            {
                "number": post.revision_number,
                "name": post.name,
                "body_md": post.body_md,
                "tags": list(post.tags),
                "category": post.category,
                "wip": post.wip,
                "message": post.message,
                "created_at": post.updated_at,
                "user": post.updated_by,
            }
        )

    def _now(self) -> str:
        self._ticks += 1
        return (FIRST_MOMENT + timedelta(minutes=self._ticks)).isoformat()


def _split(name: str, category: str | None) -> tuple[str | None, str]:
    if category or "/" not in name:
        return category or None, name
    above, _, last = name.rpartition("/")
    return above, last


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
