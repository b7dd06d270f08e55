package step

import (
	"path"
	"strings"

	"github.com/blq-ci/blq/store"
)

// maxName is the max length of a name without its directory.
const maxName = 60

// Name returns a name for the source of the line, such as go-test or api/npm-test. The name consists of the first
// command that does work, and its subcommand or targets. Name prefers it to commands that only prepare or start other
// commands, such as cd, export, sudo, timeout, bash -c, npx and python -m. dir is the directory of the line, relative
// to the top of the project. Below the top, the name begins with the directory. If no command has a valid name,
// Name uses "run" instead.
func (l Line) Name(dir string) string {
	name := "run"
	guard(func() { name = l.name(dir) })
	return name
}

func (l Line) name(dir string) string {
	best := named{rank: setting}
	for _, c := range l.calls {
		n := nameOf(c.values(), 0)
		n.dir = join(c.dir, n.dir)
		if best.name == "" || n.rank > best.rank {
			best = n
		}
		if best.rank == work {
			break
		}
	}
	if best.rank <= idle || isShell(best.name) {
		best = l.orInner(best)
	}
	name := clip(cleaned(best.name), maxName)
	if !store.IsSourceName(name) || name == "latest" {
		name = "run"
	}
	return In(join(dir, best.dir), name)
}

// hereDocument is the first word of a call that is made from a here-document. The second word is the text of the
// here-document. No real program has an empty name.
const hereDocument = ""

// orInner returns the name of the first inner command that does work, or best if there is none. Inner commands are in
// $(…), such as go test in out=$(go test), and in here-documents for a shell, such as bash <<EOF.
func (l Line) orInner(best named) named {
	for _, c := range l.inner {
		var n named
		switch v := c.values(); {
		case v[0] != hereDocument:
			n = nameOf(v, 1)
		case isShell(best.name):
			n = nameOfScriptText(v[1], 1)
		}
		if n.rank == work {
			n.dir = join(c.dir, n.dir)
			return n
		}
	}
	return best
}

// In returns the name of a source in a directory of the project, such as api/go-test. dir is relative to the top. If
// the directory is outside of the project, or if the new name is too long or not valid, In returns the given name.
func In(dir, name string) string {
	var parts []string
	for _, p := range strings.Split(path.Clean(dir), "/") {
		if p == ".." || isAbsolute(dir) || !isPlain(dir) {
			return name
		}
		if p = cleaned(p); p != "" {
			parts = append(parts, p)
		}
	}
	full := strings.Join(append(parts, name), "/")
	if len(full) > 100 || !store.IsSourceName(full) {
		return name
	}
	return full
}

// cleaned replaces characters that a name cannot have.
func cleaned(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' ||
			c == '-' || c == '+' {
			b.WriteByte(c)
		} else if !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-.")
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.Trim(s[:n], "-.")
}

// rank measures how well a command describes the purpose of a step.
type rank int

const (
	setting rank = iota // the command configures later commands
	idle                // the command only prints
	setup               // the command prepares: it installs, copies or downloads
	work
)

// named is the name of a command, its directory and its rank.
type named struct {
	name string
	dir  string
	rank rank
}

// maxDepth is the max nesting depth of commands that are examined.
const maxDepth = 8

// nameOf returns the name of a simple command.
func nameOf(words []string, depth int) named {
	all := words
	words, dir := unwrapped(words)
	switch {
	case depth > maxDepth:
		return named{rank: setting}
	case len(words) == 0:
		return named{name: firstProgram(all), rank: setting}
	}
	program, args := programOf(words[0]), words[1:]
	script, _ := scriptOf(words)
	var n named
	switch {
	case script != "":
		if n = nameOfScriptText(script, depth); n.rank <= idle {
			n = named{name: program, rank: idle}
		}
	case oneOf(program, "source .") && len(args) > 0:
		n = named{name: programOf(args[0]), rank: setting}
	case program == "command": // command -v go
		n = named{name: program, rank: idle}
	case isShell(program):
		n = nameOfShell(program, args, depth)
	case isPython(program):
		n = nameOfPython(program, args, depth)
	case isInterpreter(program):
		n = nameOfScript(program, args, depth)
	case program == "java":
		n = named{name: "java", rank: work}
		if jar := valueAfter(args, "-jar"); jar != "" {
			n.name = path.Base(jar)
		}
	default:
		if rest := runnerOf(program, args); len(rest) > 0 {
			rest[0] = withoutVersion(rest[0])
			if hasTasks(program) && isTask(rest[0]) {
				n = named{name: program + "-run-" + rest[0], rank: work}
			} else {
				n = nameOf(rest, depth+1)
			}
			_, in := operandsOf(program, args)
			n.dir = join(in, n.dir)
			break
		}
		n = nameOfTool(program, args)
	}
	n.dir = join(dir, n.dir)
	return n
}

// firstProgram returns the first program of a line, after assignments of variables. It is used for a line with programs
// that start commands, but without a command to start. An example is sudo -v.
func firstProgram(words []string) string {
	for _, w := range words {
		if !isAssignment(w) {
			return programOf(w)
		}
	}
	return ""
}

