package mcp

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/shellword"
)

// verbs are the commands of blq that are tools, with the parameter that their
// first argument is.
var verbs = map[string]struct{ tool, first string }{
	"exec":    {"exec", "command"},
	"events":  {"events", "ref"},
	"errors":  {"events", "ref"},
	"inspect": {"inspect", "ref"},
	"output":  {"output", "ref"},
	"info":    {"info", "ref"},
	"triage":  {"triage", "ref"},
	"diff":    {"diff", "run2"},
	"query":   {"query", "sql"},
	"status":  {"status", ""},
	"history": {"history", "source"},
	"clean":   {"clean", "mode"},
	"report":  {"summarize", "ref"},
}

// longestCall is how many bytes of a call are worth showing.
const longestCall = 1000

// nextStep turns a hint that is a command line of blq into the call of a tool;
// others are for a shell, and stay. One for which no tool is offered leaves its
// explanation.
func (s *Server) nextStep(hint string) string {
	line, why, _ := strings.Cut(hint, "   # ")
	call := line
	if rest, ok := strings.CutPrefix(line, "blq "); ok {
		call = s.asCall(rest)
	}
	if len(call) > longestCall {
		call = "" // nobody reads it
	}
	switch {
	case call == "":
		return why
	case why == "":
		return call
	}
	return call + "   # " + why
}

// asCall returns the call that a command line without its "blq" stands for.
func (s *Server) asCall(line string) string {
	if rest, ok := strings.CutPrefix(line, "run -- "); ok {
		return s.callOf("exec", []string{pair("command", rest)})
	}
	words, ok := shellword.Split(line)
	if !ok {
		return ""
	}
	switch words[0] {
	case "commands":
		return s.registryCall(words[1:])
	case "run":
		return s.runCall(words[1:])
	}
	verb, ok := verbs[words[0]]
	if !ok {
		return ""
	}
	plain, flags := flagsOf(words[1:])
	names := []string{verb.first}
	if words[0] == "diff" && len(plain) == 2 {
		names = []string{"run1", "run2"}
	}
	var args []string
	for i, word := range plain[:min(len(plain), len(names))] {
		args = append(args, pair(cmp.Or(names[i], "ref"), word))
	}
	return s.callOf(verb.tool, append(args, flags...))
}

// flagsOf returns the words of a command line that are no flags, and the
// others as arguments of a call.
func flagsOf(words []string) (plain, flags []string) {
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		name = strings.ReplaceAll(name, "-", "_")
		switch {
		case !isFlag:
			plain = append(plain, words[i])
		case i+1 < len(words) && !strings.HasPrefix(words[i+1], "--"):
			i++
			flags = append(flags, pair(name, words[i]))
		case name == "yes":
			flags = append(flags, "confirm=true")
		default:
			flags = append(flags, name+"=true")
		}
	}
	return plain, flags
}

// runCall returns the call for NAME [PARAM=VALUE]... [-- ARG...].
func (s *Server) runCall(words []string) string {
	if len(words) == 0 {
		return ""
	}
	var values, extra []string
	for i, w := range words[1:] {
		if w == "--" {
			for _, x := range words[i+2:] {
				extra = append(extra, strconv.Quote(x))
			}
			break
		}
		key, value, _ := strings.Cut(w, "=")
		values = append(values, fmt.Sprintf("%q: %q", key, value))
	}
	args := []string{fmt.Sprintf("command=%q", words[0])}
	if len(values) > 0 {
		args = append(args, "args={"+strings.Join(values, ", ")+"}")
	}
	if len(extra) > 0 {
		args = append(args, "extra=["+strings.Join(extra, ", ")+"]")
	}
	return s.callOf("run", args)
}

func (s *Server) registryCall(words []string) string {
	switch {
	case len(words) == 0 || words[0] == "list":
		return s.callOf("commands", nil)
	case words[0] == "register" && len(words) > 2:
		args := []string{pair("name", words[len(words)-2]), pair("cmd", words[len(words)-1])}
		if words[1] == "--force" {
			args = append(args, "force=true")
		}
		return s.callOf("register_command", args)
	case words[0] == "unregister" && len(words) == 2:
		return s.callOf("unregister_command", []string{pair("name", words[1])})
	}
	return ""
}

func (s *Server) callOf(tool string, args []string) string {
	if !s.has(tool) {
		return ""
	}
	return tool + "(" + strings.Join(args, ", ") + ")"
}

func pair(name, value string) string {
	if n, err := strconv.Atoi(value); err == nil && strconv.Itoa(n) == value {
		return name + "=" + value
	}
	return fmt.Sprintf("%s=%q", name, value)
}
