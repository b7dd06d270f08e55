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

// shell is a shell with a name that GitHub knows.
type shell struct {
	extension string // of the script's file
	before    string // GitHub puts these texts before and after a script
	after     string
	words     []string // the command; {0} is replaced by the script's file
	shared    bool     // the program may run as another user, so others may read the script, as on GitHub
}

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

// shellNamed returns the shell with a name, or for a template with {0}. "" means the default. Errors: invalid.
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

// rewrites reports whether a script's text or file name must be changed for the shell.
func (s shell) rewrites() bool { return s.extension != "" && s.extension != ".sh" }

// command returns the command that runs a script's file.
func (s shell) command(file string) []string {
	words := make([]string, len(s.words))
	for i, w := range s.words {
		words[i] = strings.ReplaceAll(w, "{0}", file)
	}
	return words
}

// script is a script and the file that holds it.
type script struct {
	shell
	text string
	file string
	made bool // blq wrote the file and removes it
}

// write writes the script into the first folder that works, and returns the command that runs it. If no folder works,
// the script becomes an argument of a shell that certainly accepts one. Errors: unavailable.
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
			_ = f.Chmod(0o644) // if this fails, only our user can read the script
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

// takesText are built-in shells with the flag -c for a script.
var takesText = map[string]bool{"bash": true, "sh": true, "python": true}

// maxArgument is a little less than the max size of an argument on Linux.
const maxArgument = 120 << 10

func (s *script) remove() {
	if s.made {
		os.Remove(s.file)
	}
}

// ShellStep returns the step of blq shell. words are {0}, or the name of a shell and {0}. With whole they are a
// command. temp is the folder in which the runner stores scripts. Errors: invalid if there is no script.
func ShellStep(words []string, whole bool, temp string) (Step, error) {
	at, file := scriptIn(words, temp)
	if at < 0 && !whole && (len(words) == 0 || len(words) == 1 && shells[words[0]].words != nil) {
		return Step{}, store.Hint(store.Errorf(store.Invalid, "there is no script to run"), "shell: blq shell {0}")
	}
	if at < 0 {
		return Step{Words: words}, nil // the shell reports what is wrong, or gets its script in another way
	}
	text, _ := os.ReadFile(file) // scriptIn could open the file
	step := Step{Words: words, Script: string(text)}
	s := shells[words[0]]
	switch {
	case !whole && len(words) == 1:
		s = defaultShell()
	case !whole && len(words) == 2 && s.words != nil: // the name of a shell
	default: // a command of the user
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

// scriptIn returns the index of the word that contains the script's file, and the file. It returns -1 if there is none.
// GitHub's runner stores scripts in its folder temp. {0} may be a part of a word.
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

// endOfScript returns the length of the UUID at the start of text. A UUID is the name of a script. It returns 0 if
// there is none.
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
