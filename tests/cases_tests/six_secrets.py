"""Six kinds of secret in one text, and where they must not be found."""

from typing import Final

# Joined here, so that no scanner of repositories takes them for real ones.
SECRETS: Final = {
    "anthropic-key": "sk-ant-api03-" + "FAKE" + "0" * 40 + "-AA",
    "github-token": "ghp_" + "FAKE" + "0" * 32,
    "aws-key": "AKIA" + "IOSFODNN7EXAMPLE",
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJmYWtlIn0." + "FAKEsignature" * 3,
    "assigned-secret": "hunter2-FAKE-Passw0rd",
}
PRIVATE: Final = "privateneedle-FAKE"
TEXT: Final = (
    f"説明は残す keepthistext\nANTHROPIC_API_KEY={SECRETS['anthropic-key']}\n"
    f"GITHUB_TOKEN={SECRETS['github-token']}\nAWS_ACCESS_KEY_ID={SECRETS['aws-key']}\n"
    f"SESSION_JWT={SECRETS['jwt']}\nDB_PASSWORD={SECRETS['assigned-secret']}\n"
    f"公開の行\n<private>ここは {PRIVATE} です</private>\n" + "この行は長さのため。" * 30
)
NEEDLES: Final = [*SECRETS.values(), PRIVATE]


def leaks(data: bytes | str, needles: list[str] | None = None) -> list[str]:
    """Return what must not be there but is."""
    raw = data.encode() if isinstance(data, str) else data
    return [needle for needle in needles or NEEDLES if needle.encode() in raw]
