package formats

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ldFormat reads linkers: GNU ld, gold, lld, mold and Apple's.
var ldFormat = parse.Format{
	Name:  "ld",
	About: "linkers: GNU ld, gold, lld, mold and Apple's ld64",
	Triggers: []string{
		"undefined reference", "undefined symbol", "multiple definition of", "duplicate symbol", "cannot find -l",
		"unable to find library",
		"first defined here", "previous definition here", "hidden symbol `", "can not be used when making",
		"cannot be used against symbol", "cannot be used against local",
		"bin/ld:", "ld.exe: ", "-ld: ", "ld.gold: ", "ld.bfd: ", "Undefined symbols for architecture",
	},
	Starts: []string{"ld: ", "ld.lld: ", "ld64.lld: ", "lld: ", "lld-link: ", "wasm-ld: ", "mold: ", "gold: "},
	New:    func() parse.Matcher { return new(linker).match },
}

// linker keeps the newest error, because the next lines may add to it.
type linker struct {
	last *parse.Draft
}

func (k *linker) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	rest, named := cutLinker(text)
	if strings.HasPrefix(text, "Undefined symbols for architecture ") {
		k.apple(s)
		return true
	}
	if symbol, ok := strings.CutSuffix(text, " in:"); ok && strings.HasPrefix(text, "duplicate symbol ") {
		k.appleDuplicate(s, symbol)
		return true
	}
	if strings.HasSuffix(rest, "':") && strings.Contains(rest, " function `") {
		return true // the place of the next error
	}
	if k.extends(l, rest) {
		return true
	}
	if p, message, ok := objectPlace(rest); ok && k.complaint(s, l, p, message) {
		return true
	}
	return named && k.remark(s, l, rest)
}

// extends adds a line to the error before it if the line belongs there, and reports whether it does.
func (k *linker) extends(l parse.Line, rest string) bool {
	if k.last == nil || l.N > k.last.LogLineEnd+3 {
		return false
	}
	if strings.Contains(rest, "more undefined references to ") || strings.HasSuffix(rest, ": first defined here") ||
		strings.HasSuffix(rest, ": previous definition here") {
		k.last.Extend(l)
		return true
	}
	return false
}

// complaint reads the message after a location in an object file: "undefined reference to `f'". It reports whether the
// message is a finding of the linker.
func (k *linker) complaint(s *parse.Scan, l parse.Line, p parse.Place, message string) bool {
	message = strings.TrimPrefix(message, "error: ")
	for _, w := range [...]string{"undefined reference to ", "multiple definition of ", "undefined symbol",
		"relocation ", "hidden symbol ", "undefined or hidden symbol"} {
		if strings.HasPrefix(message, w) {
			k.add(s, l, store.SeverityError, p, message)
			return true
		}
	}
	if warning, ok := strings.CutPrefix(message, "warning: "); ok && strings.HasPrefix(warning, "the use of `") {
		k.add(s, l, store.SeverityWarning, p, warning)
		return true
	}
	return false
}

// add records an error. It leaves out the same error from another place of the same file, or from another program that
// links the file.
func (k *linker) add(s *parse.Scan, l parse.Line, severity store.Severity, p parse.Place, message string) {
	if before, first, ok := strings.Cut(message, "; "); ok && strings.HasSuffix(first, "first defined here") {
		message = before
	}
	key := p.File + ":" + strconv.Itoa(p.Line) + ":" + message
	if k.last = s.Reported("ld", key); k.last != nil {
		if l.N <= k.last.LogLineEnd+3 {
			k.last.Extend(l)
		}
		return
	}
	k.last = s.Add(parse.Draft{Key: key,
		Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Message: message, Category: store.CategoryLink}})
}

