#!/bin/sh
# Builds Ringfence, installs and registers it, checks it, and shows a refusal. See --help.
set -eu

usage() {
	cat <<'END'
usage: ./install.sh [--prefix DIR] [--no-register]
       ./install.sh --uninstall [--prefix DIR]

Builds the release binary with cargo, installs it as DIR/bin/ringfence (DIR is ~/.local),
registers the hook in the client's user settings, runs `ringfence doctor`, and shows a refusal
in a throw-away project. Nothing else on the machine is changed; run it again to update.

  --prefix DIR    install below DIR instead of ~/.local
  --no-register   only build and install; do not touch the client's settings
  --uninstall     give the settings their bytes back and remove the binary; notes and log stay
END
}

say() { printf '%s\n' "$*"; }
die() {
	printf 'error: %s\n' "$1" >&2
	[ $# -lt 2 ] || printf '\nhint: %s\n' "$2" >&2
	exit 1
}

register=1
uninstall=0
prefix=
while [ $# -gt 0 ]; do
	case $1 in
	--prefix)
		[ $# -ge 2 ] || die "--prefix needs a directory" "./install.sh --prefix /opt/ringfence"
		prefix=$2
		shift
		;;
	--prefix=*) prefix=${1#--prefix=} ;;
	--no-register) register=0 ;;
	--uninstall) uninstall=1 ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 64
		;;
	esac
	shift
done

[ -n "${HOME:-}" ] || die "HOME is not set"
case $prefix in
"") prefix=$HOME/.local ;;
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
binary=$prefix/bin/ringfence

if [ "$uninstall" = 1 ]; then
	[ -x "$binary" ] || die "there is no $binary" "./install.sh --uninstall --prefix DIR"
	say "taking back the registration and removing $binary"
	"$binary" uninstall
	rm -f "$binary"
	exit 0
fi

cd "$(dirname "$0")"

# Nothing is downloaded but the packages of Cargo.lock: a toolchain is the machine's business.
packages="Debian and Ubuntu: apt-get install cargo gcc libc6-dev; Fedora: dnf install cargo gcc glibc-static"
command -v cargo >/dev/null 2>&1 || die "cargo is not installed" "$packages"
command -v cc >/dev/null 2>&1 || die "there is no C compiler (cc)" "$packages"
version=$(rustc --version 2>/dev/null | sed -n 's/^rustc \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
[ -n "$version" ] || die "rustc does not run" "rustc --version"
if [ "${version% *}" -eq 1 ] && [ "${version#* }" -lt 91 ]; then
	die "Rust $(rustc --version | cut -d' ' -f2) is too old; 1.91 or newer is needed" "$packages"
fi

target=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/target}
say "This builds Ringfence in $target"
say "and installs $binary"
[ "$register" = 0 ] || say "and registers it in the client's user settings (ringfence uninstall takes it back)."
say

CARGO_TARGET_DIR=$target cargo build --release --locked
host=$(rustc -vV | sed -n 's/^host: //p')
mkdir -p "$prefix/bin"
# A rename: a hook that runs at this moment keeps the old file.
new=$binary.new.$$
trap 'rm -f "$new"' EXIT
cp "$target/$host/release/ringfence" "$new"
chmod 755 "$new"
mv -f "$new" "$binary"
trap - EXIT
say "installed   $binary"

healthy=0
if [ "$register" = 1 ]; then
	"$binary" install || die "the binary is installed but not registered" "$binary install"
	say
	"$binary" doctor || healthy=$?
fi

# The show: a home of its own, a note of an earlier session, a subagent that wants it gone.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/project"
cd "$stage/project"
on_stage() { env -i HOME="$stage" PATH="$prefix/bin:/usr/bin:/bin" "$@"; }
id=$(on_stage ringfence note decision "Retries stop after sixty seconds." --subject "retry ceiling" --session monday)
say
say "In a throw-away project, on Monday:"
say "  \$ ringfence note decision \"Retries stop after sixty seconds.\" --subject \"retry ceiling\""
say "  $id"
say "On Tuesday a subagent runs:"
say "  \$ ringfence delete-memory $id --yes"
payload='{"session_id":"tuesday","cwd":"'$stage/project'","permission_mode":"default","agent_id":"a1",'
payload=$payload'"agent_type":"general-purpose","hook_event_name":"PreToolUse","tool_name":"Bash",'
payload=$payload'"tool_input":{"command":"ringfence delete-memory '$id' --yes"},"tool_use_id":"t1"}'
answer=$(printf '%s\n' "$payload" | on_stage ringfence hook pre-tool-use --with guard)
case $answer in
*'"permissionDecision":"deny"'*) ;;
*) die "the guard did not refuse; it answered: ${answer:-nothing}" "$binary doctor" ;;
esac
say "and gets, instead of the command:"
printf '%s\n' "$answer" |
	sed 's/.*"permissionDecisionReason":"//; s/"},"systemMessage".*//; s/"}}$//; s/\\"/"/g' |
	awk '{ gsub(/\\n/, "\n  "); print "  " $0 }'
say

case :$PATH: in
*:"$prefix/bin":*) ;;
*) say "warning: $prefix/bin is not on PATH; the hook does not need it, you do:
         export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
[ "$healthy" = 0 ] || die "the hook is registered but does not work yet; see the rows above" "$binary doctor"
