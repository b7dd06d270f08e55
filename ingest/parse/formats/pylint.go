package formats

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pylintFormat reads pylint: "a.py:1:0: C0114: message (symbol)", the parseable and msvs forms, the form of pylint 1,
// and JSON.
func pylintFormat() parse.Format {
	return parse.Format{
		Name:     "pylint",
		About:    "pylint: Python lint, also JSON",
		Triggers: append(eachDigit(".py:", ""), ".py(", "Your code has been rated at"),
		Starts:   []string{"************* Module ", "C: ", "R: ", "W: ", "E: ", "F: "},
		New:      func() parse.Matcher { return (&pylint{}).match },
		Document: &parse.Document{Sniff: sniffPylint, Read: readPylint},
	}
}

// pylint keeps the module of the messages that follow.
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
		if p.found { // pylint also fails because of findings that are not errors
			s.Add(parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Message: strings.TrimSpace(cutAt(text, '(')), Category: store.CategoryLint}})
		}
		*p = pylint{}
		return true
	}
	d, ok := p.old(text)
	if !ok {
		d, ok = pylintLine.Read(text)
	}
	if ok {
		p.found = true
		s.Add(d)
	}
	return ok
}

const pylintCodes = "{code:C####|R####|W####|E####|F####|I####}"

var pylintLine = parse.Lines{
	{Text: "{place}: " + pylintCodes + ": {message}{? ({test})}", Then: gradePylint},
	// pylint prints this form with -f parseable.
	{Text: "{place}: [" + pylintCodes + "{?({_}}{?, {_}}] {message}{? ({test})}", If: namesRule, Then: gradePylint},
}

// gradePylint sets the severity by the code. It clears the test, because the name of the rule was read as a test.
func gradePylint(d *parse.Draft) { d.Severity, d.Test = pylintSeverity(d.Code[0]), "" }

// namesRule reports whether the text in brackets after a message is the name of a rule. Other text, such as "(0/2)", is
// part of the message.
func namesRule(d *parse.Draft) bool { return isPylintRule(d.Test) }

func isPylintRule(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// old reads pylint 1's "C:  1, 0: message (symbol)", which is below the name of the module.
func (p *pylint) old(text string) (d parse.Draft, ok bool) {
	if p.module == "" {
		return d, false
	}
	d, ok = pylintRow.Read(text)
	d.File = strings.ReplaceAll(p.module, ".", "/") + ".py"
	return d, ok
}

var pylintRow = parse.Lines{{
	Text: "{severity:E=error|F=error|I=info|*=warning}:{ }{line},{ }{column}: {message}{? ({code})}",
}}

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
	return bytes.Contains(head, []byte(`"symbol"`)) &&
		(bytes.Contains(head, []byte(`"message-id"`)) || bytes.Contains(head, []byte(`"messageId"`)))
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
		s.Add(parse.Draft{Event: store.Event{Severity: pylintSeverity((m.Type + " ")[0]), File: m.Path, Line: m.Line,
			Column:  m.Column,
			Message: m.Message, Code: m.ID + m.ID2, Category: store.CategoryLint, LogLine: t.Line(at)}})
	}
	return nil
}
