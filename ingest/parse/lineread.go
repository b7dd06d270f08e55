package parse

import "strings"

// lineReader matches lines against patterns. It writes the values of the fields into a draft, which it uses again for
// each pattern and line.
type lineReader struct {
	text     string
	indented bool
	d        Draft

	at     Place // the place at the start of the text, once it has been read
	behind string
	looked bool
	placed bool
}

// begin sets the line to read.
func (r *lineReader) begin(l Line) {
	r.text, r.looked = l.Trim(), false
	r.indented = l.Text != "" && (l.Text[0] == ' ' || l.Text[0] == '\t')
}

// fits reports whether the line matches a pattern. If the line matches, the draft has the values of the fields.
func (r *lineReader) fits(p *pattern) bool {
	if p.atMargin && r.indented {
		return false
	}
	for i := range p.forms {
		form := p.forms[i]
		if !r.opens(&form[0]) {
			continue
		}
		r.d = p.blank
		if !r.read(form) || p.If != nil && !p.If(&r.d) {
			continue
		}
		if p.Then != nil {
			p.Then(&r.d)
		}
		return true
	}
	return false
}

// opens reports whether the line may begin with the part.
func (r *lineReader) opens(part *linePart) bool {
	switch {
	case part.kind == literalPart:
		return strings.HasPrefix(r.text, part.text)
	case part.kind == placePart && !part.closed:
		p, _, ok := r.startPlace()
		return ok && part.takes(p)
	}
	return true
}

// startPlace returns the place at the start of the line. It reads the place only once for each line.
func (r *lineReader) startPlace() (Place, string, bool) {
	if !r.looked {
		r.at, r.behind, r.placed = PlaceAt(r.text)
		r.looked = true
	}
	return r.at, r.behind, r.placed
}

// read reports whether the line matches a form. If the line matches, the draft has the values of the fields.
func (r *lineReader) read(form lineForm) bool { return r.parts(form, r.text, "") }

// maxRetries is the max number of positions that the method far tries as the end of a field.
const maxRetries = 3

// far reads a field up to the last occurrence of the text that follows the field. If the other parts of the form do
// not fit after this text, far tries earlier occurrences.
func (r *lineReader) far(form lineForm, text, said string) bool {
	part := &form[0]
	if part.until == "" {
		return r.set(part, text) && r.parts(form[1:], "", said)
	}
	for end, tries := len(text), 0; tries < maxRetries; tries++ {
		end = strings.LastIndex(text[:end], part.until)
		if end < 0 {
			return false
		}
		if r.set(part, text[:end]) && r.parts(form[1:], text[end:], said) {
			return true
		}
	}
	return false
}

// parts reads the text rest with the parts of a form, from left to right. tail is the text from the beginning of
// the message to the end of the line.
func (r *lineReader) parts(form lineForm, rest, tail string) bool {
	for i := range form {
		part := &form[i]
		if part.kind == messagePart || part.kind == farPart {
			return r.far(form[i:], rest, tail)
		}
		ok := true
		switch part.kind {
		case literalPart:
			rest, ok = strings.CutPrefix(rest, part.text)
		case blanksPart:
			rest = strings.TrimLeft(rest, " \t")
		case beginPart:
			tail = rest
		case endPart:
			r.d.Message = strings.TrimSpace(tail[:len(tail)-len(rest)])
		case placePart:
			rest, ok = r.place(part, rest)
		case rangePart:
			var p Place
			if p, rest, ok = rangeAt(rest); ok {
				ok = part.takes(p)
				r.d.File, r.d.Line, r.d.Column = p.File, p.Line, p.Column
			}
		case oneOfPart:
			rest, ok = cutOneOf(rest, part.words)
		case sourceLinePart, columnPart, numberPart:
			rest, ok = r.number(part.kind, rest)
		default:
			var value string
			if value, rest, ok = part.cut(rest); ok {
				ok = r.set(part, value)
			}
		}
		if !ok {
			return false
		}
	}
	return rest == ""
}

// place reads a place and the separator after it.
func (r *lineReader) place(part *linePart, text string) (rest string, ok bool) {
	var p Place
	switch {
	case part.closed:
		var at, more string
		if at, rest, ok = part.cut(text); !ok {
			return "", false
		}
		if p, more, ok = PlaceAt(at); more != "" {
			return "", false
		}
	case len(text) == len(r.text):
		p, rest, ok = r.startPlace()
	default:
		p, rest, ok = PlaceAt(text)
	}
	if !ok || !part.takes(p) {
		return "", false
	}
	r.d.File, r.d.Line, r.d.Column = p.File, p.Line, p.Column
	return rest, true
}

