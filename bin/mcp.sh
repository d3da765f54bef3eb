#!/bin/sh
# Starts an MCP server of the plugin (.mcp.json): $1 is its name. It runs in the environment that
# the hooks use; while that is being made it waits, and says so when it takes too long.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${CLAUDE_PLUGIN_DATA:-/dev/null}/venv-$(sed -n 's/^version=//p' "$root/bin/hook.sh")
patience=${OBOEGAKI_MCP_WAIT_S:-25} # The client gives a server 30 seconds.

serve() {
    exec "$1/bin/python" -I -c 'from runtime.__main__ import main; main()' mcp "$2"
}

if [ -x "$root/.venv/bin/python" ]; then # a working copy of the project
    serve "$root/.venv" "$1"
elif [ ! -e "$venv/ready" ] && command -v oboegaki >/dev/null 2>&1; then
    exec oboegaki mcp "$1"
elif [ -z "${CLAUDE_PLUGIN_DATA:-}" ]; then
    echo "oboegaki: neither an environment nor CLAUDE_PLUGIN_DATA to make one in" >&2
    exit 1
fi

if [ ! -e "$venv/ready-mcp" ]; then
    # Returns at once; does nothing while somebody builds, or when that has just failed.
    python3 -I "$root/bin/prepare.py" "$root" "$venv" </dev/null >/dev/null 2>&1 || patience=0
fi
while [ ! -e "$venv/ready-mcp" ] && [ ! -e "$venv.failed" ] && [ ! -e "$venv.failed-mcp" ] &&
    [ "$patience" -gt 0 ]; do
    sleep 1
    patience=$((patience - 1))
done
if [ ! -e "$venv/ready-mcp" ]; then
    echo "oboegaki: the plugin's environment is not ready for MCP servers; it is made in the" \
        "background, see $CLAUDE_PLUGIN_DATA/prepare.log, and /mcp connects to them then" >&2
    exit 1
fi
serve "$venv" "$1"
