package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ocamlFormat reads the OCaml compilers, with or without dune, and opam.
var ocamlFormat = parse.Format{
	Name:     "ocaml",
	About:    "OCaml: compilers, dune, opam, uncaught exceptions",
	Triggers: []string{"Fatal error: exception "},
	Starts: []string{
		`File "`, `# File "`, "(cd _build/", "[ERROR] The compilation of ", "[ERROR] The installation of ",
		"[ERROR] Package conflict", "[ERROR] No package named ", "#=== ERROR while ",
	},
	Match: matchOCaml,
}

func matchOCaml(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if message, ok := strings.CutPrefix(text, "[ERROR] "); ok {
		w := parse.Certain
		if strings.HasPrefix(message, "The ") {
			w = parse.Repeat
		}
		s.Add(parse.Draft{Weight: w, Event: store.Event{Message: message, Tool: "opam", Category: store.CategoryBuild}})
		return true
	}
	if message, ok := strings.CutPrefix(text, "#=== ERROR while "); ok {
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimRight("ERROR while "+message, " =#"), Tool: "opam",
				Category: store.CategoryBuild}})
		return true
	}
	if i := strings.Index(text, "Fatal error: exception "); i >= 0 {
		s.Add(parse.Draft{Weight: parse.Likely,
			Event: store.Event{Message: text[i+len("Fatal error: "):], Category: store.CategoryRuntime}})
		return true
	}
	if strings.HasPrefix(text, "(cd _build/") { // dune prints its command below a line such as "   run out (exit 1)"
		if rule := before(s); strings.HasSuffix(rule, ")") && containsAny(rule, []string{" (exit ", " (got signal "}) {
			s.Add(parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Tool: "dune", Message: rule + "\n" + text, Category: store.CategoryBuild,
					LogLine: l.N - 1, LogLineEnd: l.N}})
			return true
		}
	}
	prefix := ""
	if strings.HasPrefix(text, "# ") { // opam shows the output of a build with "# "
		prefix, text = "# ", text[2:]
	}
	head, ok := ocamlPlace.Read(text)
	if ok {
		head.LogLine, head.Category = l.N, store.CategoryCompile
		s.Block((&ocamlBlock{s: s, head: head, prefix: prefix}).line)
	}
	return ok
}

var ocamlPlace = parse.Lines{
	{Text: `File "{path}", {:lines|line} {line}{?-{#}}, characters {column}{?-{#}}:`, If: countFromOne},
	{Text: `File "{path}", {:lines|line} {line}{?-{#}}:`, If: isNoLog},
}

// countFromOne adds one to the column of a finding, because OCaml counts columns from 0. It returns false if the file
// is a log.
func countFromOne(d *parse.Draft) bool {
	d.Column++
	return isNoLog(d)
}

func isNoLog(d *parse.Draft) bool { return !strings.HasSuffix(d.File, ".log") }

// ocamlBlock reads the source and the message below a place.
type ocamlBlock struct {
	s      *parse.Scan
	head   parse.Draft
	prefix string
	d      *parse.Draft
	lines  int
}

func (b *ocamlBlock) line(l parse.Line) parse.Verdict {
	text, ok := strings.CutPrefix(l.Text, b.prefix)
	b.lines++
	if !ok || b.lines > 60 {
		return parse.Done
	}
	if b.d != nil {
		if !strings.HasPrefix(text, " ") || strings.HasPrefix(text, " Hint:") {
			return parse.Done
		}
		b.d.Extend(l)
		if strings.Count(b.d.Message, "\n") < 4 {
			b.d.Message += "\n" + strings.TrimSpace(text)
		}
		return parse.Take
	}
	severity, code, message, ok := ocamlHead(text)
	if !ok {
		if text == "" || !isGutter(text) && !parse.IsCaret(text) && !parse.IsDigit(text[0]) && text[0] != ' ' &&
			text[0] != '.' {
			return parse.Done
		}
		return parse.Take
	}
	b.head.Severity, b.head.Code, b.head.Message, b.head.LogLineEnd = severity, code, message, l.N
	b.d = b.s.Add(b.head)
	return parse.Take
}

// ocamlHead reads "Error: message", "Error (warning 27 [unused-var]): message", "Warning 27 [unused-var]: message"
// and "Alert deprecated: message".
func ocamlHead(text string) (severity store.Severity, code, message string, ok bool) {
	head, message, ok := strings.Cut(text, ":")
	message = strings.TrimSpace(message)
	switch word, rest, _ := strings.Cut(head, " "); {
	case !ok:
	case word == "Error":
		return store.SeverityError, ocamlCode(strings.TrimPrefix(strings.Trim(rest, "()"), "warning ")), message, true
	case word == "Warning" || word == "Alert":
		return store.SeverityWarning, ocamlCode(rest), message, true
	}
	return "", "", "", false
}

// ocamlCode returns the name of a warning, or its number if it has no name: "27 [unused-var]".
func ocamlCode(code string) string {
	if _, name, ok := strings.Cut(code, "["); ok {
		return strings.TrimSuffix(name, "]")
	}
	return code
}
