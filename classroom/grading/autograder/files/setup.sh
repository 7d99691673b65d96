#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image: the only time that packages are fetched.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates

python=""
find_python() {
    for one in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$one" >/dev/null && "$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            python="$one"
            return
        fi
    done
}
find_python
if [ -z "$python" ]; then  # Debian 12 and Ubuntu 24.04 have it as python3, Ubuntu 22.04 under its number
    apt-get install -y --no-install-recommends python3 || true
    find_python
    if [ -z "$python" ]; then
        apt-get install -y --no-install-recommends python3.12 || apt-get install -y --no-install-recommends python3.11
        find_python
    fi
fi
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$python" -c 'import ensurepip' 2>/dev/null ||
    apt-get install -y --no-install-recommends "python$version-venv" || apt-get install -y --no-install-recommends python3-venv
"$python" -m venv /autograder/python
/autograder/python/bin/python -m pip install --no-cache-dir 'numpy>=2.0,<3'

# What judges is root's alone: a submission that got out of its sandbox as another user could not read it.
chmod -R go-rwx /autograder/source
