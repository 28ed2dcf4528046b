#!/bin/sh
# Prints the path of a Chromium or Chrome; installs one where there is none. $1 is a Python with Playwright. $2 is a
# program to prefer, which is also installed where it can be, as a Debian package of its name. The tests measure pages
# in the DejaVu fonts, which Debian installs with Chromium unless it has others.
set -eu
if command -v apt-get >/dev/null && [ -z "$(find /usr/share/fonts -name DejaVuSerif.ttf 2>/dev/null)" ]; then
  sh "$(dirname "$0")/../../.ci/install" fonts-dejavu-core >&2 || true
fi
# Playwright's driver is a Node.js, which needs a library that a bare Debian lacks.
driver=$("$1" -c 'from playwright._impl._driver import compute_driver_executable as driver; print(driver()[0])')
if ! "$driver" --version >/dev/null 2>&1 && command -v apt-get >/dev/null; then
  sh "$(dirname "$0")/../../.ci/install" libatomic1 >&2 || true
fi
if [ -n "${2-}" ]; then
  command -v "$2" && exit 0
  sh "$(dirname "$0")/../../.ci/install" "$2" >&2 || true
  command -v "$2" && exit 0
fi
find_one() {
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
    command -v "$name" && return 0
  done
  for path in "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
    [ -x "$path" ] && echo "$path" && return 0
  done
  return 1
}
find_one && exit 0
if command -v apt-get >/dev/null; then
  sh "$(dirname "$0")/../../.ci/install" chromium || true
  find_one && exit 0
fi
"$1" -m playwright install chromium >&2 &&
  "$1" -c 'from playwright.sync_api import sync_playwright as p
with p() as driver: print(driver.chromium.executable_path)' && exit 0
echo "No Chromium or Chrome was found and none could be installed. Install one, so that it is on the PATH." >&2
exit 1
