"""Records made for a test."""

from typing import Any

from schemas.records import Memory


def memory(number: int, content: str, **values: Any) -> Memory:
    """Give a long-term memory as the store would."""
    made: dict[str, Any] = dict.fromkeys(Memory.model_fields)
    made |= {"id": number, "content": content, "source": "session", "tags": (), "skills": ()}
    made |= {"is_global": False, "is_pinned": False, "content_hash": "", "summary": content[:20]}
    made |= {"created_at": "2026-06-11T12:00:00.000Z", "updated_at": "2026-06-11T12:00:00.000Z"}
    return Memory.model_validate(made | values)