// takes reports whether a place has the column and the file ending that the field requires.
func (part *linePart) takes(p Place) bool {
	return (!part.column || p.Column > 0) && (part.endings == nil || hasEnding(p.File, part.endings))
}

func (r *lineReader) number(kind partKind, text string) (rest string, ok bool) {
	n, size := Number(text)
	switch kind {
	case numberPart:
		rest = strings.TrimLeft(text, "0123456789")
		return rest, size > 0
	case sourceLinePart:
		r.d.Line = n
	case columnPart:
		r.d.Column = n
	}
	return text[size:], size > 0
}

// cut splits text after the value of a field.
func (part *linePart) cut(text string) (value, rest string, ok bool) {
	if part.until == "" {
		return text, "", true
	}
	var i int
	if part.accepts != nil {
		i = part.cutWhere(text)
	} else {
		i = strings.Index(text, part.until)
	}
	if i < 0 {
		return "", "", false
	}
	return text[:i], text[i:], true
}

// maxListed is the max number of bytes of a value before the place at which cutWhere begins its last search for the
// end.
const maxListed = 500

// cutWhere returns the end of the shortest value that the field accepts, or -1 if it accepts no value. A value ends
// before an occurrence of part.until. This is not always the first occurrence, because a value may contain part.until.
func (part *linePart) cutWhere(text string) int {
	for i := 0; i < maxListed; i++ {
		n := strings.Index(text[i:], part.until)
		if n < 0 {
			return -1
		}
		if i += n; part.accepts(text[:i]) {
			return i
		}
	}
	return -1
}

// cutOneOf removes from text the first word of the list that text starts with.
func cutOneOf(text string, words []string) (rest string, ok bool) {
	for _, word := range words {
		if rest, ok := strings.CutPrefix(text, word); ok {
			return rest, true
		}
	}
	return text, false
}

// isFile reports whether a value can be a file name. If endings is nil, the value must look like a file name. Otherwise
// it must have one of the endings. A name may contain blanks only if it contains a directory. Otherwise words before
// the name would become part of the name.
func isFile(value string, endings []string) bool {
	if endings == nil {
		return IsFileName(value)
	}
	return hasEnding(value, endings) && !hasByte(value, &notInNames) &&
		(strings.IndexByte(value, ' ') < 0 || IsFileName(value))
}

func hasEnding(name string, endings []string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// set stores a value in the draft. It returns false if the field does not allow the value.
func (r *lineReader) set(part *linePart, value string) bool {
	switch part.kind {
	case filePart:
		r.d.File = value
		return isFile(value, part.endings)
	case pathPart:
		r.d.File = strings.TrimSpace(value)
		return r.d.File != ""
	case severityPart:
		return r.grade(part.grades, value)
	case codePart:
		r.d.Code = value
		return part.shapes == nil && value != "" && !strings.ContainsAny(value, " \t") || hasShape(value, part.shapes)
	case testPart:
		r.d.Test = strings.TrimSpace(value)
		return r.d.Test != ""
	case messagePart:
		r.d.Message = strings.TrimSpace(value)
		return r.d.Message != ""
	}
	return true
}

// grade sets the severity for a word. It returns false if no entry of the list has the word. The entry * is for all
// words. If the list is nil, grade searches severityWords.
func (r *lineReader) grade(grades []grade, word string) bool {
	for i := range grades {
		if grades[i].word == word || grades[i].word == "*" {
			r.d.Severity = grades[i].severity
			return true
		}
	}
	if grades != nil {
		return false
	}
	for i := range severityWords {
		if severityWords[i].word == word {
			r.d.Severity = severityWords[i].severity
			return true
		}
	}
	return false
}

// hasShape reports whether a code has one of the shapes. In a shape, a single # stands for any number of digits.
// Several # stand for exactly that number of digits. At the end, * stands for any text without blanks.
func hasShape(code string, shapes []string) bool {
	for _, shape := range shapes {
		if isShape(code, shape) {
			return true
		}
	}
	return false
}

func isShape(code, shape string) bool {
	for shape != "" {
		if shape == "*" {
			return strings.IndexByte(code, ' ') < 0
		}
		if shape[0] != '#' {
			if code == "" || code[0] != shape[0] {
				return false
			}
			code, shape = code[1:], shape[1:]
			continue
		}
		wanted := len(shape) - len(strings.TrimLeft(shape, "#"))
		_, digits := Number(code)
		if digits == 0 || wanted > 1 && digits != wanted {
			return false
		}
		code, shape = code[digits:], shape[wanted:]
	}
	return code == ""
}
