// Package workflowcommand reads workflow commands of GitHub Actions, as the runner does. A workflow command is a line
// that a step prints to mask a value, to report an error, or to stop commands for a while. The package imports only the
// standard library.
package workflowcommand

import "strings"

// command is a workflow command.
type command struct {
	Name       string // as written; the runner ignores case
	Properties string // text after the name
	Data       string // still escaped
}

// parse returns the command in a line, and reports whether there is one. A command is ::NAME PROPERTIES::DATA after
// optional spaces, or the deprecated ##[NAME PROPERTIES]DATA anywhere in the line.
func parse(line string) (command, bool) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\v\f"), "::"); ok {
		if head, data, ok := strings.Cut(rest, "::"); ok {
			return newCommand(head, data)
		}
	}
	if _, rest, ok := strings.Cut(line, "##["); ok {
		if head, data, ok := strings.Cut(rest, "]"); ok {
			return newCommand(head, data)
		}
	}
	return command{}, false
}

func newCommand(head, data string) (command, bool) {
	name, properties, _ := strings.Cut(head, " ")
	if name == "" {
		return command{}, false
	}
	return command{name, strings.TrimSpace(properties), data}, true
}

// Gate tracks whether a step has stopped workflow commands. Between ::stop-commands::TOKEN and ::TOKEN::, the runner
// executes no commands. The zero Gate is for a step that has not stopped commands.
type Gate struct {
	token string // "" while commands are executed
}

// Stopped reports whether commands are stopped.
func (g *Gate) Stopped() bool { return g.token != "" }

// Reset opens the gate for a new step.
func (g *Gate) Reset() { g.token = "" }

// Line processes the next line of the step's output, without its line end. It reports whether the line stops or
// resumes commands.
func (g *Gate) Line(line string) bool {
	c, ok := parse(line)
	switch {
	case !ok:
		return false
	case g.Stopped():
		if !strings.EqualFold(c.Name, g.token) {
			return false
		}
		g.token = ""
		return true
	case !strings.EqualFold(c.Name, "stop-commands") || !mayStop(c.Data):
		return false
	}
	g.token = c.Data
	return true
}

// mayStop reports whether the runner accepts a token of stop-commands. The runner refuses an empty token, a token with
// blanks, and the name of a command.
func mayStop(token string) bool {
	return token != "" && !strings.ContainsAny(token, " \t") && !names[strings.ToLower(token)]
}

// names are the runner's commands.
var names = map[string]bool{
	"add-mask": true, "add-matcher": true, "add-path": true, "debug": true, "echo": true, "endgroup": true, "error": true,
	"group": true, "internal-set-repo-path": true, "notice": true, "pause-logging": true, "remove-matcher": true,
	"save-state": true, "set-env": true, "set-output": true, "stop-commands": true, "warning": true,
}
