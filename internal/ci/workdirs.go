package ci

import (
	"path"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// WorkDirs returns the directories in which a command works, as far as the text of the command shows them. For example,
// "cd api && make" works in api, and "npm --prefix web test" in web. The directories are relative to the start
// directory. If the command works only in the start directory, WorkDirs returns nil.
func WorkDirs(command string) []string {
	w := &workDirs{}
	w.script(command, 0)
	if len(w.dirs) == 1 && w.dirs[0] == "." {
		return nil
	}
	return w.dirs
}

const maxWorkDirs = 50

type workDirs struct {
	now   string   // the current directory, "" for the start directory
	stack []string // directories saved by pushd and subshells
	dirs  []string
}

// script finds the directories in which the commands of a shell script work.
func (w *workDirs) script(text string, depth int) {
	var words []string
	end := func() {
		if len(words) > 0 {
			w.command(words, depth)
		}
		words = nil
	}
	for _, t := range shellTokens(text) {
		switch {
		case !t.operator:
			words = append(words, t.text)
		case t.text == "(":
			end()
			w.stack = append(w.stack, w.now)
		case t.text == ")":
			end()
			w.pop()
		default:
			end()
		}
	}
	end()
}

func (w *workDirs) pop() {
	if n := len(w.stack); n > 0 {
		w.now, w.stack = w.stack[n-1], w.stack[:n-1]
	}
}

// prefixes are commands that run the command after them.
var prefixes = map[string]bool{
	"sudo": true, "env": true, "time": true, "nice": true, "exec": true, "command": true, "then": true, "do": true,
	"else": true, "{": true, "!": true, "if": true, "while": true,
}

// command records the directory in which a simple command works. For cd, pushd and popd it changes the current
// directory instead. For commands such as echo and export it records nothing.
func (w *workDirs) command(words []string, depth int) {
	for len(words) > 0 && (prefixes[words[0]] || isAssignment(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	switch name := path.Base(words[0]); name {
	case "cd", "pushd":
		if name == "pushd" {
			w.stack = append(w.stack, w.now)
		}
		if args := withoutFlags(words[1:]); len(args) > 0 && isLiteral(args[0]) {
			w.now = under(w.now, args[0])
		}
	case "popd":
		w.pop()
	case "set", "export", "unset", "fi", "done", "}", "echo", "mkdir", "true", ":", "source", ".", "umask", "ulimit":
	case "sh", "bash", "dash", "zsh", "ksh":
		for i, word := range words[1:] {
			if strings.HasPrefix(word, "-") && strings.HasSuffix(word, "c") && i+2 < len(words) && depth < 3 {
				now := w.now
				w.script(words[i+2], depth+1)
				w.now = now
				return
			}
		}
		w.use(w.now)
	default:
		w.use(under(w.now, dirOf(name, words[1:])))
	}
}

func (w *workDirs) use(dir string) {
	dir = path.Clean(dir)
	for _, d := range w.dirs {
		if d == dir {
			return
		}
	}
	if len(w.dirs) < maxWorkDirs {
		w.dirs = append(w.dirs, dir)
	}
}

// dirFlags are tool flags that set the directory in which the tool works.
var dirFlags = map[string][]string{
	"make": {"-C", "--directory"}, "gmake": {"-C", "--directory"}, "ninja": {"-C"}, "go": {"-C"}, "just": {"-d"},
	"npm": {"--prefix", "-C"}, "npx": {"--prefix"}, "pnpm": {"-C", "--dir"}, "yarn": {"--cwd"}, "bun": {"--cwd"},
	"uv": {"--directory"}, "poetry": {"-C", "--directory"}, "gradle": {"-p", "--project-dir"},
	"gradlew": {"-p", "--project-dir"}, "cargo": {"-C"}, "bundle": {"-C"}, "rake": {"-C"}, "meson": {"-C"},
	"ctest": {"--test-dir"}, "cmake": {"--build"}, "composer": {"-d", "--working-dir"}, "mix": {"--cd"},
}

// fileFlags are tool flags that name a file. The tool works in the directory of that file.
var fileFlags = map[string][]string{
	"cargo": {"--manifest-path"}, "mvn": {"-f", "--file"}, "mvnw": {"-f", "--file"}, "ant": {"-f", "-buildfile"},
	"just": {"-f", "--justfile"}, "tox": {"-c", "--conf"},
}

// dirOf returns the directory from a tool's flags, or "" for none.
func dirOf(tool string, args []string) string {
	if file := flagOf(args, fileFlags[tool]); path.Ext(file) != "" || path.Base(file) == "justfile" {
		return path.Dir(file)
	} else if file != "" {
		return file
	}
	return flagOf(args, dirFlags[tool])
}

// flagOf returns the first literal value of one of the flags: --dir api, --dir=api, -C api or -Capi. It returns "" if
// there is none.
func flagOf(args, flags []string) string {
	for i, arg := range args {
		for _, flag := range flags {
			value, ok := "", false
			if arg == flag && i+1 < len(args) {
				value, ok = args[i+1], true
			} else if value, ok = strings.CutPrefix(arg, flag+"="); !ok && len(flag) == 2 && len(arg) > 2 {
				value, ok = strings.CutPrefix(arg, flag)
			}
			if ok && isLiteral(value) {
				return value
			}
		}
	}
	return ""
}

func under(dir, name string) string {
	if parse.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}

// isLiteral reports whether a word has no variable, pattern or home directory.
func isLiteral(word string) bool {
	return word != "" && word != "-" && !strings.ContainsAny(word, "$`*?{") && !strings.HasPrefix(word, "~")
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "-/.$")
}

func withoutFlags(words []string) []string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		words = words[1:]
	}
	return words
}

type shellToken struct {
	text     string
	operator bool
}

// shellTokens splits a script into words and operators. It leaves out comments and quotation marks. It does not
// interpret redirections and here-documents.
func shellTokens(text string) []shellToken {
	var list []shellToken
	var word strings.Builder
	in := false
	end := func() {
		if in {
			list = append(list, shellToken{text: word.String()})
		}
		word.Reset()
		in = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r':
			end()
		case '\n', ';', '&', '|', '(', ')':
			end()
			list = append(list, shellToken{string(c), true})
		case '#':
			if in {
				word.WriteByte(c)
				continue
			}
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				word.WriteByte(text[i])
				in = true
			}
		case '\'', '"':
			in = true
			for i++; i < len(text) && text[i] != c; i++ {
				if c == '"' && text[i] == '\\' && i+1 < len(text) {
					i++
				}
				word.WriteByte(text[i])
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	end()
	return list
}
