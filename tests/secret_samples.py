"""Texts with made-up secrets; joined at run time, so that no scanner of repositories sees a key."""

import json
from pathlib import Path
from typing import Final

PARTS: Final = json.loads(
    (Path(__file__).parent / "cases" / "X01" / "parts.json").read_text(encoding="utf-8")
)
KEYS: Final = {name: "".join(parts) for name, parts in PARTS.items()}
BEGIN: Final = "-----BEGIN " + "PRIVATE KEY-----"
END: Final = "-----END " + "PRIVATE KEY-----"
PEM_BODY: Final = "RkFLRUZBS0VGQUtF"
PEM: Final = f"{BEGIN}\n{PEM_BODY}\nRkFLRQ==\n{END}"
URL: Final = "mysql://appuser:" + "NOTAREALPASS@db.example.invalid:3306/books"
BEARER: Final = "FAKEbearerFAKEbearerFAKEbearer00"
QUOTED: Final = "hunter2" + "-FAKE"

TEXT: Final = "\n".join(
    [
        "鍵の一覧です secretlist",
        *(f"{name}: {key}" for name, key in KEYS.items()),
        PEM,
        f"BOOKS_DB={URL}",
        f"Authorization: Bearer {BEARER}",
        f'password = "{QUOTED}"',
        "説明は残す keepthistext",
    ]
)
NEEDLES: Final = (
    *(key.removeprefix("ESA_ACCESS_TOKEN=") for key in KEYS.values()),
    PEM_BODY,
    "NOTAREALPASS",
    "FAKEbearerFAKEbearer",
    QUOTED,
)
