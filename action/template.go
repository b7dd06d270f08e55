package action

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// hole is the text in a parsed template that stands for the script's file.
const hole = "{0}"

// errNoShell is the message of the error for an invalid shell. GitHub's runner has the same message.
const errNoShell = "Invalid shell option. Shell must be a valid built-in (bash, sh, cmd, powershell, pwsh) " +
	"or a format string containing '{0}'"

// shellFrom returns the shell of a template, which is a command with {0} in place of the script's file. As for
// GitHub's runner, the first word of the template is the program. The program determines the extension of the file,
// and the texts before and after the script. The error is Invalid if the template is not valid.
func shellFrom(template string) (shell, error) {
	program, arguments, _ := strings.Cut(template, " ")
	if !strings.Contains(arguments, hole) {
		return shell{}, store.Errorf(store.Invalid, "%s: %q", errNoShell, template)
	}
	words, err := argumentsOf(arguments)
	if err != nil {
		return shell{}, store.Errorf(store.Invalid, "shell %q: %w", template, err)
	}
	s := shells[program]
	return shell{extension: s.extension, before: s.before, after: s.after, words: append([]string{program}, words...),
		shared: true}, nil
}

// mark stands for {0} while a template is parsed. No command line contains this byte.
const mark = "\x00"

// argumentsOf returns the arguments of a template. {{ and }} stand for braces.
func argumentsOf(template string) ([]string, error) {
	var text strings.Builder
	for rest := template; rest != ""; {
		switch {
		case strings.HasPrefix(rest, hole):
			text.WriteString(mark)
			rest = rest[len(hole):]
			continue
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			rest = rest[1:]
		case rest[0] == '{', rest[0] == '}', rest[0] == 0:
			return nil, store.Errorf(
				store.Invalid, "input string was not in a correct format: only {0} may be in braces, and {{ }} are braces")
		}
		text.WriteByte(rest[0])
		rest = rest[1:]
	}
	if strings.Contains(text.String(), hole) { // {{0}} stands for the text {0}, and not for the script's file
		return nil, store.Errorf(store.Invalid, "%s", errNoShell)
	}
	words := splitArguments(text.String())
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, mark, hole)
	}
	return words, nil
}

// splitArguments splits a command line in the same way as GitHub's runner, which is a .NET program. Only double quotes,
// spaces and tabs are special. A backslash is special only before a double quote.
func splitArguments(line string) []string {
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	for i := 0; i < len(line); i++ {
		slashes := 0
		for i < len(line) && line[i] == '\\' {
			slashes, i = slashes+1, i+1
		}
		quote := i < len(line) && line[i] == '"'
		if slashes > 0 {
			inWord = true
			if quote {
				word.WriteString(strings.Repeat(`\`, slashes/2))
			} else {
				word.WriteString(strings.Repeat(`\`, slashes))
			}
		}
		switch {
		case i == len(line):
		case quote && slashes%2 == 1:
			word.WriteByte('"')
		case quote && quoted && i+1 < len(line) && line[i+1] == '"':
			word.WriteByte('"')
			i++
		case quote:
			quoted, inWord = !quoted, true
		case !quoted && (line[i] == ' ' || line[i] == '\t'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(line[i])
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
