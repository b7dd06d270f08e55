package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// refusesArguments reports whether a program refuses its arguments: "cp: unrecognized option '-x'",
// "unknown flag: --x", "Unknown command: x", "chmod: missing operand after 'a'", "curl: option --x: is unknown".
func refusesArguments(text string) bool {
	if refuses(text) || hasAnySuffix(text, " option does not exist.", ": unknown command") {
		return true
	}
	program, rest, ok := strings.Cut(text, ": ")
	if !ok || strings.ContainsAny(program, " :") || strings.HasSuffix(strings.ToLower(program), "warning") {
		return false
	}
	rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), "error: ")
	return refuses(rest) || operand.In(rest) || hasAnySuffix(rest, ": is unknown", ": unknown option", ": unknown command")
}

// refuses reports whether a text begins like "unrecognized option" or "Unknown command".
func refuses(text string) bool {
	kind, rest, ok := strings.Cut(text, " ")
	if !ok || len(kind) > len("unrecognized") {
		return false
	}
	switch strings.ToLower(kind) {
	case "unrecognized", "unrecognised", "unknown", "invalid", "illegal", "bad", "unsupported", "unexpected":
	default:
		return false
	}
	rest = strings.TrimPrefix(rest, "command line ")
	rest = strings.TrimPrefix(rest, "command-line ")
	return hasAnyPrefix(rest, "option", "command", "subcommand", "flag", "argument", "additional argument",
		"switch", "parameter")
}

// operand are words of programs that miss an argument or have one too many.
var operand = parse.NewWordSet("missing operand", "missing destination file operand", "extra operand ",
	"requires an argument", "you must specify ", "too many arguments", "too few arguments", "not enough arguments")
