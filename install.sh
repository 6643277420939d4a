#!/bin/sh
# Builds Ringfence, installs and registers it, checks it, and shows a refusal. See --help.
set -eu

usage() {
	cat <<'END'
usage: ./install.sh [--prefix DIR] [--no-register] [--binary FILE] [--dry-run]
       ./install.sh --uninstall [--prefix DIR] [--dry-run]

Builds the release binary with cargo, installs it as DIR/bin/ringfence (DIR is ~/.local),
registers the hook in the client's user settings, runs `ringfence doctor`, and shows a refusal
in a throw-away project. Nothing else on the machine is changed; run it again to update.

  --prefix DIR    install below DIR instead of ~/.local
  --no-register   only build and install; do not touch the client's settings
  --binary FILE   install this program instead of building one: no cargo, no network
  --uninstall     take the registration back and remove the binary; notes and log stay
  --dry-run       say what would be done, and do nothing

Without a network it builds from packages that cargo has already (cargo fetch --locked), or that
lie in the checkout as vendor/ (cargo vendor --locked).
END
}

say() { printf '%s\n' "$*"; }
die() {
	printf 'error: %s\n' "$1" >&2
	[ $# -lt 2 ] || printf '\nhint: %s\n' "$2" >&2
	exit 1
}

is_program() { [ -f "$1" ] && [ -x "$1" ]; }

# A path as it is from here on, wherever we go.
absolute() {
	case $1 in
	/*) printf '%s' "$1" ;;
	*) printf '%s/%s' "$PWD" "$1" ;;
	esac
}

register=1
uninstall=0
dry_run=0
prefix=
given=
while [ $# -gt 0 ]; do
	case $1 in
	--prefix | --binary)
		if [ -z "${2:-}" ]; then
			printf 'error: %s needs a path\n\n' "$1" >&2
			usage >&2
			exit 64
		fi
		if [ "$1" = --prefix ]; then prefix=$2; else given=$2; fi
		shift
		;;
	--prefix=?*) prefix=${1#--prefix=} ;;
	--binary=?*) given=${1#--binary=} ;;
	--no-register) register=0 ;;
	--uninstall) uninstall=1 ;;
	--dry-run) dry_run=1 ;;
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

[ "$(uname -s)" = Linux ] || die "it is built and tested on Linux only"
[ -n "${HOME:-}" ] || die "HOME is not set"
prefix=$(absolute "${prefix:-$HOME/.local}")
binary=$prefix/bin/ringfence
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/target
target=$(absolute "${CARGO_TARGET_DIR:-$cache}")
[ -z "$given" ] || given=$(absolute "$given")

if [ "$uninstall" = 1 ]; then
	is_program "$binary" || die "there is no $binary" "./install.sh --uninstall --prefix DIR"
	say "This takes the registration back and removes $binary."
	say "Notes, log and configuration stay; $binary uninstall --purge, run before, shows and removes the first two."
	[ "$dry_run" = 0 ] || exit 0
	say
	"$binary" uninstall --older ||
		die "the registration is not all gone, so the program stays" "$binary uninstall"
	rm -f "$binary"
	rmdir "$prefix/bin" "$prefix" 2>/dev/null || :
	say "removed     $binary"
	[ ! -d "$target" ] || say "kept        $target (what was built)"
	exit 0
fi

# Nothing is downloaded but the packages of Cargo.lock: a toolchain is the machine's business.
rust="https://rustup.rs, or a distribution that has Rust 1.91 or newer"
compiler="Debian and Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc glibc-static"
CDPATH='' cd -- "$(dirname -- "$0")"
if [ -n "$given" ]; then
	is_program "$given" || die "$given is no program" "./install.sh --binary FILE"
	"$given" --version 2>/dev/null | grep -q '^ringfence ' || die "$given is no ringfence, or not for this machine"
else
	command -v cargo >/dev/null 2>&1 || die "cargo is not installed" "$rust"
	command -v cc >/dev/null 2>&1 || die "there is no C compiler (cc)" "$compiler"
	version=$(rustc --version 2>/dev/null | sed -n 's/^rustc \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
	[ -n "$version" ] || die "rustc does not run" "rustc --version"
	if [ "${version% *}" -eq 1 ] && [ "${version#* }" -lt 91 ]; then
		die "Rust $(rustc --version | cut -d' ' -f2) is too old; 1.91 or newer is needed" "$rust"
	fi
fi

if [ -n "$given" ]; then
	say "This takes $given"
else
	say "This builds Ringfence in $target"
fi
say "and installs $binary"
[ "$register" = 0 ] || say "and registers it in the client's user settings (ringfence uninstall takes it back)."
[ "$dry_run" = 0 ] || exit 0
say

# First what may be refused, then what takes minutes.
[ ! -d "$binary" ] || die "$binary is a directory" "./install.sh --prefix DIR"
mkdir -p "$prefix/bin" 2>/dev/null || :
[ -w "$prefix/bin" ] || die "$prefix/bin cannot be written" "./install.sh --prefix DIR"

if [ -z "$given" ]; then
	set -- --locked
	if [ -d vendor ]; then
		set -- "$@" --offline --config 'source.crates-io.replace-with="vendored"' \
			--config 'source.vendored.directory="vendor"'
	elif cargo fetch --locked --offline >/dev/null 2>&1; then
		# What is here already is not asked for again, so that a second run needs no network.
		set -- "$@" --offline
	fi
	CARGO_TARGET_DIR=$target cargo build --release "$@"
	host=$(rustc -vV | sed -n 's/^host: //p')
	given=$target/$host/release/ringfence
fi
# A rename: a hook that runs at this moment keeps the old file.
new=$binary.new.$$
stage=
trap 'rm -rf "$new" ${stage:+"$stage"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp "$given" "$new"
chmod 755 "$new"
mv -f "$new" "$binary"
say "installed   $binary"

healthy=0
if [ "$register" = 1 ]; then
	"$binary" install || die "the binary is installed but not registered" "$binary install"
	say
	"$binary" doctor || healthy=$?
fi

# The show: a home of its own, a note of an earlier session, a subagent that wants it gone.
stage=$(mktemp -d)
mkdir "$stage/project"
cd "$stage/project"
on_stage() { env -i HOME="$stage" PATH=/usr/bin:/bin "$binary" "$@"; }
id=$(on_stage note decision "Retries stop after sixty seconds." --subject "retry ceiling" --session monday)
say
say "In a throw-away project, on Monday:"
say "  \$ ringfence note decision \"Retries stop after sixty seconds.\" --subject \"retry ceiling\""
say "  $id"
say "On Tuesday a subagent runs:"
say "  \$ ringfence delete-memory $id --yes"
cwd=$(printf '%s' "$stage/project" | sed 's/[\\"]/\\&/g')
payload='{"session_id":"tuesday","cwd":"'$cwd'","permission_mode":"default","agent_id":"a1",'
payload=$payload'"agent_type":"general-purpose","hook_event_name":"PreToolUse","tool_name":"Bash",'
payload=$payload'"tool_input":{"command":"ringfence delete-memory '$id' --yes"},"tool_use_id":"t1"}'
answer=$(printf '%s\n' "$payload" | on_stage hook pre-tool-use --with guard)
case $answer in
*'"permissionDecision":"deny"'*) ;;
*) die "the guard did not refuse; it answered: ${answer:-nothing}" "$binary doctor" ;;
esac
say "and gets, instead of the command:"
printf '%s\n' "$answer" |
	sed 's/.*"permissionDecisionReason":"//; s/"},"systemMessage".*//; s/"}}$//; s/\\"/"/g' |
	awk '{ gsub(/\\n/, "\n  "); print "  " $0 }'
say

[ "$register" = 0 ] ||
	say "It is asked from now on, also by clients that run already; ringfence log shows what it decides."

case :$PATH: in
*:"$prefix/bin":*) ;;
*) say "warning: $prefix/bin is not on PATH; the hook does not need it, you do:
         export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
[ "$healthy" = 0 ] || die "the hook is registered but does not work yet; see the rows above" "$binary doctor"
