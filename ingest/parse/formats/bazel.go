package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// bazelFormat reads Bazel. It does not read the messages of compilers, because other formats do. Bazel's message about
// a failed action only repeats these messages.
var bazelFormat = parse.Format{
	Name:  "bazel",
	About: "Bazel: BUILD files, failed actions and tests",
	Triggers: []string{
		" FAILED in ", " TIMEOUT in ", " FAILED TO BUILD", "FAILED: Build did NOT complete successfully",
		"ERROR: Build did NOT complete successfully",
	},
	Starts: []string{"ERROR: ", "FAIL: //", "TIMEOUT: //"},
	Match:  matchBazel,
}

func matchBazel(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	d := parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}}
	result, during := cutAny(text, "FAIL: ", "TIMEOUT: ")
	if during = during && strings.HasPrefix(result, "//"); during || hasAnyPrefix(text, "//", "@") {
		target, state, _ := strings.Cut(result, " ")
		state = strings.TrimSpace(state)
		if strings.HasPrefix(state, "FAILED TO BUILD") {
			return true
		}
		if !strings.Contains(target, ":") ||
			!during && !hasAnyPrefix(state, "FAILED in ", "TIMEOUT in ") {
			return false
		}
		d.Test, d.Message, d.Category, d.Key, d.Rank = target, state, store.CategoryTest, target, parse.Summary
		if during { // Bazel prints the output of the test below this line
			state, _, _ = strings.Cut(state, "(see ")
			d.Message, d.Rank = strings.TrimSpace(text[:strings.IndexByte(text, ':')]+" "+state), parse.Detail
		}
		s.Add(d)
		return true
	}
	if strings.Contains(text, "Build did NOT complete successfully") {
		d.Weight = parse.Repeat
		s.Add(d)
		return true
	}
	rest, ok := strings.CutPrefix(text, "ERROR: ")
	if !ok {
		return false
	}
	p, message, placed := parse.PlaceAt(rest)
	switch {
	case placed && isBazelFile(p.File):
		d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, message
		if strings.Contains(message, " failed: (Exit ") || strings.Contains(message, " failed (Exit ") ||
			strings.Contains(message, "error executing command") {
			d.Weight = parse.Repeat
		}
	case hasAnyPrefix(rest, "Analysis of target ", "no such package ", "no such target ", "error loading package ",
		"Error computing the main repository mapping", "An error occurred during the fetch of repository ", "Skipping '",
		"Couldn't start the build"):
		d.Message = rest
		if strings.HasPrefix(rest, "Analysis of target ") {
			d.Weight = parse.Repeat
		}
	default:
		return false
	}
	s.Add(d)
	return true
}

func isBazelFile(file string) bool {
	return hasAnySuffix(file, "BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", ".bzl")
}
