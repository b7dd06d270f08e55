package formats

import (
	"encoding/xml"
	"errors"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lintXMLFormat reads XML reports of Java linters.
var lintXMLFormat = parse.Format{
	Name:  "lint-xml",
	About: "XML reports of SpotBugs, FindBugs, PMD and Android Lint",
	Document: &parse.Document{
		Roots: []string{"<BugCollection", "<pmd "},
		Sniff: func(head []byte) bool {
			return hasAll(head, "<BugCollection") || hasAll(head, "<pmd ") || hasAll(head, "<issues ", "lint")
		},
		Read: readLintXML,
	},
}

func readLintXML(s *parse.Scan, text *parse.Text) error {
	r := &lintXML{}
	err := readXML(text.Data, func(dec *xml.Decoder, tok xml.Token, offset int) error {
		switch el := tok.(type) {
		case xml.StartElement:
			r.depth++
			return r.start(dec, el, text.Line(offset))
		case xml.EndElement:
			r.depth--
			if name := el.Name.Local; r.d != nil && (name == "BugInstance" || name == "issue") {
				r.drafts = append(r.drafts, *r.d)
				r.d = nil
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.tool == "" {
		return errors.New("no report of a linter")
	}
	for _, d := range r.drafts {
		d.Tool, d.Category = r.tool, store.CategoryLint
		s.Add(d)
	}
	return nil
}

// lintXML is the report that is being read.
type lintXML struct {
	tool   string
	file   string       // file of PMD's file element
	d      *parse.Draft // the open finding
	depth  int          // number of open elements
	level  int          // depth of the open finding
	placed bool         // the finding has its own line
	drafts []parse.Draft
}

func (r *lintXML) start(dec *xml.Decoder, el xml.StartElement, line int) error {
	switch el.Name.Local {
	case "BugCollection":
		r.tool = "spotbugs"
	case "pmd":
		r.tool = "pmd"
	case "issues":
		r.tool = "android"
	case "file":
		r.file = xmlAttr(el, "name")
	case "violation":
		body, err := xmlText(dec)
		if err != nil {
			return err
		}
		r.depth--
		d := parse.Draft{Event: store.Event{File: r.file, Message: strings.TrimSpace(body), Code: xmlAttr(el, "rule"),
			Severity: pmdPriority(xmlAttr(el, "priority")), LogLine: line}}
		d.Line, _ = parse.Number(xmlAttr(el, "beginline"))
		d.Column, _ = parse.Number(xmlAttr(el, "begincolumn"))
		r.drafts = append(r.drafts, d)
	case "error": // PMD: a file that could not be read
		if r.tool == "pmd" {
			r.drafts = append(r.drafts,
				parse.Draft{Event: store.Event{File: xmlAttr(el, "filename"), Message: xmlAttr(el, "msg"), LogLine: line}})
		}
	case "BugInstance":
		r.level, r.placed = r.depth, false
		r.d = &parse.Draft{Event: store.Event{Code: xmlAttr(el, "type"), Message: xmlAttr(el, "type"),
			Severity: store.SeverityWarning, LogLine: line}}
		if xmlAttr(el, "priority") == "1" {
			r.d.Severity = store.SeverityError
		}
	case "issue":
		r.d = &parse.Draft{Event: store.Event{Code: xmlAttr(el, "id"), Message: xmlAttr(el, "message"),
			Severity: lintSeverities[strings.ToLower(xmlAttr(el, "severity"))], LogLine: line}}
	case "location":
		if r.d != nil {
			n, _ := parse.Number(xmlAttr(el, "line"))
			column, _ := parse.Number(xmlAttr(el, "column"))
			r.d.At(xmlAttr(el, "file"), n, column)
		}
	case "ShortMessage", "LongMessage":
		body, err := xmlText(dec)
		if err != nil {
			return err
		}
		if r.depth--; r.d != nil {
			r.d.Message = strings.TrimSpace(body) // the long message comes last
		}
	case "SourceLine":
		if r.d != nil {
			r.sourceLine(el)
		}
	}
	return nil
}

// sourceLine reads the element SourceLine. The place of a finding is the start of the finding's first own SourceLine.
// If the finding has none, the place is the start of its method or class. In the report, the elements of the class and
// the method come before the finding's own.
func (r *lintXML) sourceLine(el xml.StartElement) {
	own := r.depth == r.level+1
	if file := xmlAttr(el, "sourcepath"); file != "" && !r.placed {
		r.d.File = file
		r.d.Line, _ = parse.Number(xmlAttr(el, "start"))
		r.placed = own
	}
}

// pmdPriority maps PMD's priorities: 1 and 2 are errors.
func pmdPriority(priority string) store.Severity {
	switch priority {
	case "1", "2":
		return store.SeverityError
	case "5":
		return store.SeverityInfo
	}
	return store.SeverityWarning
}
