package parse

import (
	"bytes"
	"strings"
)

// workspace removes the prefix before each line of a package's script. Programs that run the scripts of several
// packages print such prefixes. A prefix, as in "a: b", looks like ordinary text. Therefore workspace removes it only
// after a line of the log shows which of these programs runs.
type workspace struct {
	runner workspaceRunner
	names  map[string]bool // prefixes of pnpm and Nx so far
	// numbered is set if the prefixes of concurrently are numbers. The prefixes count as numbers if a line begins with
	// "[0] " before any line of the log names a runner.
	numbered bool
	nixTail  bool // the newest lines are the last lines of a builder's log, as Nix 2.3 shows them
}

type workspaceRunner int

const (
	noRunner workspaceRunner = iota
	turboRunner
	lernaRunner
	pnpmRunner
	nxRunner           // Nx, also as a part of Lerna
	yarnRunner         // yarn workspaces foreach
	concurrentlyRunner // concurrently
	nixRunner          // Nix, which builds derivations
)

// mayAnnounce has the first bytes of lines in which a runner announces itself. Such a line may also begin with a blank.
// The caller of announce checks for the blank.
var mayAnnounce = [256]bool{'l': true, 'S': true, 0xe2: true, '>': true, '$': true, '[': true, '#': true, '-': true,
	'b': true, 'e': true}

// announce reads a line in which a runner may announce itself.
func (w *workspace) announce(b []byte) {
	switch b[0] {
	case '-':
		if w.runner == nxRunner && bytes.HasPrefix(b, []byte("- ")) && len(w.names) < MaxLanes {
			w.names[string(b[2:])] = true // name of a project
		}
	case 'b', 'e':
		w.nix(b)
	case 'l':
		if bytes.HasPrefix(b, []byte("lerna info Executing command in ")) {
			w.runner = lernaRunner
		}
	case 'S':
		if bytes.HasPrefix(b, []byte("Scope: ")) && bytes.HasSuffix(b, []byte(" workspace projects")) {
			w.runner, w.names = pnpmRunner, map[string]bool{}
		}
	case '[':
		if w.runner != noRunner {
			return
		}
		if bytes.HasPrefix(b, []byte("[0] ")) {
			w.runner, w.numbered = concurrentlyRunner, true
		} else if name, _, ok := bracketed(b); ok && name[0] == '@' && bytes.IndexByte(name, '/') > 0 {
			w.runner = yarnRunner
		}
	case '>', '$':
		w.command(b)
	case '#':
		if bytes.HasPrefix(b, []byte("##[group]Run ")) {
			w.command(b)
		}
	default:
		if bytes.HasPrefix(bytes.TrimLeft(b, " "), []byte("• Packages in scope: ")) {
			w.runner = turboRunner
		} else if bytes.HasPrefix(b, []byte(" NX   Running target")) ||
			bytes.HasPrefix(b, []byte(" Lerna (powered by Nx)   Running target")) {
			w.runner, w.names = nxRunner, map[string]bool{}
		}
	}
}

// command recognizes a runner of workspaces (concurrently, yarn) at the start of a command line.
func (w *workspace) command(b []byte) {
	command := bytes.TrimPrefix(bytes.TrimPrefix(b, []byte("##[group]Run ")), []byte("npx "))
	command = bytes.TrimLeft(command, "$> ")
	switch {
	case bytes.HasPrefix(command, []byte("concurrently ")):
		w.runner, w.numbered = concurrentlyRunner, false
	case bytes.HasPrefix(command, []byte("yarn workspaces foreach ")):
		w.runner = yarnRunner
	}
}

// strip returns the lane and the rest of a line with a prefix such as "web:build: ", "@scope/web: ", "packages/web
// build: ", "[web]: " or "[0] ".
func (w *workspace) strip(b []byte) (lane string, rest []byte) {
	if w.runner == nixRunner {
		return w.nixLog(b)
	}
	if w.runner == pnpmRunner {
		if i := bytes.Index(b, []byte("$ ")); i > 0 && bytes.Count(b[:i], []byte(" ")) == 1 && len(w.names) < MaxLanes {
			w.names[string(b[:i])] = true
		}
	}
	if b[0] == '[' && (w.runner == yarnRunner || w.runner == concurrentlyRunner) {
		return w.bracket(b)
	}
	i := bytes.IndexByte(b[:min(len(b), 100)], ' ')
	if w.runner == pnpmRunner && i > 0 {
		if j := bytes.IndexByte(b[i+1:min(len(b), 100)], ' '); j > 0 {
			i += 1 + j
		}
	}
	end := i
	if i < 0 {
		i, end = len(b), len(b)
	} else {
		end++
	}
	if i < 2 || i > 100 || b[i-1] != ':' || !w.isName(b[:i-1]) {
		return "", b
	}
	return string(b[:i]), b[end:]
}

// isName reports whether the parameter name can be the runner's prefix for a package, or for a package with its task.
func (w *workspace) isName(name []byte) bool {
	switch w.runner {
	case turboRunner:
		i := bytes.LastIndexByte(name, ':')
		return i > 0 && i+1 < len(name) && !IsDigit(name[i+1]) && !bytes.Contains(name, []byte("//"))
	case pnpmRunner, nxRunner:
		return w.names[string(name)] && !isSeverityWord(string(name))
	case lernaRunner:
		return bytes.IndexByte(name, ':') < 0 && !isSeverityWord(string(name))
	}
	return false
}

// bracket removes "[web]: " of yarn or "[0] " of concurrently.
func (w *workspace) bracket(b []byte) (lane string, rest []byte) {
	name, rest, ok := bracketed(b)
	colon := bytes.HasPrefix(rest, []byte(":"))
	if rest = bytes.TrimPrefix(rest, []byte(":")); !ok || colon != (w.runner == yarnRunner) ||
		len(rest) > 0 && rest[0] != ' ' || w.runner == concurrentlyRunner && w.numbered && !AllDigits(string(name)) ||
		isMark(string(name)) {
		return "", b
	}
	return string(b[:len(b)-len(rest)]), bytes.TrimPrefix(rest, []byte(" "))
}

// isMark reports whether a word is a severity or a test outcome. Such a word is not the name of a script.
func isMark(name string) bool {
	switch lower := strings.ToLower(name); lower {
	case "ok", "pass", "passed", "fail", "failed", "failure", "fail!", "failed!", "skip", "skipped", "crash", "crashed",
		"timeout", "done", "debug", "trace", "notice":
		return true
	default:
		return isSeverityWord(lower)
	}
}

// bracketed splits "[name]rest" into name and rest. A time is not a name.
func bracketed(b []byte) (name, rest []byte, ok bool) {
	i := bytes.IndexByte(b[:min(len(b), 60)], ']')
	if i < 2 || bytes.IndexByte(b[:i], ' ') >= 0 || IsDigit(b[1]) && bytes.IndexByte(b[:i], ':') > 0 {
		return nil, b, false
	}
	return b[1:i], b[i+1:], true
}

// laneHome returns the package of a lane. The lane's prefix contains either the package's directory or its name.
func laneHome(lane string) (dir, name string) {
	if inner, ok := strings.CutSuffix(lane, "]:"); ok {
		return "", strings.TrimPrefix(inner, "[")
	}
	prefix, ok := strings.CutSuffix(lane, ":")
	if !ok {
		return "", ""
	}
	if i := strings.LastIndexByte(prefix, ' '); i > 0 {
		return prefix[:i], ""
	}
	if i := strings.LastIndexByte(prefix, ':'); i > 0 {
		prefix = prefix[:i]
	}
	return "", prefix
}
