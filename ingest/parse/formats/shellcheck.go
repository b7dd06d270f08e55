package formats

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// shellcheckFormat reads the formats tty and gcc of shellcheck.
var shellcheckFormat = parse.Format{
	Name:     "shellcheck",
	About:    "shellcheck: text for people (tty) and gcc's format",
	Triggers: []string{" [SC1", " [SC2", " [SC3"},
	Starts:   []string{"In "},
	Lines: parse.Lines{
		{Text: "{place}: {severity}: {message} [{code:SC####}]"},
	},
	Match: matchShellcheckTTY,
}

var shellcheckHead = parse.Lines{{Text: "In {path} line {line}:"}}

// matchShellcheckTTY reads findings of the form
//
//	In a.sh line 3:
//	echo $x
//	     ^-- SC2086 (info): Double quote to prevent globbing and word splitting.
func matchShellcheckTTY(s *parse.Scan, l parse.Line) bool {
	head, ok := shellcheckHead.Read(l.Text)
	if ok {
		s.Block(shellcheckTTY(s, head.File, head.Line))
	}
	return ok
}

func shellcheckTTY(s *parse.Scan, file string, line int) func(parse.Line) parse.Verdict {
	source := false // the source line was seen
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		i := strings.Index(text, "SC")
		switch {
		case strings.HasPrefix(text, "^") && i > 0:
			head, message, ok := strings.Cut(text[i:], ": ")
			code, level, _ := strings.Cut(head, " ")
			if ok && parse.AllDigits(code[2:]) {
				s.Add(parse.Draft{Event: store.Event{Severity: parse.SeverityOf(strings.Trim(level, "()"), store.SeverityInfo),
					File: file, Line: line, Column: l.Indent() + 1,
					Message: message, Code: code, Category: store.CategoryLint}})
			}
			return parse.Take
		case text == "" || source:
			return parse.Done
		}
		source = true
		return parse.Take
	}
}

// shellcheckJSONFormat reads the formats json and json1 of shellcheck.
var shellcheckJSONFormat = parse.Format{
	Name:  "shellcheck-json",
	About: "shellcheck: formats json and json1",
	Document: &parse.Document{
		Sniff: func(head []byte) bool {
			return bytes.Contains(head, []byte(`"endColumn"`)) && bytes.Contains(head, []byte(`"level"`)) &&
				bytes.Contains(head, []byte(`"fix"`))
		},
		Read: readShellcheckJSON,
	},
}

func readShellcheckJSON(s *parse.Scan, d *parse.Text) error {
	type comment struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Level   string `json:"level"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	var comments []comment
	if err := json.Unmarshal(d.Data, &comments); err != nil {
		var report struct{ Comments []comment }
		if err := json.Unmarshal(d.Data, &report); err != nil {
			return err
		}
		comments = report.Comments
	}
	at := 0
	for _, c := range comments {
		text, _ := json.Marshal(c.Message)
		if i := bytes.Index(d.Data[at:], text); i >= 0 {
			at += i
		}
		n := d.Line(at)
		s.Add(parse.Draft{Event: store.Event{Tool: "shellcheck", Severity: parse.SeverityOf(c.Level, store.SeverityInfo),
			File: c.File, Line: c.Line, Column: c.Column,
			Message: c.Message, Code: "SC" + strconv.Itoa(c.Code), Category: store.CategoryLint, LogLine: n, LogLineEnd: n}})
	}
	return nil
}