// remark reads a message that begins with the linker's name.
func (k *linker) remark(s *parse.Scan, l parse.Line, rest string) bool {
	severity := store.SeverityError
	known := false
	for _, w := range [...]struct {
		word     string
		severity store.Severity
	}{{"fatal error: ", store.SeverityError}, {"internal error ", store.SeverityError}, {"error: ",
		store.SeverityError}, {"fatal: ", store.SeverityError}, {"warning: ", store.SeverityWarning}} {
		if after, ok := strings.CutPrefix(rest, w.word); ok {
			rest, severity, known = after, w.severity, true
			break
		}
	}
	if !known && !isLinkFailure(rest) {
		return k.unknown(s, l, rest)
	}
	if p, message, ok := objectPlace(rest); ok && k.complaint(s, l, p, message) {
		k.last.Severity = severity
	} else {
		k.add(s, l, severity, parse.Place{}, rest)
	}
	if isLinkRepeat(rest) {
		k.last.Weight = parse.Repeat
	}
	if severity == store.SeverityError {
		k.references(s, k.last)
	}
	return true
}

// unknown reads a message of Apple's linker without a severity word. The event is a guess, because the linker also
// prints notes in this form.
func (k *linker) unknown(s *parse.Scan, l parse.Line, rest string) bool {
	if !strings.HasPrefix(l.Trim(), "ld: ") || hasAnySuffix(rest, ":", "'") || parse.IsNotice(rest) {
		return false
	}
	s.Add(parse.Draft{Weight: parse.Guess, Event: store.Event{Message: rest, Category: store.CategoryLink}})
	return true
}

// references reads ">>> referenced by a.c:3 (src/a.c:3)" of lld and mold.
func (k *linker) references(s *parse.Scan, d *parse.Draft) {
	s.Block(func(l parse.Line) parse.Verdict {
		text, ok := strings.CutPrefix(l.Trim(), ">>> ")
		if !ok {
			return parse.Done
		}
		d.Extend(l)
		for _, w := range [...]string{"referenced by ", "defined at "} {
			if after, ok := strings.CutPrefix(text, w); ok && d.File == "" {
				if i := strings.LastIndex(after, "("); i > 0 && strings.HasSuffix(after, ")") {
					if p, _, ok := parse.PlaceAt(after[i+1:len(after)-1] + ": "); ok {
						d.At(p.File, p.Line, 0)
					}
				}
				if p, _, ok := parse.PlaceAt(after); ok {
					d.At(p.File, p.Line, 0)
				}
			}
		}
		return parse.Take
	})
}

// apple reads ld64's list of undefined symbols:
//
//	Undefined symbols for architecture x86_64:
//	  "_f", referenced from:
//	      _main in main.o
func (k *linker) apple(s *parse.Scan) {
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if symbol, ok := strings.CutSuffix(text, ", referenced from:"); ok && strings.HasPrefix(text, `"`) {
			d = s.Add(parse.Draft{Event: store.Event{Message: "undefined symbol: " + strings.Trim(symbol, `"`),
				Category: store.CategoryLink}})
			return parse.Take
		}
		if d == nil || l.Indent() < 4 {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
}

// appleDuplicate takes the indented list of objects in an error of ld64.
func (k *linker) appleDuplicate(s *parse.Scan, message string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryLink}})
	s.Block(parse.Below{Indent: 4}.Block(d))
}

// isLinkFailure reports whether a message without a severity word is an error. GNU ld prints most errors without one.
func isLinkFailure(rest string) bool {
	return strings.HasPrefix(rest, "cannot find ") || strings.HasPrefix(rest, "library not found for ") ||
		strings.HasPrefix(rest, "framework not found ") ||
		strings.HasPrefix(rest, "symbol(s) not found") || strings.HasPrefix(rest, "final link failed") ||
		strings.HasPrefix(rest, "can't ") || strings.HasPrefix(rest, "unrecognized ") ||
		strings.HasPrefix(rest, "library '") && strings.HasSuffix(rest, "' not found") ||
		strings.HasPrefix(rest, "region `") ||
		strings.Contains(rest, "can not be used when making") || strings.Contains(rest, "undefined reference to symbol") ||
		strings.Contains(rest, "is referenced by DSO") ||
		strings.Contains(rest, "will not fit in region") || strings.Contains(rest, "error adding symbols") ||
		strings.Contains(rest, "file format not recognized") ||
		strings.Contains(rest, "file not recognized") || strings.Contains(rest, "duplicate symbol") ||
		strings.HasPrefix(rest, "cannot open ")
}

