package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// prettierFormat reads prettier --check and --list-different: files that are not formatted, and files that could not be
// read.
var prettierFormat = parse.Format{
	Name:     "prettier",
	About:    "Prettier: --check, --list-different, syntax errors",
	Triggers: []string{"[error] ", "prettier --list-different", "prettier -l ", "prettier\" -l "},
	Starts:   []string{"Checking formatting..."},
	Match:    matchPrettier,
}

func matchPrettier(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case text == "Checking formatting...":
		s.Block((&prettier{s: s, check: true}).line)
		return true
	case hasAnyPrefix(text, "$ ", "> ") && !strings.HasPrefix(text, "[error]"):
		s.Block((&prettier{s: s}).line)
		return false
	}
	return prettierError(s, text)
}

// prettier follows the list of files.
type prettier struct {
	s      *parse.Scan
	check  bool
	others int
	open   *parse.Draft // an error whose reason follows
	reason int          // number of lines of the reason
}

func (p *prettier) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	name, warned := strings.CutPrefix(text, "[warn] ")
	switch {
	case text == "":
		return parse.Take
	case strings.HasPrefix(text, "[error] "):
		p.error(l, text)
		return parse.Take
	case p.check && hasAnyPrefix(name, "Code style issues ", "All matched files use ", "Error occurred when "):
		return parse.Last
	case (warned || l.Indent() == 0) && isSourceName(name):
		p.s.Add(parse.Draft{Event: store.Event{Tool: "prettier", File: name, Message: "not formatted",
			Category: store.CategoryLint}})
		return parse.Take
	}
	if p.others++; !p.check || p.others > 50 {
		return parse.Done
	}
	return parse.Pass
}

// error reads an error, or a line below an error. The lines below it are its source excerpt, or the reason why a
// configuration is invalid: the name of the file, and then what is wrong in it.
func (p *prettier) error(l parse.Line, text string) {
	if p.open != nil {
		p.open.Extend(l)
		reason := strings.TrimPrefix(text, "[error] ")
		p.open.Message += " " + strings.TrimSuffix(reason, ":")
		p.open.At(brokenFile(reason), 0, 0)
		if p.reason++; p.reason == 2 || !strings.HasSuffix(reason, ":") {
			p.open = nil
		}
		return
	}
	if prettierError(p.s, text) && strings.HasSuffix(text, ":") {
		p.open, p.reason = p.s.Newest(), 0
	}
}

// isSourceName reports whether s consists of a relative file name with an extension.
func isSourceName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && len(s)-dot < 12 && !parse.IsAbs(s) && strings.IndexByte(s, ' ') < 0 &&
		strings.IndexByte(s, ':') < 0 && parse.IsFileName(s)
}

var prettierMessage = parse.Lines{
	{Text: "[error] {file}: {message} ({line}:{column})", Category: store.CategoryCompile},
	{Text: "[error] {file}: {message}", Category: store.CategoryCompile, If: namesErrorClass},
	{Text: "[error] «{:No files matching the pattern|No parser could be inferred for|Invalid configuration " +
		"|Couldn't resolve parser |Cannot find package |Cannot find module }{_}»", Category: store.CategoryBuild},
}

// namesErrorClass reports whether a message contains an error class, as in "SyntaxError: Unexpected token". A line of
// the source excerpt contains none.
func namesErrorClass(d *parse.Draft) bool { return strings.Contains(d.Message, "Error: ") }

// prettierError adds the error of a file that Prettier could not read.
func prettierError(s *parse.Scan, text string) bool {
	d, ok := prettierMessage.Read(text)
	if ok {
		d.Tool = "prettier"
		s.Add(d)
	}
	return ok
}