// programOf returns the name of a program from its path.
func programOf(word string) string {
	word = strings.ReplaceAll(word, `\`, "/")
	if i := strings.LastIndexByte(word, '/'); i >= 0 && i < len(word)-1 {
		word = word[i+1:]
	}
	for _, ext := range []string{".exe", ".cmd", ".bat"} {
		word = strings.TrimSuffix(word, ext)
	}
	if isPlain(word) {
		return word
	}
	return strings.ToLower(strings.Trim(word, `${}"`)) // $PYTHON
}

// withoutVersion returns the name of a package without its version and scope: jest for jest@29, ruff for ruff==0.9,
// biome for @biomejs/biome@1.
func withoutVersion(pkg string) string {
	if i := strings.LastIndexByte(pkg, '@'); i > 0 {
		pkg = pkg[:i]
	}
	if strings.HasPrefix(pkg, "@") {
		return path.Base(pkg)
	}
	pkg, _, _ = strings.Cut(pkg, "==")
	return pkg
}

func isShell(program string) bool {
	switch program {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish":
		return true
	}
	return false
}

func nameOfShell(shell string, args []string, depth int) named {
	for i, a := range args {
		switch {
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+"):
			if i > 0 && (strings.HasSuffix(args[i-1], "o") || strings.HasSuffix(args[i-1], "O")) && isShort(args[i-1]) {
				continue // -o pipefail
			}
			return nameOfFile(a, args[i+1:])
		case isShort(a) && strings.Contains(a, "c"):
			for _, script := range args[i+1:] {
				if strings.HasPrefix(script, "-") {
					continue
				}
				if n := nameOfScriptText(script, depth); n.rank > idle {
					return n
				}
				return named{name: shell, rank: idle}
			}
		}
	}
	return named{name: shell, rank: work}
}

// isShort reports whether a word has short options: -ec.
func isShort(a string) bool { return len(a) > 1 && a[0] == '-' && a[1] != '-' }

func nameOfScriptText(text string, depth int) named {
	best := named{rank: setting}
	for _, c := range Parse(text).calls {
		n := nameOf(c.values(), depth+1)
		n.dir = join(c.dir, n.dir)
		if best.name == "" || n.rank > best.rank {
			best = n
		}
	}
	return best
}

func isPython(program string) bool {
	return program == "py" || program == "coverage" || strings.HasPrefix(program, "python") ||
		strings.HasPrefix(program, "pypy")
}

// nameOfPython returns the name for python -m pytest, python x.py and coverage run -m pytest.
func nameOfPython(program string, args []string, depth int) named {
	if program == "coverage" {
		if len(args) == 0 || args[0] != "run" {
			return nameOfTool(program, args)
		}
		args = args[1:]
	}
	for i, a := range args {
		switch {
		case a == "-m" && i+1 < len(args):
			return nameOf(args[i+1:], depth+1)
		case isShort(a) && strings.Contains(a, "c"):
			return named{name: program, rank: work}
		case !strings.HasPrefix(a, "-") && (i == 0 || args[i-1] != "-W" && args[i-1] != "-X"):
			return nameOfFile(a, args[i+1:])
		}
	}
	return named{name: program, rank: work}
}

func isInterpreter(program string) bool {
	switch program {
	case "node", "nodejs", "ruby", "perl", "php", "lua", "Rscript", "tsx", "ts-node", "pwsh", "powershell", "cmd":
		return true
	}
	return false
}

// nameOfScript returns the name for the command line of an interpreter. It is the script for node x.js, the name of the
// command for cmd /c and pwsh -Command, and the interpreter for ruby -e.
func nameOfScript(program string, args []string, depth int) named {
	for i, a := range args {
		switch {
		case program == "node" && a == "--test":
			return named{name: "node-test", rank: work}
		case program == "ruby" && a == "-S" && i+1 < len(args):
			return nameOf(args[i+1:], depth+1)
		case program == "cmd" && len(a) == 2 && strings.EqualFold(a, "/c"):
			return nameOfScriptText(strings.Join(args[i+1:], " "), depth)
		case program == "cmd":
		case strings.EqualFold(a, "-command"), strings.EqualFold(a, "-c") && (program == "pwsh" || program == "powershell"):
			return nameOfScriptText(strings.Join(args[i+1:], " "), depth)
		case a == "-e" || a == "-E" || a == "-r" || a == "-p" || a == "--eval":
			return named{name: program, rank: work}
		case !strings.HasPrefix(a, "-") && (i == 0 || !takesValue(program, args[i-1])):
			return nameOfFile(a, args[i+1:])
		}
	}
	return named{name: program, rank: work}
}

// nameOfFile returns the name for a script: its file name. For scripts with subcommands, such as manage.py test, it
// adds the subcommand.
func nameOfFile(file string, args []string) named {
	name := programOf(file)
	switch name {
	case "manage.py", "setup.py", "artisan", "console", "rails", "rake", "make.py", "x.py", "waf":
		return nameOfTool(name, args)
	}
	return named{name: name, rank: work}
}
