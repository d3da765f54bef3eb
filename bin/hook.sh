# Sourced by every entry of hooks.json: $0 is the plugin's folder, $1 the event, and
# what follows are the interpreter's flags.
# The entry turns whatever happens here into exit 0: exit 2 would block the person.
# Starts the hook process in the plugin's environment; makes that environment once.
# shellcheck shell=sh

version=0.1.0
venv=${CLAUDE_PLUGIN_DATA:-/dev/null}/venv-$version
if [ -x "$0/.venv/bin/python" ]; then # a working copy of the project
    venv=$0/.venv
elif [ ! -e "$venv/ready" ]; then
    if command -v oboegaki >/dev/null 2>&1; then
        oboegaki hook "$1"
    elif [ -n "${CLAUDE_PLUGIN_DATA:-}" ]; then
        python3 -I "$0/bin/prepare.py" "$0" "$venv" </dev/null >/dev/null 2>&1 ||
            echo "oboegaki: python3 cannot make the plugin's environment" >&2
    else
        echo "oboegaki: neither an environment nor CLAUDE_PLUGIN_DATA to make one in" >&2
    fi
    exit 0
fi

# Isolated (-I) and without `site` (-S), as runtime/launch.py explains; the packages' folder follows
# from the environment, and a working copy's own modules lie in the plugin's folder.
event=$1
shift
"$venv/bin/python" "$@" -c '
import sys
try:
 venv,root=sys.argv[1:3]
 sys.path[:0]=[venv+"/lib/python%d.%d/site-packages"%sys.version_info[:2],root]
 from runtime.client import main
 main(sys.argv[3:])
except BaseException:
 pass
' "$venv" "$0" "$event"
