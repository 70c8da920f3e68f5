#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks what came, and says what did not: headway serve --on-complete Examples/unpack.sh
#
# It may be run twice for one transfer, so it does no harm when all is done already.
set -eu

if [ "$HEADWAY_OUTCOME" = failed ]; then
    echo "$HEADWAY_NAME: $HEADWAY_ERROR_DETAIL"  # goes to the server's log; mail or curl could stand here
fi
case "$HEADWAY_FILE" in  # empty where nothing is stored
*.tar | *.tar.gz | *.tgz | *.tar.xz) ;;
*) exit 0 ;;
esac

to="$HOME/unpacked/$HEADWAY_ID"
[ ! -e "$to" ] || exit 0
rm -rf "$to.new"
mkdir -p "$to.new"
tar -xf "$HEADWAY_FILE" --no-same-owner -C "$to.new"
mv "$to.new" "$to"
echo "$HEADWAY_NAME is in $to"
