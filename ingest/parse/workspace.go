package parse

import "bytes"

// workspace takes off the prefix that runners of many packages put before each
// line of a package's script. Such a prefix looks like much else ("a: b"), so
// it is known only after the runner has said what it does.
type workspace struct {
	runner workspaceRunner
	names  map[string]bool // pnpm's prefixes so far
}

type workspaceRunner int

const (
	noRunner workspaceRunner = iota
	turboRunner
	lernaRunner
	pnpmRunner
)

// announce notes a line in which a runner says what it does.
func (w *workspace) announce(b []byte) {
	switch {
	case bytes.HasPrefix(b, []byte("• Packages in scope: ")):
		w.runner = turboRunner
	case bytes.HasPrefix(b, []byte("lerna info Executing command in ")):
		w.runner = lernaRunner
	case bytes.HasPrefix(b, []byte("Scope: ")) && bytes.HasSuffix(b, []byte(" workspace projects")):
		w.runner, w.names = pnpmRunner, map[string]bool{}
	}
}

// strip returns the lane and the rest of a line with a prefix: "web:build: ",
// "@scope/web: ", "packages/web build: ".
func (w *workspace) strip(b []byte) (lane string, rest []byte) {
	if w.runner == pnpmRunner {
		if i := bytes.Index(b, []byte("$ ")); i > 0 && bytes.Count(b[:i], []byte(" ")) == 1 && len(w.names) < MaxLanes {
			w.names[string(b[:i])] = true
		}
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

// isName reports whether name is that of a package, or of a package and its task.
func (w *workspace) isName(name []byte) bool {
	switch w.runner {
	case turboRunner:
		i := bytes.LastIndexByte(name, ':')
		return i > 0 && i+1 < len(name) && !IsDigit(name[i+1]) && !bytes.Contains(name, []byte("//"))
	case pnpmRunner:
		return w.names[string(name)]
	}
	return bytes.IndexByte(name, ':') < 0 && !isSeverityWord(string(name))
}
