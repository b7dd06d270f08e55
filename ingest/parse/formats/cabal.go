package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cabalFormat reads the messages of cabal-install and stack themselves. The compiler's messages have a format of their
// own.
var cabalFormat = parse.Format{
	Name:  "cabal",
	About: "cabal-install and stack: dependencies, failed packages and test suites",
	Triggers: []string{
		"Could not resolve dependencies", "Failed to build ", "Process exited with code: ExitFailure ",
		"--  While building ", "exited with: ExitFailure ",
		"Errors encountered when parsing cabal file", "dieVerbatim: user error (cabal: ", "Test suite failure for package ",
		"> setup: ", "Cabal-simple_",
	},
	Starts: []string{"cabal: ", "Error: cabal: ", "Error: [Cabal-", "Error: [S-", "Test suite ", "setup: ", "Setup: ",
		"Failed to install "},
	Match: matchCabal,
}

func matchCabal(s *parse.Scan, l parse.Line) bool {
	_, text := cutStackPackage(l.Text)
	text = strings.TrimSpace(text)
	d := parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}}
	switch rest, prefixed := cutAny(text, "Error: [Cabal-", "Error: [S-"); {
	case prefixed:
		code, message, _ := strings.Cut(rest, "]")
		d.Code, d.Message = text[len("Error: ["):len(text)-len(rest)]+code, strings.TrimSpace(message)
		if strings.HasPrefix(text, "Error: [S-") {
			d.Tool = "stack"
		}
		d.Weight = cabalWeight(d.Message)
	case text == "Could not resolve dependencies":
		return false // Leiningen's last line
	case isCabalPlan(text):
		d.Message = "Could not resolve dependencies"
	case strings.HasPrefix(text, "Cabal-simple_"): // the compiled Setup.hs of a package, under stack
		_, message, ok := strings.Cut(text, ": ")
		if !ok || strings.ContainsAny(text[:len(text)-len(message)-2], " /") {
			return false
		}
		d.Message, d.Weight = message, parse.Likely
	case strings.HasPrefix(text, "Test suite "):
		if !strings.HasSuffix(text, ": FAIL") {
			return false
		}
		d.Weight = parse.Repeat
	case strings.Contains(text, "ExitFailure "), strings.HasPrefix(text, "--  While building "),
		strings.HasPrefix(text, "Test suite failure "), strings.Contains(text, "Failed to build "):
		if strings.Contains(text, "Failed to build ") && !hasAnyPrefix(text, "cabal", "Error: cabal") &&
			!isCabalPackage(strings.TrimPrefix(text, "Failed to build ")) {
			return false
		}
		d.Weight = parse.Repeat
	case strings.HasPrefix(text, "Failed to install ") && isCabalPackage(text[len("Failed to install "):]):
		d.Weight, d.Rank = parse.Repeat, parse.Mark
	case strings.HasPrefix(text, "Errors encountered when parsing cabal file"):
		d.Weight = parse.Repeat
	default:
		d.Weight = parse.Likely
		message, ok := cutAny(text, "Error: cabal: ", "cabal: ", "setup: ", "Setup: ", "dieVerbatim: user error (cabal: ")
		if !ok && !strings.Contains(text, "dieVerbatim: ") {
			return false
		}
		d.Message = message
		if cabalWeight(message) == parse.Repeat {
			d.Weight = parse.Repeat
		}
	}
	extendCabal(s, s.Add(d))
	return true
}

// extendCabal adds the lines below an error to the error, such as the reasons why there is no plan.
func extendCabal(s *parse.Scan, added *parse.Draft) {
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		_, text := cutStackPackage(l.Text)
		text = strings.TrimSpace(text)
		if lines++; text == "" && added.Message != "" || lines > 12 {
			return parse.Done
		}
		switch {
		case added.Message == "" && text != "":
			added.Message, added.Weight = text, cabalWeight(text)
		case strings.Contains(text, "rejecting: ") ||
			strings.HasPrefix(text, "[__") && strings.Contains(text, "unknown package: "):
			added.Message += "\n" + text
		case !strings.HasPrefix(l.Text, " ") && !strings.HasPrefix(text, "["):
			return parse.Done
		}
		added.Extend(l)
		return parse.Take
	})
}

// isCabalPlan reports whether text is cabal's message that it could not resolve dependencies. Maven's message has the
// same words, but goes on with " for project ".
func isCabalPlan(text string) bool {
	_, after, ok := strings.Cut(text, "Could not resolve dependencies")
	return ok && !strings.HasPrefix(after, " for project ")
}

// isCabalPackage reports whether text begins with a package and its version: "pk-0.1.2 because it depends on …". The
// version tells cabal's message "Failed to build …" from pip's, which has only the name.
func isCabalPackage(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	i := strings.LastIndexByte(strings.TrimSuffix(name, "-inplace"), '-')
	return i > 0 && i+1 < len(name) && parse.IsDigit(name[i+1])
}

// cabalWeight returns Repeat for a message that only repeats a compiler's or a test's message.
func cabalWeight(message string) parse.Weight {
	if hasAnyPrefix(message, "Failed to build ", "Some packages failed", "Error: While building", "While building ",
		"Test suite failure", "Tests failed for ", "Error: some packages failed to install",
		"Stack failed to execute the build plan") {
		return parse.Repeat
	}
	return parse.Certain
}
