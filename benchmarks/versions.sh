#!/usr/bin/env bash
# The quick tests and the demo on other versions of Python and torch: those of Debian's releases, which have a CPU build.
#
#   benchmarks/versions.sh trixie sid     as root, with debootstrap; 2 GB of disk and half an hour each
#
# Prints the versions, the summary of the tests, and the demo's last lines. The whole output of the tests is in
# FOLDER/SUITE/checked/tests.log. Tests of the sandbox are left out: a changed root has no namespaces of its own.
set -euo pipefail
folder=${FOLDER:-$(mktemp -d)}
here=$(cd "$(dirname "$0")/.." && pwd)

inside() {
    chroot "$folder/$1" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/root USE_LIBUV=0 OMP_NUM_THREADS=1 \
        bash -c "cd /checked && . /environment/bin/activate && $2"
}

leave() {
    for suite in "$@"; do
        for part in dev/pts dev sys proc; do umount "$folder/$suite/$part" 2>/dev/null || true; done
    done
}
trap 'leave "$@"' EXIT

for suite in "$@"; do
    root=$folder/$suite
    debootstrap --variant=minbase --include=ca-certificates,git,python3-venv,python3-numpy,python3-torch \
        "$suite" "$root" >/dev/null
    for part in proc sys dev dev/pts; do mount --bind "/$part" "$root/$part"; done
    cp /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt "$root/etc/"
    git clone --quiet "$here" "$root/checked"
    grep -vE '^(torch|numpy|sympy|networkx|fsspec|jinja2|mpmath|filelock|typing.extensions|setuptools)' \
        "$here/constraints.txt" >"$root/constraints.txt"
    chroot "$root" python3 -m venv --system-site-packages /environment
    inside "$suite" "PIP_CERT=/etc/ca-certificates.crt pip install --quiet -c /constraints.txt --editable '.[test]'"
    inside "$suite" "python hatch_build.py"
    inside "$suite" "python -c 'import sys, torch; print(sys.version.split()[0], torch.__version__)'"
    inside "$suite" "python -m pytest --quiet --ring quick --ignore tests/box tests >tests.log 2>&1; tail -1 tests.log"
    inside "$suite" "python -m miscast check --machine v100 examples/sdxl_fp16.py 2>/dev/null | tail -8; true"
done
