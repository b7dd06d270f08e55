package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rustcFormat reads the diagnostics of rustc and clippy.
var rustcFormat = parse.Format{
	Name:     "rustc",
	About:    "rustc and clippy, plain or as JSON",
	Triggers: []string{": error[E", ".rs:"},
	Starts:   []string{"error[", "error: ", "warning: ", "warning[", "Diff in "},
	New:      func() parse.Matcher { return (&rustc{lints: map[string]string{}}).match },
	Document: &parse.Document{Sniff: sniffRustc, Read: readRustc},
}

// rustc has the lint of each message, because the compiler names a lint only with the first finding of the lint.
type rustc struct{ lints map[string]string }

const maxLints = 200

// rustcSummaries are beginnings of messages that repeat the diagnostics before them.
var rustcSummaries = []string{"aborting due to ", "could not compile ", "Could not compile ", "build failed",
	"Compilation failed, aborting rustdoc", "could not document ", "Could not document "}

func (r *rustc) match(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "Diff in ") {
		return matchRustfmt(s, l)
	}
	severity, code, message, ok := rustcHeader(l.Text)
	if !ok {
		return matchShort(s, l)
	}
	if code == "" {
		for _, w := range rustcSummaries {
			if strings.HasPrefix(message, w) {
				return r.summary(s, severity, message)
			}
		}
		if severity == store.SeverityWarning &&
			(strings.HasPrefix(message, "`") && strings.Contains(message, " generated ") ||
				strings.HasSuffix(message, " emitted")) {
			return true
		}
	}
	b := &rustcBlock{lints: r, draft: parse.Draft{Event: store.Event{Severity: severity, Code: code, Message: message,
		Category: store.CategoryCompile, LogLine: l.N, Tool: "rustc"}, Dir: s.CargoRoot()}}
	if strings.HasPrefix(message, "linking with ") {
		b.draft.Category = store.CategoryLink
	}
	if ice, ok := strings.CutPrefix(message, "internal compiler error: "); ok {
		if p, rest, ok := parse.PlaceAt(ice); ok { // a place in the source of the compiler
			b.draft.Message = "internal compiler error: " + rest
			b.draft.File, b.draft.Line, b.draft.Column = p.File, p.Line, p.Column
		}
		b.added = s.Add(b.draft)
	}
	if code != "" && severity == store.SeverityError {
		b.added = s.Add(b.draft)
	}
	s.Block(func(l parse.Line) parse.Verdict { return b.line(s, l) })
	return b.added != nil
}

// matchShort reads --message-format short: "src/lib.rs:3:28: error[E0308]: mismatched types".
func matchShort(s *parse.Scan, l parse.Line) bool {
	p, rest, ok := parse.PlaceAt(l.Text)
	if !ok || p.Column == 0 || !strings.HasSuffix(p.File, ".rs") {
		return false
	}
	severity, code, message, ok := rustcHeader(rest)
	if ok {
		s.Add(parse.Draft{Dir: s.CargoRoot(), Event: store.Event{Severity: severity, Code: code, Message: message,
			Category: store.CategoryCompile, File: p.File, Line: p.Line, Column: p.Column, Tool: "rustc"}})
	}
	return ok
}

func (r *rustc) summary(s *parse.Scan, severity store.Severity, message string) bool {
	if severity == store.SeverityError {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: message, Category: store.CategoryCompile}})
	}
	return true
}

// rustcHeader reads "error[E0308]: message" and "warning: message".
func rustcHeader(text string) (severity store.Severity, code, message string, ok bool) {
	for _, w := range [...]string{"error", "warning"} {
		rest, found := strings.CutPrefix(text, w)
		if !found {
			continue
		}
		if strings.HasPrefix(rest, "[") {
			if code, rest, ok = strings.Cut(rest[1:], "]"); !ok || strings.ContainsAny(code, " \t") {
				return "", "", "", false
			}
		}
		message, ok = strings.CutPrefix(rest, ": ")
		return store.Severity(w), code, message, ok && message != ""
	}
	return "", "", "", false
}

// rustcBlock reads the lines of a diagnostic below its header.
type rustcBlock struct {
	lints *rustc
	draft parse.Draft
	added *parse.Draft
	label rustcLabel
	lines int
}

