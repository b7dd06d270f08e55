package formats

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pylintFormat reads pylint: "a.py:1:0: C0114: message (symbol)", the
// parseable and msvs forms, the wording of pylint 1, and JSON.
var pylintFormat = parse.Format{
	Name:     "pylint",
	About:    "pylint: Python lint, also JSON",
	Triggers: append(eachDigit(".py:", ""), ".py(", "Your code has been rated at"),
	Starts:   []string{"************* Module ", "C: ", "R: ", "W: ", "E: ", "F: "},
	New:      func() parse.Matcher { return (&pylint{}).match },
	Document: &parse.Document{Sniff: sniffPylint, Read: readPylint},
}

// pylint remembers the module whose messages follow.
type pylint struct {
	module string
	found  bool
}

func (p *pylint) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if module, ok := strings.CutPrefix(text, "************* Module "); ok {
		p.module = module
		return true
	}
	if strings.HasPrefix(text, "Your code has been rated at") {
		if p.found { // pylint fails on findings that are no errors, too
			s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: strings.TrimSpace(cutAt(text, '(')), Category: store.CategoryLint}})
		}
		*p = pylint{}
		return true
	}
	e, ok := p.old(text)
	if !ok {
		e, ok = pylintLine(text)
	}
	if ok {
		p.found = true
		s.Add(parse.Draft{Event: e})
	}
	return ok
}

// pylintLine reads a finding with a place.
func pylintLine(text string) (store.Event, bool) {
	p, rest, ok := pythonLintPlace(text)
	if !ok {
		return store.Event{}, false
	}
	code, message, ok := strings.Cut(rest, ": ")
	if inner, found := strings.CutPrefix(rest, "["); found { // [C0114(missing-module-docstring), f] message
		code, message, ok = strings.Cut(inner, "] ")
		code = cutAt(cutAt(code, ','), '(')
	}
	if !ok || len(code) != 5 || !isLintCode(code) || strings.IndexByte("CRWEFI", code[0]) < 0 {
		return store.Event{}, false
	}
	e := store.Event{Severity: pylintSeverity(code[0]), File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryLint}
	e.Message, e.Code = cutSymbol(message, code)
	return e, true
}

// old reads pylint 1's "C:  1, 0: message (symbol)", below the module's name.
func (p *pylint) old(text string) (e store.Event, ok bool) {
	if p.module == "" || len(text) < 3 || text[1] != ':' || strings.IndexByte("CRWEFI", text[0]) < 0 {
		return e, false
	}
	position, message, ok := strings.Cut(text[2:], ": ")
	line, column, ok2 := strings.Cut(strings.TrimSpace(position), ",")
	e = store.Event{Severity: pylintSeverity(text[0]), File: strings.ReplaceAll(p.module, ".", "/") + ".py", Category: store.CategoryLint}
	e.Line, _ = parse.Number(line)
	e.Column, _ = parse.Number(strings.TrimSpace(column))
	e.Message, e.Code = cutSymbol(message, "")
	return e, ok && ok2 && e.Line > 0
}

// cutSymbol splits "message (symbol)". The symbol is the code where there is
// no other.
func cutSymbol(message, code string) (text, symbol string) {
	if rest, ok := strings.CutSuffix(message, ")"); ok {
		if i := strings.LastIndex(rest, " ("); i > 0 && strings.Trim(rest[i+2:], "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
			if code == "" {
				code = rest[i+2:]
			}
			return rest[:i], code
		}
	}
	return message, code
}

func pylintSeverity(c byte) store.Severity {
	switch c {
	case 'E', 'F', 'e', 'f':
		return store.SeverityError
	case 'I', 'i':
		return store.SeverityInfo
	}
	return store.SeverityWarning
}

// pylintMessage is a finding in pylint's json and json2 output.
type pylintMessage struct {
	Type    string `json:"type"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Symbol  string `json:"symbol"`
	Message string `json:"message"`
	ID      string `json:"message-id"`
	ID2     string `json:"messageId"`
}

func sniffPylint(head []byte) bool {
	return bytes.Contains(head, []byte(`"symbol"`)) && (bytes.Contains(head, []byte(`"message-id"`)) || bytes.Contains(head, []byte(`"messageId"`)))
}

func readPylint(s *parse.Scan, t *parse.Text) error {
	var list []pylintMessage
	if err := json.Unmarshal(t.Data, &list); err != nil {
		var report struct {
			Messages []pylintMessage `json:"messages"`
		}
		if err := json.Unmarshal(t.Data, &report); err != nil {
			return err
		}
		list = report.Messages
	}
	at := 0
	for _, m := range list {
		if i := bytes.Index(t.Data[at:], []byte(`"symbol"`)); i >= 0 {
			at += i + 1
		}
		s.Add(parse.Draft{Event: store.Event{Severity: pylintSeverity((m.Type + " ")[0]), File: m.Path, Line: m.Line, Column: m.Column,
			Message: m.Message, Code: m.ID + m.ID2, Category: store.CategoryLint, LogLine: t.Line(at)}})
	}
	return nil
}
