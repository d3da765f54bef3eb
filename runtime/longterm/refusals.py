"""Why a plan for cleaning up is not done."""

from runtime.errors import ExpectedError


class PlanLineError(ExpectedError):
    """A plan for cleaning up cannot be read."""

    def __init__(self, path: str, number: int, reason: str) -> None:
        self.path, self.number = path, number
        super().__init__(
            f"{path}, line {number}: {reason}; nothing was changed: correct the line, or put # "
            "in front of it"
        )


class EmptyPlanError(ExpectedError):
    """A plan in which nothing is chosen."""

    def __init__(self, path: str, proposed: int) -> None:
        self.path, self.proposed = path, proposed
        what = (
            f"every one of its {proposed:,} lines is still behind #" if proposed else "it is empty"
        )
        super().__init__(
            f"{path} asks for nothing, {what}: take `# ` away in front of what is to go, or have "
            "it written with --take"
        )
