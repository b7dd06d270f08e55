package action

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/store"
)

// shell describes a shell and how GitHub runs it.
type shell struct {
	extension string // extension of the name of the script's file
	before    string // texts that GitHub puts before and after a script
	after     string
	words     []string // the words of the command; {0} stands for the script's file
	shared    bool     // others may read the script, as on GitHub, because the program may run as another user
}

// shells holds the shells that a step can name, as GitHub runs them. See
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#defaultsrunshell
var shells = map[string]shell{
	"bash":   {words: []string{"bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "{0}"}, extension: ".sh"},
	"sh":     {words: []string{"sh", "-e", "{0}"}, extension: ".sh"},
	"python": {words: []string{"python", "{0}"}, extension: ".py"},
	"pwsh": {words: []string{"pwsh", "-command", ". '{0}'"}, extension: ".ps1", before: stopOnError,
		after: passExitCode},
	"powershell": {words: []string{"powershell", "-command", ". '{0}'"}, extension: ".ps1", before: stopOnError,
		after: passExitCode},
	"cmd": {words: []string{"cmd", "/D", "/E:ON", "/V:OFF", "/S", "/C", `CALL "{0}"`}, extension: ".cmd",
		before: "@echo off\r\n"},
}

const (
	stopOnError  = "$ErrorActionPreference = 'stop'\n"
	passExitCode = "\nif ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }\n"
)

// defaultShell returns the shell that GitHub uses if a step names none.
func defaultShell() shell {
	if runtime.GOOS == "windows" {
		if _, err := exec.LookPath("pwsh"); err != nil {
			return shells["powershell"]
		}
		return shells["pwsh"]
	}
	if _, err := exec.LookPath("bash"); err != nil {
		return shells["sh"]
	}
	return shell{words: []string{"bash", "-e", "{0}"}, extension: ".sh"}
}

// shellNamed returns the shell with the given name, or the shell of a template with {0}. "" means the default. The
// error is Invalid if there is no such shell.
func shellNamed(name string) (shell, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return defaultShell(), nil
	}
	if s, ok := shells[name]; ok {
		return s, nil
	}
	return shellFrom(name)
}

// rewrites reports whether the text of a script, or the name of its file, must be changed for the shell.
func (s shell) rewrites() bool { return s.extension != "" && s.extension != ".sh" }

// command returns the command that runs a script's file.
func (s shell) command(file string) []string {
	words := make([]string, len(s.words))
	for i, w := range s.words {
		words[i] = strings.ReplaceAll(w, "{0}", file)
	}
	return words
}

// script is the text of a script with the file that contains it.
type script struct {
	shell
	text string
	file string
	made bool // blq has written the file, so blq removes it
}

// write writes the script into a file, and returns the command that runs the script. It uses the first of the folders
// that accepts a file. If no folder accepts a file, the text of the script becomes an argument of the shell. This works
// only for short scripts and for the shells in takesText. For other scripts the error is Unavailable.
func (s *script) write(folders ...string) ([]string, error) {
	text := s.before + s.text + s.after
	if runtime.GOOS == "windows" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	var failed error
	for _, dir := range folders {
		f, err := os.CreateTemp(dir, "blq-*"+s.extension)
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		if s.shared {
			_ = f.Chmod(0o644) // if this fails, only this user can read the script
		}
		_, err = f.WriteString(text)
		if f.Close() == nil && err == nil {
			s.file, s.made = f.Name(), true
			return s.command(s.file), nil
		}
		failed = cmp.Or(failed, err)
		os.Remove(f.Name())
	}
	if last := len(s.words) - 1; takesText[s.words[0]] && !s.shared && s.words[last] == hole && len(s.text) < maxArgument {
		return append(slices.Clone(s.words[:last]), "-c", s.text), nil
	}
	return nil, store.Errorf(store.Unavailable, "the script could not be written: %w", failed)
}

// takesText holds the built-in shells that accept a script as an argument after the flag -c.
var takesText = map[string]bool{"bash": true, "sh": true, "python": true}

// maxArgument is the max size of a script that is passed as an argument, in bytes. It is a little less than Linux
// allows.
const maxArgument = 120 << 10

func (s *script) remove() {
	if s.made {
		os.Remove(s.file)
	}
}

// ShellStep returns the step of blq shell. words holds the arguments of blq shell: the script's file, or the name of a
// shell and the file. Other arguments are a whole command, and so are all arguments if isCommand is true. temp is the
// folder in which the runner stores scripts. The error is Invalid if words is empty or only the name of a shell, unless
// isCommand is true.
func ShellStep(words []string, isCommand bool, temp string) (Step, error) {
	at, file := scriptIn(words, temp)
	if at < 0 && !isCommand && (len(words) == 0 || len(words) == 1 && shells[words[0]].words != nil) {
		return Step{}, store.Hint(store.Errorf(store.Invalid, "there is no script to run"), "shell: blq shell {0}")
	}
	if at < 0 {
		return Step{Words: words}, nil // the shell reports the problem, or reads the script in another way
	}
	text, _ := os.ReadFile(file) // this cannot fail, because scriptIn has opened the file
	step := Step{Words: words, Script: string(text)}
	s := shells[words[0]]
	switch {
	case !isCommand && len(words) == 1:
		s = defaultShell()
	case !isCommand && len(words) == 2 && s.words != nil: // the words are the name of a shell and a script
	default: // the words are a command of the user
		s.words = slices.Clone(words)
		s.words[at] = strings.ReplaceAll(words[at], file, hole)
	}
	if s.rewrites() && filepath.Ext(file) != s.extension {
		step.script = &script{shell: s, text: string(text)}
		step.Words = nil
		return step, nil
	}
	step.Words = s.command(file)
	return step, nil
}

// scriptIn returns the index of the argument that contains the script's file, and the file. GitHub's runner stores
// scripts in the folder temp. An argument may have other text around the name of such a file. If no argument names a
// script in temp, scriptIn returns the last argument that is a regular file, or else -1 and "".
func scriptIn(words []string, temp string) (at int, file string) {
	prefix := filepath.Clean(temp) + string(filepath.Separator)
	for i, w := range words {
		before, after, ok := strings.Cut(w, prefix)
		if n := endOfScript(after); temp != "" && ok && n > 0 && isScript(prefix+after[:n]) {
			return i, w[len(before):][:len(prefix)+n]
		}
	}
	for i := len(words) - 1; i >= 0; i-- {
		if isScript(words[i]) {
			return i, words[i]
		}
	}
	return -1, ""
}

// endOfScript returns the length of the UUID at the start of text. It returns 0 if text does not begin with a UUID.
// Scripts of the runner are named after a UUID.
func endOfScript(text string) int {
	const size = 36
	if len(text) < size || uuid.Validate(text[:size]) != nil {
		return 0
	}
	return size
}

func isScript(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.Mode().IsRegular()
}