// isLinkRepeat reports whether a message only ends a list of errors.
func isLinkRepeat(rest string) bool {
	return strings.HasPrefix(rest, "symbol(s) not found") || strings.HasPrefix(rest, "final link failed") ||
		strings.Contains(rest, "failed to set dynamic section sizes") ||
		strings.Contains(rest, "error adding symbols: DSO missing") || strings.HasPrefix(rest, "too many errors emitted") ||
		strings.Contains(rest, " duplicate symbol") && strings.Contains(rest, " for architecture ")
}

// cutLinker removes the name of a linker and the colon from a line: "/usr/bin/ld:", "ld.lld-14:", "mold:".
func cutLinker(text string) (rest string, ok bool) {
	start := 0
	if len(text) > 2 && text[1] == ':' {
		start = 2 // a Windows drive
	}
	i := strings.IndexByte(text[start:], ':')
	if i < 0 {
		return text, false
	}
	program := text[:start+i]
	base := strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
	if j := strings.LastIndexByte(base, '-'); j > 0 && base != "lld-link" && base != "wasm-ld" {
		if tail := base[j+1:]; tail == "ld" || strings.HasPrefix(tail, "ld.") {
			base = tail // a cross compiler
		} else if strings.Trim(tail, "0123456789.") == "" {
			base = base[:j]
		}
	}
	switch base {
	case "ld", "ld.bfd", "ld.gold", "ld.lld", "ld64.lld", "lld", "lld-link", "wasm-ld", "mold", "gold", "ld.mold":
		return strings.TrimPrefix(text[start+i+1:], " "), true
	}
	return text, false
}

// objectPlace reads the place of a link error: "a.c:3: ", "a.c:(.text+0x5): ",
// "main.o:a.c:(.text+0x5): ", "a.o:a.c:function main: ", "liba.a(b.o): ".
func objectPlace(text string) (parse.Place, string, bool) {
	if section, message, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(section, "(.") {
		return parse.Place{}, message, true
	}
	for i := 0; i < 4; i++ { // skip the objects before the source
		if p, rest, ok := parse.PlaceAt(text); ok && p.Line > 0 && !isObject(p.File) {
			if section, message, ok := strings.Cut(rest, "): "); ok && strings.HasPrefix(section, "(.") {
				rest = message
			}
			return p, rest, true
		}
		start := 0
		if len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') {
			start = 2
		}
		colon := strings.IndexByte(text[start:], ':')
		if colon < 0 {
			return parse.Place{}, "", false
		}
		name, rest := text[:start+colon], text[start+colon+1:]
		if strings.HasPrefix(rest, " ") {
			return parse.Place{File: sourceName(name)}, rest[1:], isObject(name) || isCSource(name)
		}
		if strings.HasPrefix(rest, "(") { // a.c:(.text+0x5): message
			section, message, ok := strings.Cut(rest, "): ")
			return parse.Place{File: sourceName(name)}, message, ok && strings.Contains(section, "(.")
		}
		if after, ok := strings.CutPrefix(rest, "function "); ok { // gold
			_, message, ok := cutFunction(after)
			return parse.Place{File: sourceName(name)}, message, ok
		}
		text = rest
	}
	return parse.Place{}, "", false
}

// cutFunction splits gold's "ns::f(int): error: …" after the function.
func cutFunction(text string) (function, rest string, ok bool) {
	for _, w := range [...]string{": error: ", ": warning: ", ": undefined reference "} {
		if i := strings.Index(text, w); i >= 0 {
			return text[:i], text[i+2:], true
		}
	}
	return "", "", false
}

func isObject(name string) bool {
	return strings.HasSuffix(name, ".o") || strings.HasSuffix(name, ".obj") || strings.HasSuffix(name, ".a") ||
		strings.HasSuffix(name, ".so") || strings.HasSuffix(name, ")")
}

// sourceName returns the file name for an event. It returns "" for a temporary object that the compiler made for one
// link.
func sourceName(name string) string {
	if isObject(name) && strings.Contains(name, "/cc") && strings.Contains(name, "tmp/") {
		return ""
	}
	return name
}
