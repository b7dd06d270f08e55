package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// lineForm is a pattern with a choice of its optional parts.
type lineForm []linePart

// linePart is a field of a pattern, or a literal text.
type linePart struct {
	kind    partKind
	text    string // text of a literal
	until   string // the text after a field, "" for the end of the line
	column  bool   // a column is required in a place
	closed  bool   // a place ends where until begins, and not at a colon or blank
	endings []string
	shapes  []string
	words   []string // words of a oneOf field
	grades  []grade
	accepts func(string) bool // reports whether the field's list contains a value; nil if the field has no list
}

// grade maps a severity word of a tool to a severity.
type grade struct {
	word     string // * matches any word
	severity store.Severity
}

type partKind int

const (
	literalPart partKind = iota
	placePart
	rangePart
	filePart
	pathPart
	sourceLinePart
	columnPart
	numberPart
	severityPart
	codePart
	testPart
	messagePart
	beginPart // «
	endPart   // »
	anyPart
	farPart // {*}
	blanksPart
	oneOfPart
)

var partKinds = map[string]partKind{
	"place": placePart, "range": rangePart, "file": filePart, "path": pathPart,
	"line": sourceLinePart, "column": columnPart, "#": numberPart,
	"severity": severityPart, "code": codePart, "test": testPart, "message": messagePart,
	"_": anyPart, "*": farPart, " ": blanksPart, "": oneOfPart,
}

// compileLine compiles a pattern. It panics if the pattern is wrong, because patterns are part of the program.
func compileLine(p LinePattern) *pattern {
	text, atMargin := strings.CutPrefix(p.Text, "^")
	c := &pattern{LinePattern: p, atMargin: atMargin}
	c.blank = Draft{Weight: p.Weight, Event: store.Event{
		Tool: p.Tool, Code: p.Code, Message: p.Message, Category: p.Category, Severity: p.Severity,
	}}
	if p.Category == "" {
		c.blank.Category = store.CategoryLint
	}
	if strings.Count(text, "{") != strings.Count(text, "}") {
		panic(fmt.Sprintf("parse: pattern %q: its braces are not pairs", p.Text))
	}
	forms, rest := splitForms(text)
	if rest != "" {
		panic(fmt.Sprintf("parse: pattern %q: nothing opens the part that ends before %q", p.Text, rest))
	}
	for _, form := range forms {
		if err := form.link(); err != nil {
			panic(fmt.Sprintf("parse: pattern %q: %v", p.Text, err))
		}
		c.forms = append(c.forms, form)
	}
	return c
}

// splitForms reads a pattern up to its end, or up to the brace that closes an optional part. It returns all forms of
// the pattern. A form with an optional part comes before the form without it.
func splitForms(text string) (forms []lineForm, rest string) {
	forms = []lineForm{nil}
	add := func(parts ...linePart) {
		for i := range forms {
			forms[i] = append(slices.Clip(forms[i]), parts...)
		}
	}
	for text != "" {
		switch {
		case text[0] == '}':
			return forms, text[1:]
		case strings.HasPrefix(text, "{?"):
			var inner []lineForm
			inner, text = splitForms(text[2:])
			forms = product(forms, append(inner, nil))
		case strings.HasPrefix(text, "«"):
			text = text[len("«"):]
			add(linePart{kind: beginPart})
		case strings.HasPrefix(text, "»"):
			text = text[len("»"):]
			add(linePart{kind: endPart})
		case text[0] == '{':
			field, after, _ := strings.Cut(text[1:], "}")
			text = after
			add(newField(field))
		default:
			end := len(text)
			for _, stop := range [...]string{"{", "}", "«", "»"} {
				if i := strings.Index(text, stop); i >= 0 {
					end = min(end, i)
				}
			}
			add(linePart{text: text[:end]})
			text = text[end:]
		}
	}
	return forms, ""
}

// product returns all combinations of a form and an end that follows it.
func product(forms, ends []lineForm) (all []lineForm) {
	for _, form := range forms {
		for _, end := range ends {
			all = append(all, append(slices.Clip(form), end...))
		}
	}
	return all
}

// newField parses the text between braces: "place+column:.py|.pyi".
func newField(text string) linePart {
	name, args, given := strings.Cut(text, ":")
	name, column := strings.CutSuffix(name, "+column")
	kind, ok := partKinds[name]
	if !ok {
		panic(fmt.Sprintf("parse: a pattern has no field {%s}", text))
	}
	part := linePart{kind: kind, column: column}
	if !given {
		return part
	}
	switch list := strings.Split(args, "|"); kind {
	case severityPart:
		for _, word := range list {
			word, name, ok := strings.Cut(word, "=")
			if !ok {
				name = word
			}
			part.grades = append(part.grades, grade{word, SeverityOf(name, store.SeverityInfo)})
		}
		grades := part.grades
		part.accepts = func(value string) bool {
			return slices.ContainsFunc(grades, func(g grade) bool { return g.word == value || g.word == "*" })
		}
	case oneOfPart:
		part.words = list
	case codePart:
		part.shapes = list
		part.accepts = func(value string) bool { return hasShape(value, list) }
	case placePart, rangePart:
		part.endings = list
	case filePart:
		part.endings = list
		part.accepts = func(value string) bool { return isFile(value, list) }
	default:
		panic(fmt.Sprintf("parse: a field of a pattern takes no list: {%s}", text))
	}
	return part
}

// link stores in each field the text that follows the field.
func (form *lineForm) link() error {
	parts := form.joined()
	for i := range parts {
		part := &parts[i]
		switch part.kind {
		case literalPart, sourceLinePart, columnPart, numberPart, beginPart, endPart, blanksPart, oneOfPart:
			continue
		}
		j := i + 1
		for j < len(parts) && (parts[j].kind == beginPart || parts[j].kind == endPart) {
			j++
		}
		switch {
		case j == len(parts):
			part.closed = true
		case parts[j].kind == blanksPart:
			part.until = " "
		case parts[j].kind != literalPart && !part.isPlace():
			return fmt.Errorf("two fields meet")
		case part.kind == severityPart && parts[j].text == ": " && j+1 < len(parts) && parts[j+1].kind == messagePart:
			parts[j].text, part.until = ":", ":"
		case !part.isPlace():
			part.until = parts[j].text
		case part.kind == placePart && parts[j].kind == literalPart && strings.IndexByte(": ,", parts[j].text[0]) < 0:
			part.closed, part.until = true, parts[j].text
		case parts[j].kind == literalPart: // the place includes its colon and blanks
			parts[j].text = strings.TrimLeft(parts[j].text[1:], " \t")
		}
	}
	*form = parts
	return nil
}

// isPlace reports whether the part is a place. A place also reads the colon and the blanks after it.
func (part *linePart) isPlace() bool { return part.kind == placePart || part.kind == rangePart }

// joined returns the parts of the form, with adjacent literals merged into one.
func (form lineForm) joined() (parts lineForm) {
	for _, part := range form {
		if n := len(parts) - 1; part.kind == literalPart && n >= 0 && parts[n].kind == literalPart {
			parts[n].text += part.text
			continue
		}
		parts = append(parts, part)
	}
	return parts
}
