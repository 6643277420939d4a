#!/bin/sh
# Ringfence's shim: decides in the shell whether the binary needs to look, and exits 0 always.
#
# For shared dotfiles, for the plugin, and for clients that cannot start a program with an argument
# list of its own.
# usage: ringfence.sh [hook] EVENT [arguments of `ringfence hook`], the payload on standard input
#
# What it lets pass without the binary is only what the binary would let pass at its own pre-filter:
# the lists below are those of src/hook/prefilter.rs, and a test keeps them equal.

# A project's settings can set PATH and, where sh is bash, hand down functions.
PATH=/bin:/usr/bin:${PATH-}
unset -f cat head printf 2>/dev/null

[ "${1-}" = hook ] && shift

# The binary: beside this file, else where programs are installed. Never by PATH, which a project's
# settings can set.
find_binary() {
	for binary in "${0%/*}/ringfence" \
		"${HOME-}/.local/bin/ringfence" "${HOME-}/.cargo/bin/ringfence" \
		/usr/local/bin/ringfence /usr/bin/ringfence; do
		[ -f "$binary" ] && [ -x "$binary" ] && return 0
	done
	return 1
}

# Hands what was read and what is left to the binary. Missing, of another machine, or killed: the
# call goes on.
look() {
	find_binary && { printf '%s' "$payload"; exec cat; } 2>/dev/null | "$binary" hook "$@" 2>/dev/null
	exit 0
}

# Lifecycle events are always the binary's: it keeps the session tree.
if [ "${1-}" != pre-tool-use ]; then
	if find_binary; then
		"$binary" hook "$@" 2>/dev/null
	elif [ "${1-}" = session-start ] && [ "${CLAUDE_PLUGIN_ROOT-}" ]; then
		# A plugin is installed by a command of the client alone, so its person is told. A shim in
		# shared dotfiles stays silent on the machines that have no binary.
		printf '%s\n' '{"systemMessage":"Ringfence guards nothing: its plugin finds no ringfence program. Run ./install.sh --no-register in its repository."}'
	fi
	exit 0
fi

# Where the markers of child sessions are: as the line says, or at the user's place.
case ${XDG_STATE_HOME-} in
/*) state=$XDG_STATE_HOME/ringfence ;;
*) state=${HOME-}/.local/state/ringfence ;;
esac
flag=
for word; do
	case $flag$word in
	--state=*) state=${word#--state=} ;;
	--state/*) state=$word ;;
	esac
	case $word in --state) flag=$word ;; *) flag= ;; esac
done

# One process reads the beginning: a shell's own `read` takes a system call for each byte, and its
# patterns are slow on long texts. A long payload is the binary's: what was read of it fills more
# than half of the piece, so that a payload is never judged by its beginning.
LC_ALL=C
payload=$(head -c 16384 2>/dev/null)
[ "${#payload}" -lt 8192 ] || look "$@"

case $payload in
*agent_id* | *agentId* | *'\u00'*) ;;
*cortex_* | *ringfence*) look "$@" ;;
*)
	# The parent's: of interest only when its session is another one's child.
	for marker in "$state"/sessions/*.child; do
		[ -e "$marker" ] && look "$@"
	done
	exit 0
	;;
esac

# A subagent's. Anything but one plain shell command is the binary's. The first tool name is the
# host's own, because it stands before the arguments; what follows it may be the subagent's words.
case $payload in *\\*) look "$@" ;; esac
case $payload in
*'"tool_name":"Bash","tool_input":{"command":"'*) ;;
*) look "$@" ;;
esac
call=${payload#*'"tool_name":"'}
case $call in
'Bash","tool_input":{"command":"'*) ;;
*) look "$@" ;;
esac
command=${call#*'{"command":"'}
case $command in
*'"command"'* | *'"cmd"'* | *'"tool_n'* | *'"tool_i'* | *'"toolN'* | *'"toolI'*) look "$@" ;;
esac
command=${command%%\"*}
[ "${#command}" -le 4096 ] || look "$@"

case $command in
# literals
*note-resolve* | *edit-memory* | *delete-memory* | *restore-memory* | *cortex* | *ringfence* | *memory.db* | *claude*) look "$@" ;;
# end of literals
*'$'* | *'`'* | *'{'* | *'*'* | *'?'* | *'['* | *'>'* | *'%'* | *'<'* | *"'"* | *'^'* | *.exe* | *[A-Z]*) look "$@" ;;
# spelled like an id
*-*-*-*-*) look "$@" ;;
esac

# Whether a command begins with a program that starts nothing and changes nothing else.
calm() {
	case ${1-} in
	# calm
	cargo | cat | cd | cmp | comm | cut | date | df | diff | du | echo | egrep | false | fgrep | \
		file | go | grep | head | id | jq | ls | mypy | nl | pgrep | printf | ps | pwd | pytest | \
		readlink | realpath | rg | ruff | rustc | rustfmt | sleep | stat | tail | test | tree | \
		true | tsc | type | uname | wc | which | whoami) return 0 ;;
	# end of calm
	"") return 0 ;;
	esac
	case "$1 ${2-}" in
	# calm pairs
	"git add" | "git blame" | "git branch" | "git commit" | "git describe" | "git diff" | \
		"git log" | "git ls-files" | "git merge-base" | "git rev-parse" | "git show" | \
		"git status" | "git tag") return 0 ;;
	# end of calm pairs
	esac
	return 1
}

set -f
IFS=';|&()'
for part in $command; do
	IFS=' 	'
	# shellcheck disable=SC2086 # the words are what is wanted
	calm $part || look "$@"
done

# Words that run a file, build a command or change files.
IFS=' 	;|&()/'
for word in $command; do
	case $word in
	# triggers
	. | ash | at | awk | base32 | base64 | bash | batch | bun | bunx | busybox | chattr | chmod | \
		chown | clean | cmd | cmd.exe | codex | command | cp | crontab | dash | dd | deno | \
		docker | doas | ed | emacs | entr | env | eval | exec | expect | fd | find | fish | \
		flock | gawk | gdb | hyperfine | iex | install | invoke-expression | just | ksh | \
		kubectl | ln | lua | m4 | make | mawk | mv | nice | nix | node | nohup | npm | npx | \
		nvim | osascript | parallel | perl | php | pip | pipx | pnpm | podman | powershell | \
		pwsh | python | python2 | python3 | rebase | rev | rm | rmdir | rsync | ruby | run | \
		script | scp | screen | sed | setsid | sh | shred | socat | source | sqlite3 | ssh | \
		start | stash | strace | su | submodule | sudo | systemd-run | tar | task | tee | time | \
		timeout | tmux | touch | tr | trap | truncate | tsx | unlink | uv | vi | vim | watch | \
		worktree | wsl | xargs | xxd | yarn | zellij | zsh | bisect | alias | function) look "$@" ;;
	# end of triggers
	esac
done
exit 0
