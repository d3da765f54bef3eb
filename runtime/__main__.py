"""The one entry point: `hook` goes to the hook process, anything else to the commands."""

import sys


def main() -> None:
    """Run the command line."""
    # Asked for help, it is a command like the others: no event arrives that way.
    if sys.argv[1:2] == ["hook"] and sys.argv[2:] not in (["--help"], ["-h"]):
        from runtime.client import main as hook  # noqa: PLC0415 - a hook loads no command

        hook(sys.argv[2:])
    if sys.argv[1:2] == ["search"]:
        from runtime.cli.quick_search import search  # noqa: PLC0415 - before the packages load

        search(sys.argv[2:])
    from runtime.cli.main import cli  # noqa: PLC0415

    cli()


if __name__ == "__main__":
    main()
