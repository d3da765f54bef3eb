"""The server by hand: `scripts/esa-server [PORT]`."""

import sys

from tests.esa_server import EsaServer

PORT = 8791

HOW = """\
esa's API, for one team called `team`, in memory, until you press Ctrl-C. In another terminal:

  export OBOEGAKI_PERMANENT_BACKEND=esa OBOEGAKI_PERMANENT_TEAM=team
  export OBOEGAKI_PERMANENT_URL={url} ESA_ACCESS_TOKEN={token}
  runtime permanent create --title "[try] it" --body "hello"
  runtime permanent search

Save post 1 as somebody does in the browser, and see an update be refused:

  curl -s '{root}/_edit/1?body=from+the+browser'
  runtime permanent update 1 --revision 1 --body "mine"
"""


def main() -> None:
    """Serve until interrupted."""
    with EsaServer(port=int(sys.argv[1]) if len(sys.argv) > 1 else PORT) as server:
        root = server.url.removesuffix("/v1")
        print(HOW.format(url=server.url, root=root, token=server.token), flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            print("\nstopped; the posts are gone")


if __name__ == "__main__":
    main()
