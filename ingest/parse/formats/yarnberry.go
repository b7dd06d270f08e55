package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// yarnErrors are the numbers in the codes of errors in Yarn 2 and later: YN0028 is an error.
var yarnErrors = numberSet(1, 9, 10, 11, 12, 14, 15, 16, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 33, 35, 36, 37,
	38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 49, 51, 52, 54, 55, 56, 58, 64, 66, 67, 75, 78, 79, 80, 81, 82, 83, 84)

// numberSet returns a set of small numbers.
func numberSet(numbers ...int) (set [100]bool) {
	for _, n := range numbers {
		set[n] = true
	}
	return set
}

// matchYarnBerry reads Yarn 2 and later. On GitHub, Yarn prints the lines of a group once more below the group.
func matchYarnBerry(s *parse.Scan, l parse.Line, text string) bool {
	d := parse.Draft{Event: store.Event{Tool: "yarn", Category: store.CategoryBuild}}
	if rest, ok := cutAny(text, "Internal Error: ", "Usage Error: "); ok {
		d.Tool, d.Message, d.Weight = "unknown", rest, parse.Guess // Corepack and others print such words, too
		s.BlockElse(parse.Below{Is: parse.IsFrame}.Block(s.Add(d)))
		return true
	}
	if strings.HasPrefix(text, "➤ Errors prefixed by ") {
		s.Block(yarnConstraints(s))
		return true
	}
	code, message, ok := strings.Cut(strings.TrimPrefix(text, "➤ "), ": ")
	d.Message = strings.TrimLeft(message, "│├└· ")
	n, digits := parse.Number(strings.TrimPrefix(code, "YN"))
	switch {
	case !ok || digits != 4 || n >= len(yarnErrors):
		return false
	case n == 0 && strings.HasPrefix(d.Message, "Failed with errors"):
		d.Weight = parse.Repeat
	case !yarnErrors[n] || d.Message == "",
		n == 28 && hasAnyPrefix(d.Message, "+", "-", "@"): // the diff of the lockfile has the same mark
		return true
	case strings.HasPrefix(strings.TrimLeft(message, "│├└"), "  ") && moreOfYarn(s, l, code, d.Message):
		return true
	default:
		d.Code, d.Key = code, code+d.Message
		if s.Reported(d.Tool, d.Key) != nil {
			return true
		}
	}
	s.Add(d)
	return true
}

// moreOfYarn adds an indented line to the error above it: "Response Code: 404 (Not Found)".
func moreOfYarn(s *parse.Scan, l parse.Line, code, text string) bool {
	d := s.Newest()
	if d == nil || d.Code != code || d.LogLineEnd != l.N-1 {
		return false
	}
	d.Message += "\n" + text
	d.Extend(l)
	return true
}

// yarnConstraints reads the output of the command "yarn constraints": a tree with workspaces, and below each workspace
// its errors.
func yarnConstraints(s *parse.Scan) func(parse.Line) parse.Verdict {
	workspace := ""
	return parse.Rows(func(l parse.Line) bool {
		name := strings.TrimLeft(l.Text, "│ ")
		text, ok := cutAny(name, "├─ ", "└─ ")
		if !ok {
			return false
		}
		if name == l.Text {
			workspace = text
			return true
		}
		s.Add(parse.Draft{Event: store.Event{Tool: "yarn", Message: workspace + ": " + strings.TrimPrefix(text, "⚙ "),
			Category: store.CategoryLint, LogLine: l.N, LogLineEnd: l.N}})
		return true
	})
}
