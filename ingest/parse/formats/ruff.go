package formats

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ruffFormat reads ruff's full output and JSON. ruff's concise lines have the form of flake8. flake8Format reads these
// lines, and recognizes ruff by its words.
func ruffFormat() parse.Format {
	return parse.Format{
		Name:     "ruff",
		About:    "ruff: Python lint and format check, also JSON",
		Triggers: []string{"error: Failed to parse "},
		Starts:   append([]string{"Would reformat: ", "invalid-syntax: "}, ruffCodes...),
		Lines: parse.Lines{
			{Text: "Would reformat: {path}", Message: "would reformat", Code: "format"},
			{Text: "error: Failed to parse {place}: {message}", Category: store.CategoryCompile},
		},
		Match:    matchRuff,
		Document: &parse.Document{Sniff: sniffRuff, Read: readRuff},
	}
}

// ruffCodes are beginnings of the codes of ruff's rules.
var ruffCodes = strings.Fields(`F4 F5 F6 F7 F8 F9 E1 E2 E3 E4 E5 E7 E9 W1 W2 W3 W5 W6 UP0 B0 B9 I0 N8 D1 D2 D3 D4
	S1 S2 S3 S4 S5 S6 S7 C4 C9 A0 G0 G1 G2 Q0 T1 T2 AIR ANN ARG ASYNC BLE COM CPY DJ0 DOC DTZ EM1 ERA EXE FA1 FAST FBT FLY
	FURB FIX ICN INP INT ISC LOG NPY PD0 PD9 PERF PGH PIE PLC PLE PLR PLW PT0 PTH PYI RET RSE RUF SIM
	SLF SLOT TC0 TCH TD0 TID TRY YTT`)

// matchRuff reads the full output: "F401 [*] message", with the place below.
func matchRuff(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	code, message, ok := strings.Cut(text, " ")
	if !ok || message == "" || l.Indent() > 0 || !isLintCode(code) && code != "invalid-syntax:" {
		return false
	}
	ruffBlock(s, l, strings.TrimSuffix(code, ":"), message)
	return true
}

// ruffBlock reads the lines below "F401 [*] message": the place, the source and a hint.
func ruffBlock(s *parse.Scan, l parse.Line, code, message string) {
	var d *parse.Draft
	s.Block(func(next parse.Line) parse.Verdict {
		text := next.Trim()
		if d == nil {
			rest, ok := strings.CutPrefix(text, "--> ")
			p, _, found := parse.PlaceAt(rest)
			if !ok || !found {
				return parse.Done
			}
			d = s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column,
				Message: trimFixMark(message), Code: code, Category: store.CategoryLint, LogLine: l.N, LogLineEnd: next.N}})
			if code == "invalid-syntax" {
				d.Category = store.CategoryCompile
			}
			return parse.Take
		}
		if !isSourceFrame(next.Text) && !strings.HasPrefix(text, "help: ") {
			return parse.Done
		}
		d.Extend(next)
		return parse.Take
	})
}

// trimFixMark removes the mark of findings that ruff can fix.
func trimFixMark(message string) string {
	return strings.TrimPrefix(strings.TrimPrefix(message, "[*] "), "[-] ")
}

// isRuffMessage reports whether a message is ruff's and not flake8's. Both have the same codes. ruff marks findings
// that it can fix, quotes with backticks, and begins messages of pycodestyle and pyflakes with a capital letter.
func isRuffMessage(code, message string) bool {
	if strings.HasPrefix(message, "[*] ") || strings.HasPrefix(message, "[-] ") || strings.IndexByte(message, '`') >= 0 {
		return true
	}
	return (code[0] == 'E' || code[0] == 'W' || code[0] == 'F') && parse.IsDigit(code[1]) && 'A' <= message[0] &&
		message[0] <= 'Z' && code[:2] != "E9"
}

// isSourceFrame reports whether a line is part of a framed source excerpt: "  |", "1 | import os", "  = help: …".
func isSourceFrame(text string) bool {
	text = strings.TrimLeft(text, " 0123456789")
	return strings.HasPrefix(text, "|") || strings.HasPrefix(text, "= help: ") || strings.HasPrefix(text, "...")
}

// ruffDiagnostic is an object of --output-format json or json-lines.
type ruffDiagnostic struct {
	Code     *string `json:"code"`
	Filename string  `json:"filename"`
	Message  string  `json:"message"`
	Location *struct {
		Row    int `json:"row"`
		Column int `json:"column"`
	} `json:"location"`
	Row *int `json:"noqa_row"`
}

func sniffRuff(head []byte) bool {
	return bytes.Contains(head, []byte(`"filename"`)) && bytes.Contains(head, []byte(`"end_location"`)) &&
		bytes.Contains(head, []byte(`"row"`))
}

func readRuff(s *parse.Scan, t *parse.Text) error {
	var list []ruffDiagnostic
	if err := json.Unmarshal(t.Data, &list); err != nil {
		var one ruffDiagnostic
		if json.Unmarshal(t.Data, &one) != nil {
			return err
		}
		list = append(list, one)
	}
	at := 0
	for _, r := range list {
		e := store.Event{File: r.Filename, Message: r.Message, Category: store.CategoryLint, LogLine: t.Line(at)}
		if r.Code != nil {
			e.Code = *r.Code
		}
		if r.Location != nil {
			e.Line, e.Column = r.Location.Row, r.Location.Column
		}
		if i := bytes.Index(t.Data[at:], []byte(`"filename"`)); i >= 0 {
			e.LogLine = t.Line(at + i)
			at += i + 1
		}
		s.Add(parse.Draft{Event: e})
	}
	return nil
}

// ruffSource adds the source that ruff prints below a finding. It returns nil for flake8, which prints no such lines.
func ruffSource(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	if d.Tool != "ruff" {
		return nil
	}
	return func(l parse.Line) parse.Verdict {
		if !isSourceFrame(l.Text) {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
}
