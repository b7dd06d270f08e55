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

// shell is a shell that GitHub knows by name.
type shell struct {
	extension string // of the script's file
	before    string // text that GitHub puts before and after a script
	after     string
	words     []string // the command; {0} is the script's file
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

// defaultShell returns the shell that GitHub uses for a script without one.
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

// shellNamed returns the shell with a name or a template with {0}; "" stands for the default.
// Errors: invalid.
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

// command returns the command that runs a script's file.
func (s shell) command(file string) []string {
	words := make([]string, len(s.words))
	for i, w := range s.words {
		words[i] = strings.ReplaceAll(w, "{0}", file)
	}
	return words
}

// script is a script and its file.
type script struct {
	shell
	text string
	file string
	made bool // written by blq, to be removed
}

// write writes the script into the first folder where that works. If none does, it returns a
// command without a file, where the shell allows that.
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

// ShellStep returns the step of blq shell. words are {0}, or a shell's name and {0}, or with whole
// a command. Errors: invalid when there is no script.
func ShellStep(words []string, whole bool) (Step, error) {
	if len(words) == 0 {
		return Step{}, store.Hint(store.Errorf(store.Invalid, "there is no script to run"), "shell: blq shell {0}")
	}
	file := words[len(words)-1]
	text, _ := os.ReadFile(file) // unreadable for a shell that gets its script in another way
	step := Step{Words: words, Script: string(text)}
	if whole {
		return step, nil
	}
	s := defaultShell()
	if len(words) > 1 {
		var err error
		if s, err = shellNamed(words[0]); err != nil || len(words) > 2 {
			return Step{Words: words, Script: string(text)}, nil // the user's own flags
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

// sourceOf names a script after the first program that it runs.
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

// skipped reports whether a word may stand before the program of a line.
func skipped(word string) bool {
	switch word {
	case "sudo", "exec", "time", "env", "command", "nice", "if", "!", "{", "(":
		return true
	}
	name, _, assigns := strings.Cut(word, "=")
	return assigns && store.IsSourceName(name)
}

// idle are programs that a step is not named after.
var idle = map[string]bool{
	"set": true, "cd": true, "export": true, "echo": true, "mkdir": true, "source": true, ".": true, "pushd": true, "popd": true,
	"ulimit": true, "umask": true, "shopt": true, "trap": true, "unset": true, "then": true, "else": true, "fi": true, "done": true,
}
