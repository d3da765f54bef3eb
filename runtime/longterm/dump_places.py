"""From what a person says to the place where dumps lie."""

import os
import sys
from typing import Final

from runtime.longterm.dump_folder import DumpFolder, LocalFolder
from runtime.paths import DIR_MODE, Home
from runtime.setting_paths import is_address

ICLOUD: Final = "~/Library/Mobile Documents/com~apple~CloudDocs"
OURS: Final = "oboegaki"


def default_place(home: Home, platform: str = sys.platform) -> str:
    """Return where dumps lie unless somebody says otherwise."""
    cloud = os.path.expanduser(ICLOUD)
    if platform == "darwin" and os.path.isabs(cloud):
        return os.path.join(cloud, OURS)
    return os.path.join(home.root, "dumps")


def open_folder(place: str, home: Home) -> DumpFolder:
    """
    Return the folder of a path or an address; "" for the platform's own. Blocking.

    A relative path begins where this process runs. Raises ObjectStoreError.
    """
    if not place:
        place = default_place(home)
        if place.startswith(home.root):  # it is ours, so it cannot be away
            os.makedirs(place, mode=DIR_MODE, exist_ok=True)
    if not is_address(place):
        return LocalFolder(os.path.abspath(os.path.expanduser(place)))
    # It needs packages that most people have no use for.
    from runtime.longterm.object_folder import open_object_folder  # noqa: PLC0415

    return open_object_folder(place)
