#!/bin/sh
# Builds projects of this repository and installs them, with what else they need, into /opt/ask.
# Third-party packages come from /wheels only, where everything has been checked against the lock.
set -eu
for project in "$@"; do
  # Extras, as in `cli[x]`, are for pip; the folder is without.
  /opt/build/bin/pip wheel --no-deps --no-index --no-build-isolation --wheel-dir /own "./${project}"
done
names=$(cd /own && for wheel in *.whl; do echo "${wheel%%-*}"; done)
# shellcheck disable=SC2086
/opt/build/bin/pip --python /opt/ask/bin/python install --no-compile --no-index --find-links /wheels --find-links /own $names
# Libraries bring their tests along; NumPy's are larger than most services.
find /opt/ask/lib -type d -name tests -prune -exec rm -r {} +
# Never written at run time, where the file system is read-only; and not compared with the sources' times.
/opt/ask/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/ask/lib
