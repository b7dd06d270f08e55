package formats

import (
	"encoding/xml"
	"errors"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// checkstyleXMLFormat reads reports in the XML format of Checkstyle. Many linters can write this format.
var checkstyleXMLFormat = parse.Format{
	Name:  "checkstyle-xml",
	About: "Checkstyle XML reports of any linter",
	Document: &parse.Document{
		Roots: []string{"<checkstyle"},
		Read:  readCheckstyleXML,
	},
}

func readCheckstyleXML(s *parse.Scan, text *parse.Text) error {
	var drafts []parse.Draft
	file, root := "", false
	err := readXML(text.Data, func(_ *xml.Decoder, tok xml.Token, offset int) error {
		el, ok := tok.(xml.StartElement)
		if !ok {
			return nil
		}
		switch el.Name.Local {
		case "checkstyle":
			root = true
		case "file":
			file = xmlAttr(el, "name")
		case "error":
			d := checkstyleDraft(file, el)
			d.LogLine = text.Line(offset)
			if d.Severity != "" {
				drafts = append(drafts, d)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !root {
		return errors.New("not a Checkstyle report")
	}
	for _, d := range drafts {
		s.Add(d)
	}
	return nil
}

// checkstyleDraft returns the draft for an error element. The draft has no severity if the finding is to be ignored.
func checkstyleDraft(file string, el xml.StartElement) parse.Draft {
	e := store.Event{File: file, Message: xmlAttr(el, "message"), Category: store.CategoryLint}
	e.Line, _ = parse.Number(xmlAttr(el, "line"))
	e.Column, _ = parse.Number(xmlAttr(el, "column"))
	if word := xmlAttr(el, "severity"); word != "ignore" {
		e.Severity = parse.SeverityOf(word, store.SeverityError)
	}
	e.Tool, e.Code = checkstyleSource(xmlAttr(el, "source"))
	return parse.Draft{Event: e}
}

// checkstyleSource returns the linter and the rule that the source attribute names. Examples are
// "com.puppycrawl.tools.checkstyle.checks.imports.UnusedImportsCheck", "eslint.rules.semi", "detekt.MagicNumber", and a
// rule without a linter.
func checkstyleSource(source string) (tool, code string) {
	if strings.HasPrefix(source, "com.puppycrawl.") ||
		strings.HasSuffix(source, "Check") && strings.Contains(source, ".") {
		return "checkstyle", strings.TrimSuffix(source[strings.LastIndexByte(source, '.')+1:], "Check")
	}
	if tool, code, ok := strings.Cut(source, ".rules."); ok { // ESLint, stylelint, and exports of blq
		return strings.ToLower(tool), code
	}
	for _, prefix := range [...]string{"detekt.", "ktlint.", "ShellCheck.",
		"scalastyle.", "pylint.", "flake8."} {
		if code, ok := strings.CutPrefix(source, prefix); ok {
			tool, _, _ := strings.Cut(prefix, ".")
			return strings.ToLower(tool), code
		}
	}
	return "checkstyle", source
}
