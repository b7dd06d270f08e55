package step

import (
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/internal/shellword"
)

// scripting holds the names of shells. For a script of a shell, Script returns the commands of the script.
var scripting = []string{"bash", "sh", "dash", "zsh", "ksh", "ash", "pwsh", "powershell", "cmd"}

// Script returns a command line for Shape from a script and its interpreter. words are the interpreter and its
// arguments. For a shell, the result is the script, with a set command for the shell's options before it. For another
// interpreter, the result is the interpreter without arguments, with the script as its input. Without words, the result
// is the script.
func Script(words []string, script string) string {
	if len(words) == 0 {
		return script
	}
	program := strings.TrimSuffix(path.Base(strings.ReplaceAll(words[0], `\`, "/")), ".exe")
	if slices.Contains(scripting, program) {
		return optionsOf(words[1:]) + script
	}
	return shellword.Quote(program) + " <<'SCRIPT'\n" + script + "\nSCRIPT"
}

// optionsOf returns a set command with the options in a shell's command line, or "" without options. Options such as -e
// determine which failures make the script fail.
func optionsOf(words []string) string {
	var list []string
	for i, w := range words {
		if len(w) > 1 && w[0] == '-' && w[1] != '-' && w[1] != 'c' || i > 0 && words[i-1] == "-o" {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "set " + shellword.Join(list) + "\n"
}

// unshown are the commands and keywords of shells that do not show what a step does. Shown skips lines that begin with
// one of them.
var unshown = []string{
	"set", "cd", "export", "echo", "mkdir", "source", ".", "pushd", "popd", "ulimit", "umask", "shopt", "trap",
	"unset", "then", "else", "fi", "done",
}

// maxShown is the max number of visible characters of a script.
const maxShown = 300

// secretly matches a word that may precede a secret in a script, such as --token. Shown ends the text at such a word.
// GitHub's expressions may put a secret into a script. If that secret is not in the environment, its value is unknown.
var secretly = lazyregexp.New(`(?i)(pass|secret|token|key|auth|cred|bearer|header|login)`)

// Shown returns the first line of a script that shows what the script does. If there is none, it returns the first line
// of all. The result ends before a possible secret.
func Shown(script string) string {
	first := strings.TrimSpace(script)
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") && !slices.Contains(unshown, words[0]) {
			first = strings.TrimSpace(line)
			break
		}
	}
	first, _, _ = strings.Cut(first, "\n")
	words := strings.Fields(first)
	for i, w := range words {
		if i > 0 && i < len(words)-1 && secretly.MatchString(w) || strings.Contains(w, "=") && secretly.MatchString(w) {
			return shortened(strings.Join(words[:i], " ") + " …")
		}
	}
	return shortened(first)
}

// shortened returns at most maxShown characters of a text.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	return text
}