func (b *rustcBlock) line(s *parse.Scan, l parse.Line) parse.Verdict {
	b.lines++
	text := l.Trim()
	if strings.HasPrefix(text, "--> ") {
		p, _, ok := parse.PlaceAt(text[4:])
		switch {
		case b.added == nil && ok:
			b.draft.File, b.draft.Line, b.draft.Column = p.File, p.Line, p.Column
			if strings.HasSuffix(p.File, ".toml") {
				b.draft.Tool, b.draft.Category = "cargo", store.CategoryBuild
			}
			b.added = s.Add(b.draft)
			b.added.Code = b.lints.known(b.draft)
		case ok:
			b.added.At(p.File, p.Line, p.Column)
		}
	}
	if b.added == nil {
		return b.confirm(s, l, text)
	}
	nameRustcLike(b.added, text)
	if text == "" || isRustHeader(l.Text) || strings.HasPrefix(text, "Compiling ") ||
		strings.HasPrefix(text, "Checking ") {
		return parse.Done
	}
	b.added.Extend(l)
	b.withLabel(l.Text)
	b.note(text)
	return parse.Take
}

// confirm waits for the first line that only rustc prints, because other tools begin lines with "error: ", too.
func (b *rustcBlock) confirm(s *parse.Scan, l parse.Line, text string) parse.Verdict {
	switch {
	case l.Indent() > 0 && (text == "|" || strings.HasPrefix(text, "= note: ") || strings.HasPrefix(text, "= help: ")):
		b.added = s.Add(b.draft)
		b.added.Extend(l)
		b.note(text)
		return parse.Take
	case text == "" || b.lines > 8 || isRustHeader(l.Text):
		return parse.Done
	}
	if b.lines < 4 {
		b.draft.Message += "\n" + text
	}
	return parse.Pass
}

func isRustHeader(text string) bool {
	return strings.HasPrefix(text, "error: ") || strings.HasPrefix(text, "error[") || strings.HasPrefix(text, "warning: ")
}

// note finds the name of the lint in a line of a diagnostic. In an error of the linker, it finds the missing symbol or
// library.
func (b *rustcBlock) note(text string) {
	if b.added.Category == store.CategoryLink {
		if (strings.Contains(text, "undefined reference to ") || strings.Contains(text, "cannot find ") ||
			strings.Contains(text, "unable to find library ") || strings.Contains(text, "undefined symbol: ")) &&
			!strings.Contains(b.added.Message, "\n") && !strings.HasPrefix(text, "= note: some ") {
			b.added.Message += "\n" + strings.TrimPrefix(text, "= note: ")
		}
		return
	}
	if lint := lintOf(text); lint != "" {
		if b.added.Code == "" || strings.HasPrefix(lint, "clippy::") {
			b.added.Code = lint
		}
		b.lints.learn(b.draft, lint)
	}
	if strings.HasPrefix(b.added.Code, "clippy::") {
		b.added.Tool, b.added.Category = "clippy", store.CategoryLint
	}
}

// lintOf returns the lint that a note names, or "" if it names none. Examples of notes are "`#[warn(unused_variables)]`
// on by default", "requested on the command line with `-D clippy::foo`", and the link to clippy's page about a lint.
func lintOf(text string) string {
	if _, page, ok := strings.Cut(text, "rust-clippy/"); ok {
		if i := strings.LastIndexByte(page, '#'); i >= 0 {
			return "clippy::" + strings.TrimSpace(page[i+1:])
		}
	}
	if lint, _, ok := strings.Cut(text, "` implied by `"); ok && !strings.Contains(lint, "#[") {
		return strings.ReplaceAll(lint[strings.LastIndexByte(lint, ' ')+1:], "-", "_")
	}
	for _, open := range [...]string{"`#[warn(", "`#[deny(", "`#[forbid(", "requested on the command line with `-D ",
		"requested on the command line with `-W "} {
		if _, rest, ok := strings.Cut(text, open); ok && strings.Contains(text, "note: ") {
			if i := strings.IndexAny(rest, ")`"); i > 0 {
				return strings.ReplaceAll(rest[:i], "-", "_")
			}
		}
	}
	return ""
}

// lintShape returns the common part of all messages of a lint.
func lintShape(d parse.Draft) string {
	head, _, _ := strings.Cut(d.Message, "`")
	return string(d.Severity) + head
}

