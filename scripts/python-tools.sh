# Sourced by the scripts that use tools written in Python.

# python_tools FOLDER PACKAGE...: those packages in FOLDER/venv, unless they are there already; the
# first is asked for to learn whether anybody can be reached. Several may ask at once. Fails with 69
# when they are not installed and cannot be had; what is reached and does not install is a failure.
python_tools() {
    local folder=$1 venv=$1/venv
    shift
    (
        flock 8
        [ "$(cat "$folder/python.installed" 2>/dev/null)" != "$*" ] || exit 0
        command -v python3 >/dev/null ||
            { echo "python3 is missing, and the tools in $folder are not installed" >&2; exit 69; }
        rm -rf "$venv"
        # Some systems part venv from pip; pip can also be had from pip itself.
        python3 -m venv "$venv" 2>/dev/null ||
            { python3 -m venv --without-pip "$venv" &&
                python3 -m pip --python "$venv/bin/python" install --quiet pip; } || exit
        probe=$(mktemp -d)
        trap 'rm -rf "$probe"' EXIT
        "$venv/bin/pip" download --quiet --no-deps --dest "$probe" "$1" ||
            { echo "the Python package index cannot be reached, and $* is not installed" >&2; exit 69; }
        "$venv/bin/pip" install --quiet "$@" >&2 || exit 1
        echo "$*" >"$folder/python.installed"
    ) 8>"$folder/python.lock"
}
