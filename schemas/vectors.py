"""What `runtime embed` tells of the vectors in the store."""

from schemas.base import Own


class EncoderVectors(Own):
    """The vectors of one encoder."""

    name: str
    version: str
    dimensions: int
    vectors: int
    is_used: bool
    """It is the one that the settings name."""


class VectorStatus(Own):
    """How far the store is encoded."""

    enabled: bool
    encoder: str
    """As `semantic.encoder` names it."""
    problem: str
    """Why the encoder cannot be had, "" where it can."""
    records: int
    encoded: int
    """Records with a vector of the encoder that the settings name; 0 where that is not known."""
    encoders: tuple[EncoderVectors, ...]
    ways: tuple[str, ...]
    """How all vectors can be compared here, the quickest first."""
    extension_problem: str
    """Why sqlite-vec is none of them, "" where it is."""
    has_ruri_table: bool
    """`memories_vec` is there, for chiebukuro-mcp."""
    wants_ruri_table: bool
    """There are vectors of ruri-v3-310m that it can be made of."""
