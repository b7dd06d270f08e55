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
	Starts: []string{"ERROR: ", "FAIL: //"},
	Match:  matchBazel,
}

func matchBazel(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	d := parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}}
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "@") || strings.HasPrefix(text, "FAIL: //") {
		target, state, _ := strings.Cut(strings.TrimPrefix(text, "FAIL: "), " ")
		state = strings.TrimSpace(state)
		if strings.HasPrefix(state, "FAILED TO BUILD") {
			return true
		}
		if !strings.Contains(target, ":") ||
			!strings.HasPrefix(text, "FAIL: ") && !hasAnyPrefix(state, "FAILED in ", "TIMEOUT in ") {
			return false
		}
		d.Test, d.Message, d.Category, d.Key = target, state, store.CategoryTest, target
		if strings.HasPrefix(text, "FAIL: ") {
			d.Message, d.Rank = "failed "+state, parse.Mark
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
