package action

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// shell is one of the shells that GitHub knows by name.
type shell struct {
	extension string // that the script's file needs
	before    string // what GitHub puts before a script, and after it
	after     string
	words     []string // {0} is the script's file
}

// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#defaultsrunshell
var shells = map[string]shell{
	"bash":       {words: []string{"bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "{0}"}},
	"sh":         {words: []string{"sh", "-e", "{0}"}},
	"python":     {words: []string{"python", "{0}"}, extension: ".py"},
	"pwsh":       {words: []string{"pwsh", "-command", ". '{0}'"}, extension: ".ps1", before: stopOnError, after: passExitCode},
	"powershell": {words: []string{"powershell", "-command", ". '{0}'"}, extension: ".ps1", before: stopOnError, after: passExitCode},
	"cmd":        {words: []string{"cmd", "/D", "/E:ON", "/V:OFF", "/S", "/C", `CALL "{0}"`}, extension: ".cmd", before: "@echo off\r\n"},
}

const (
	stopOnError  = "$ErrorActionPreference = 'stop'\n"
	passExitCode = "\nif ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }\n"
)

// defaultShell is what GitHub runs a script with when no shell is named.
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
	return shell{words: []string{"bash", "-e", "{0}"}}
}

// shellNamed returns the shell of a name, or of a template with {0}, "" for the
// default. Invalid: it is neither.
func shellNamed(name string) (shell, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return defaultShell(), nil
	}
	if s, ok := shells[name]; ok {
		return s, nil
	}
	words, _ := shellword.Split(name)
	if !strings.Contains(name, "{0}") || len(words) == 0 {
		return shell{}, store.Errorf(store.Invalid, "%q is neither bash, sh, pwsh, powershell, python or cmd, nor a command with {0}", name)
	}
	return shell{words: words}, nil
}

// command returns the words that run a script's file.
func (s shell) command(file string) []string {
	words := make([]string, len(s.words))
	for i, w := range s.words {
		words[i] = strings.ReplaceAll(w, "{0}", file)
	}
	return words
}

// script is the file of a script, as its shell wants it.
type script struct {
	shell
	text string
	file string
	made bool // by us, to be removed
}

// write puts the script into the first folder that takes it. Where none does
// it goes without a file, as far as its shell can.
func (s *script) write(folders ...string) []string {
	for _, dir := range folders {
		f, err := os.CreateTemp(dir, "blq-*"+s.extension)
		if err != nil {
			continue
		}
		_, err = f.WriteString(s.before + s.text + s.after)
		if f.Close() == nil && err == nil {
			s.file, s.made = f.Name(), true
			return s.command(s.file)
		}
		os.Remove(f.Name())
	}
	words := s.command("\x00")
	if last := len(words) - 1; words[last] == "\x00" && s.extension == "" {
		return append(words[:last:last], "-c", s.text)
	}
	return words
}

func (s *script) remove() {
	if s.made {
		os.Remove(s.file)
	}
}

// ShellStep returns the inputs and the command of a step whose shell is blq:
// words are {0} alone, or a shell's name and {0}, or after -- a whole command.
// Invalid: there is no script.
func ShellStep(words []string, whole bool) (Step, error) {
	if len(words) == 0 {
		return Step{}, store.Hint(store.Errorf(store.Invalid, "there is no script to run"), "shell: blq shell {0}")
	}
	file := words[len(words)-1]
	text, _ := os.ReadFile(file) // of a shell that is told its script otherwise
	step := Step{Words: words, Script: string(text)}
	if whole {
		return step, nil
	}
	s := defaultShell()
	if len(words) > 1 {
		var err error
		if s, err = shellNamed(words[0]); err != nil || len(words) > 2 {
			return Step{Words: words, Script: string(text)}, nil // flags of somebody's own
		}
	}
	if s.extension != "" && filepath.Ext(file) != s.extension {
		step.script = &script{shell: s, text: string(text)}
		step.Words = nil
		return step, nil
	}
	step.Words = s.command(file)
	return step, nil
}

// sourceOf names a script after the program that it runs first.
func sourceOf(text string) string {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for len(words) > 0 && skipped(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "#") || idle[words[0]] {
			continue
		}
		if len(words) > 2 && words[1] == "-m" {
			return store.SourceName(words[2]) // python -m pytest
		}
		if name := path.Base(strings.Trim(words[0], `"'()`)); name != "" {
			return store.SourceName(name)
		}
	}
	return "step"
}

// skipped are words before the program of a line.
func skipped(word string) bool {
	switch word {
	case "sudo", "exec", "time", "env", "command", "nice", "if", "!", "{", "(":
		return true
	}
	name, _, assigns := strings.Cut(word, "=")
	return assigns && store.IsSourceName(name)
}

// idle are programs that no step is about.
var idle = map[string]bool{
	"set": true, "cd": true, "export": true, "echo": true, "mkdir": true, "source": true, ".": true, "pushd": true, "popd": true,
	"ulimit": true, "umask": true, "shopt": true, "trap": true, "unset": true, "then": true, "else": true, "fi": true, "done": true,
}
