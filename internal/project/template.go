package project

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// Invocation is a command that is ready to run.
type Invocation struct {
	Args []string // program and arguments for the system
	Text string   // text for people; they can paste the text into a shell
}

// Plain returns the invocation of a program with arguments, without a shell.
func Plain(args []string) Invocation {
	return Invocation{Args: args, Text: shellword.Join(args)}
}

// Shell returns the invocation of a shell command. The shell gets the extra arguments as parameters, never as code.
func Shell(text string, extra []string) Invocation {
	return shell(text, nil, extra, text)
}

func shell(script string, values, extra []string, shown string) Invocation {
	for i := range extra {
		script += fmt.Sprintf(` "${%d}"`, len(values)+i+1)
		shown += " " + shellword.Quote(extra[i])
	}
	if runtime.GOOS == "windows" {
		return Invocation{Args: []string{"cmd", "/D", "/S", "/C", shown}, Text: shown}
	}
	args := append([]string{"sh", "-c", script, "sh"}, values...)
	return Invocation{Args: append(args, extra...), Text: shown}
}

// Invocation fills in a command. Each placeholder of a template becomes one argument, or a part of one argument, even
// if the value has blanks or quotes. A placeholder that is a whole word is left out if its value is empty. Errors:
// invalid when a placeholder has no value, or a value has no placeholder.
func (c *Command) Invocation(values map[string]string, extra []string) (Invocation, error) {
	if c.Tpl == "" {
		if len(values) > 0 {
			return Invocation{}, store.Next(store.Errorf(store.Invalid,
				"command %q is not a template: it takes no parameters",
				c.Name), store.NewCall("run", "", "command", c.Name, "extra", slices.Sorted(maps.Values(values))))
		}
		return Shell(c.Cmd, extra), nil
	}
	t := templateReader{command: c, values: values}
	if err := t.read(); err != nil {
		return Invocation{}, err
	}
	for name := range values {
		if !slices.Contains(t.names, name) {
			return Invocation{}, store.Next(store.Errorf(store.Invalid, "command %q has no parameter %q", c.Name, name),
				store.NewCall("run", "its parameters are "+strings.Join(t.names, ", "), "command", c.Name))
		}
	}
	return shell(t.script.String(), t.args, extra, t.shown.String()), nil
}

// templateReader turns a template into a shell script. Placeholders become positional parameters, so that the shell
// never runs a value as code.
type templateReader struct {
	command *Command
	values  map[string]string
	quote   byte   // the open quote, 0 for none
	outer   []byte // the open quotes around each open $(
	script  strings.Builder
	shown   strings.Builder
	args    []string
	names   []string
}

func (t *templateReader) read() error {
	tpl := t.command.Tpl
	for i := 0; i < len(tpl); {
		if name := placeholder(tpl[i:]); name != "" && (i == 0 || tpl[i-1] != '$') {
			if err := t.substitute(name); err != nil {
				return err
			}
			i += len(name) + 2
			continue
		}
		c := tpl[i]
		if strings.HasPrefix(tpl[i:], "{{") || strings.HasPrefix(tpl[i:], "}}") {
			i++ // {{ and }} stand for single braces
		}
		n := 1
		if c == '\\' && t.quote != '\'' && i+1 < len(tpl) {
			n = 2
		} else {
			t.see(c, i > 0 && tpl[i-1] == '$')
		}
		t.both(tpl[i : i+n])
		i += n
	}
	return nil
}

// see keeps track of quotes. Inside of $( ), quotes begin anew.
func (t *templateReader) see(c byte, afterDollar bool) {
	open := len(t.outer)
	switch {
	case c == '(' && t.quote != '\'' && (afterDollar || open > 0 && t.quote == 0):
		t.outer = append(t.outer, t.quote)
		t.quote = 0
	case c == ')' && t.quote == 0 && open > 0:
		t.quote, t.outer = t.outer[open-1], t.outer[:open-1]
	case t.quote == c:
		t.quote = 0
	case t.quote == 0 && (c == '\'' || c == '"'):
		t.quote = c
	}
}

func (t *templateReader) both(s string) {
	t.script.WriteString(s)
	t.shown.WriteString(s)
}

func (t *templateReader) substitute(name string) error {
	value, ok := t.values[name]
	if !ok {
		value, ok = t.command.Defaults[name]
	}
	if !ok {
		return store.Next(store.Errorf(store.Invalid, "command %q needs a value for %q", t.command.Name, name),
			store.NewCall("run", "", "command", t.command.Name, "args", map[string]string{name: "VALUE"}))
	}
	if !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
	t.args = append(t.args, value)
	n := len(t.args)
	switch t.quote {
	case '\'':
		fmt.Fprintf(&t.script, `'"${%d}"'`, n)
		t.shown.WriteString(value)
	case '"':
		fmt.Fprintf(&t.script, "${%d}", n)
		t.shown.WriteString(value)
	default:
		fmt.Fprintf(&t.script, `${%d:+"${%d}"}`, n, n)
		if value != "" {
			t.shown.WriteString(shellword.Quote(value))
		}
	}
	return nil
}

// placeholder returns the name of the {name} at the beginning of a text. It returns "" for other text.
func placeholder(s string) string {
	if len(s) < 3 || s[0] != '{' {
		return ""
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '}' && i > 1:
			return s[1:i]
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z', i > 1 && (c == '-' || c >= '0' && c <= '9'):
		default:
			return ""
		}
	}
	return ""
}

// IsTemplate reports whether a command has {placeholders}.
func IsTemplate(text string) bool {
	for i := range len(text) {
		if placeholder(text[i:]) != "" && (i == 0 || text[i-1] != '$' && text[i-1] != '{') {
			return true
		}
	}
	return false
}