func (r *rustc) learn(d parse.Draft, lint string) {
	if len(r.lints) < maxLints && d.Code == "" && len(lintShape(d)) > 12 {
		r.lints[lintShape(d)] = lint
	}
}

func (r *rustc) known(d parse.Draft) string {
	if d.Code != "" {
		return d.Code
	}
	return r.lints[lintShape(d)]
}

// matchRustfmt reads a diff of rustfmt --check: "Diff in a.rs:3:", or "Diff in a.rs at line 3:" before 1.7.
func matchRustfmt(s *parse.Scan, l parse.Line) bool {
	text, ok := strings.CutSuffix(l.Text[8:], ":")
	if !ok {
		return false
	}
	text = strings.TrimPrefix(text, `\\?\`)
	file, line, ok := strings.Cut(text, " at line ")
	if !ok {
		i := strings.LastIndexByte(text, ':')
		if i < 0 {
			return false
		}
		file, line = text[:i], text[i+1:]
	}
	if !parse.AllDigits(line) || !strings.HasSuffix(file, ".rs") {
		return false
	}
	n, _ := parse.Number(line)
	d := s.Add(parse.Draft{Event: store.Event{File: file, Line: n, Message: "file is not formatted", Tool: "rustfmt",
		Category: store.CategoryLint}})
	s.Block(func(l parse.Line) parse.Verdict {
		if l.Text == "" || l.Text[0] != ' ' && l.Text[0] != '+' && l.Text[0] != '-' {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// rustcMessage is a diagnostic of --message-format=json and --error-format=json.
type rustcMessage struct {
	Message string
	Level   string
	Code    *struct{ Code string }
	Spans   []struct {
		File    string `json:"file_name"`
		Line    int    `json:"line_start"`
		Column  int    `json:"column_start"`
		Primary bool   `json:"is_primary"`
		Label   string
	}
	Children []struct{ Message, Level string }
}

func sniffRustc(head []byte) bool {
	text := string(head[:min(len(head), 400)])
	return strings.HasPrefix(text, `{"reason":"`) || strings.HasPrefix(text, `{"$message_type":"diagnostic"`) ||
		// Commands such as jq -c '{message}' print diagnostics in this form.
		strings.HasPrefix(text, `{"message":{"`) && strings.Contains(string(head), `"is_primary"`)
}

func readRustc(s *parse.Scan, d *parse.Text) error {
	var line struct {
		Reason string
		Nested json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(d.Data, &line); err != nil {
		return err
	}
	m := rustcMessage{}
	switch {
	case line.Reason == "compiler-message", line.Reason == "" && bytes.HasPrefix(line.Nested, []byte("{")):
		if err := json.Unmarshal(line.Nested, &m); err != nil {
			return err
		}
	case line.Reason != "":
		return nil // compiler-artifact, build-script-executed, build-finished
	default:
		if err := json.Unmarshal(d.Data, &m); err != nil {
			return err
		}
	}
	if m.Message == "" {
		return errors.New("no diagnostic")
	}
	addRustcMessage(s, m, d.Line(0))
	return nil
}

func addRustcMessage(s *parse.Scan, m rustcMessage, line int) {
	e := store.Event{Severity: store.SeverityError, Message: m.labelOf().into(m.Message), LogLine: line,
		Category: store.CategoryCompile, Tool: "rustc"}
	if m.Level == "warning" || m.Level == "warn" {
		e.Severity = store.SeverityWarning
	} else if !strings.HasPrefix(m.Level, "error") {
		return
	}
	if m.Code != nil {
		e.Code = m.Code.Code
	}
	if strings.HasPrefix(e.Code, "clippy::") {
		e.Tool, e.Category = "clippy", store.CategoryLint
	}
	for _, sp := range m.Spans {
		if sp.Primary {
			e.File, e.Line, e.Column = sp.File, sp.Line, sp.Column
			break
		}
	}
	weight := parse.Certain
	if len(m.Spans) == 0 {
		if e.Severity == store.SeverityWarning {
			return // "3 warnings emitted"
		}
		if strings.HasPrefix(m.Message, "aborting due to ") {
			weight = parse.Repeat
		}
	}
	s.Add(parse.Draft{Event: e, Weight: weight, Dir: s.CargoRoot()})
}
