# SPDX-License-Identifier: Apache-2.0
# What a new machine lacks: sourced by the other scripts. It asks before it installs, and says what it would have done.

say() { printf '%s\n' "$*" >&2; }

# What every build needs.
BUILD_PACKAGES=(libwebsockets-dev libwebsockets-evlib-ev libcurl4-openssl-dev libsqlite3-dev libssl-dev pkg-config)

# need_packages NAME…: installs the Debian packages that are missing; ends the script when it may not.
need_packages() {
    local package missing=() command
    if ! command -v dpkg-query >/dev/null; then
        say "This is not a Debian or Ubuntu system, so nothing is installed. It needs what these packages hold: $*"
        return 0
    fi
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    say "Installing ${missing[*]}"
    if ((EUID == 0)); then
        as_root() { env DEBIAN_FRONTEND=noninteractive "$@"; }
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
        as_root() { sudo env DEBIAN_FRONTEND=noninteractive "$@"; }
    else
        say "They can't be installed without root's rights. Please run:  sudo sh -c '$command'"
        exit 1
    fi
    local log
    log=$(mktemp)
    if ! { as_root timeout 300 apt-get -q update && as_root timeout 900 \
        apt-get -q install -y --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        rm -f "$log"
        ((EUID == 0)) && say "That did not work. To try it by hand:  $command" \
            || say "That did not work. To try it by hand:  sudo sh -c '$command'"
        exit 1
    fi
    rm -f "$log"
}

# need_swift: a toolchain of 6.2 or later, or one line that says where to get one.
need_swift() {
    local where="get Swift 6.2 or later at https://www.swift.org/install/ and put it into your PATH" version
    if ! command -v swift >/dev/null; then
        say "There is no Swift toolchain: $where"
        exit 1
    fi
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    if [[ ! $version =~ ^[0-9]+\.[0-9]+$ ]] || ((${version%.*} * 100 + ${version#*.} < 602)); then
        say "The Swift toolchain is ${version:-of an unknown version}: $where"
        exit 1
    fi
}

# quietly LIMIT LOG COMMAND…: runs it within LIMIT seconds; its output is shown only when it fails.
quietly() {
    local limit=$1 log=$2
    shift 2
    timeout "$limit" "$@" </dev/null >"$log" 2>&1 && return 0
    local status=$?
    tail -n 60 "$log" >&2
    ((status == 124)) && say "It took longer than $limit s: $*"
    return "$status"
}
