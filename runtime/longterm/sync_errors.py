"""What can go wrong with places of dumps; a person can do something about it."""

from runtime.errors import ExpectedError


class DumpFolderError(ExpectedError):
    """The place of dumps cannot be used."""

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(
            f"dumps in {place}: {reason}; nothing was lost: see whether the disk or the cloud is "
            "there, name another folder, or set sync.dir"
        )


class ObjectStoreError(ExpectedError):
    """An address of dumps that cannot be used by this installation, or is none."""

    def __init__(self, address: str, reason: str, hint: str) -> None:
        self.address, self.reason = address, reason
        super().__init__(f"dumps in {address}: {reason}; {hint}")


class SyncBusyError(ExpectedError):
    """Another process of this home dumps or syncs."""

    def __init__(self, path: str, waited_s: float) -> None:
        self.path, self.waited_s = path, waited_s
        super().__init__(
            f"another dump or sync is under way: waited {waited_s:g} s for {path}; "
            "try again when it is done"
        )


class NoRoomError(ExpectedError):
    """The disk takes no more, or gives nothing any more."""

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(
            f"{place}: {reason}; nothing was lost, and what was begun is as if it had not been: "
            "make room or mend the disk, and do it again"
        )
