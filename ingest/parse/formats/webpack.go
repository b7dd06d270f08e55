package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// webpackFormat reads webpack's errors and warnings: "ERROR in ./src/x.js 3:5", and then the message, the loader's
// message, and the importing modules.
var webpackFormat = parse.Format{
	Name:     "webpack",
	About:    "webpack: errors and warnings of modules, configuration errors",
	Triggers: []string{"[webpack-cli] ", " compiled with "},
	Starts:   []string{"ERROR in ", "WARNING in ", "[tsl] ERROR in "},
	Match:    matchWebpack,
}

func matchWebpack(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "[webpack-cli] "); ok {
		if !strings.HasPrefix(rest, "Invalid ") && !strings.HasPrefix(rest, "Failed ") && !strings.Contains(rest, "Error: ") {
			return false
		}
		d := s.Add(parse.Draft{Event: store.Event{Message: rest, Category: store.CategoryBuild}})
		if strings.HasPrefix(rest, "Invalid ") {
			s.Block(webpackOptions(d))
		}
		return true
	}
	if i := strings.Index(text, " compiled with "); i > 0 {
		if strings.HasPrefix(text, "webpack ") && strings.Contains(text, " error") {
			s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		}
		return false
	}
	rest, isError := cutAny(text, "ERROR in ", "[tsl] ERROR in ")
	if !isError {
		rest = strings.TrimPrefix(text, "WARNING in ")
	}
	if rest = strings.TrimSpace(rest); rest == "" || strings.HasPrefix(rest, "[eslint]") ||
		strings.HasSuffix(rest, " asset size limit") {
		return false // the linter's own output follows
	}
	if _, _, line := cutScalaPlace(rest); line > 0 && rest[0] == '(' {
		return false // clojure.test: ERROR in (test-x) (core_test.clj:7)
	}
	b := &webpackBlock{s: s, msg: parse.Message{Max: 3}}
	b.begin(rest)
	if !isError {
		b.d.Severity = store.SeverityWarning
	}
	s.Block(b.line)
	return true
}

// webpackOptions reads the list of options that are not valid: " - configuration.entry should be …". Lines below an
// option that have more blanks only explain the option.
func webpackOptions(d *parse.Draft) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		if l.Indent() == 0 {
			return parse.Done
		}
		if d.Extend(l); strings.HasPrefix(l.Text, " - ") && len(d.Message) < parse.MaxText {
			d.Message += "\n" + l.Trim()
		}
		return parse.Take
	}
}

type webpackBlock struct {
	s      *parse.Scan
	d      *parse.Draft
	msg    parse.Message
	lines  int
	source int // number of the source line that was read before
}

// begin reads the module ("./src/x.js 3:5-9", "src/x.ts(3,5)", "multi ./a ./b"), or the message if there is no module.
func (b *webpackBlock) begin(rest string) {
	e := store.Event{Category: store.CategoryCompile}
	rest = strings.TrimPrefix(rest, "css ./")
	name, at, _ := strings.Cut(rest, " ")
	if message, ok := strings.CutPrefix(rest, "× "); ok {
		e.Tool, rest, name = "rspack", message, ""
	}
	if i := strings.LastIndexByte(name, '!'); i >= 0 {
		name = name[i+1:] // remove the loaders
	}
	if p, message, ok := parse.PlaceAt(rest); ok && strings.IndexByte(p.File, ' ') < 0 {
		e.File, e.Line, e.Column = p.File, p.Line, p.Column
		b.msg.Add(message)
	} else if parse.IsFileName(name) || strings.HasPrefix(name, "./") {
		e.File = name
		line, n := parse.Number(at)
		if n > 0 && n < len(at) && at[n] == ':' {
			e.Line = line
			e.Column, _ = parse.Number(at[n+1:])
		}
	} else {
		b.msg.Add(rest)
	}
	e.Message = b.msg.String()
	b.d = b.s.Add(parse.Draft{Event: e})
}

func (b *webpackBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	switch {
	case text == "" && b.msg.Empty() && b.lines < 3:
		return parse.Take
	case text == "" && b.lines < 60 && b.follows():
		return parse.Take
	case text == "" || hasAnyPrefix(text, "ERROR in ", "WARNING in ", "webpack ", "npm ERR!", "npm error"):
		return parse.Done
	}
	b.d.Extend(l)
	if b.rspack(text) {
		return parse.Take
	}
	if at, ok := strings.CutPrefix(text, "[tsl] ERROR in "); ok {
		if p, _, ok := parse.PlaceAt(at); ok {
			b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
		}
		return parse.Take
	}
	if p, message, ok := babelError(text); ok {
		b.place(p, message)
	} else if rest, ok := strings.CutPrefix(text, "TS"); ok && strings.Contains(rest, ": ") && b.d.Code == "" {
		// ts-loader prints the code of an error before its message: "TS2322: Type …".
		code, message, _ := strings.Cut(rest, ": ")
		if parse.AllDigits(code) {
			b.d.Code, b.d.Message = "TS"+code, message
			b.msg.End()
			b.d.Category = store.CategoryType
			return parse.Take
		}
	} else if d, ok := tscLines.Read(text); ok && strings.Contains(text, "error TS") {
		b.d.Code, b.d.Message = d.Code, d.Message
		b.msg.End()
		if d.File != "" {
			b.d.File, b.d.Line, b.d.Column = d.File, d.Line, d.Column
		}
		return parse.Take
	}
	b.words(text)
	return parse.Take
}

// rspack reads the frame in which Rspack prints the message and the source:
//
//	× Module parse failed:
//	╰─▶   × JavaScript parse error: Unexpected token
//	       ╭────
//	     1 │ const a = ;
//	       ·           ─
func (b *webpackBlock) rspack(text string) bool {
	text, cause := strings.CutPrefix(text, "╰─▶")
	message, marked := strings.CutPrefix(strings.TrimSpace(text), "× ")
	if marked && (cause && b.follows() || b.msg.Empty()) {
		b.msg = parse.Message{Max: b.msg.Max}
		b.msg.Tell(b.d, message)
		b.d.Tool = "rspack"
		return true
	}
	line, n := parse.Number(text)
	if hasAnyPrefix(text, "╭──", "· ") || n > 0 && strings.HasPrefix(text[n:], " │") {
		b.msg.End()
		if strings.HasPrefix(text, "· ") && b.d.Line == 0 {
			b.d.Line = b.source
		}
		b.source = line
		return true
	}
	return false
}

// follows reports whether the message so far ends with a colon. In that case, the real message follows.
func (b *webpackBlock) follows() bool {
	return strings.HasSuffix(b.msg.Last(), ":")
}

func (b *webpackBlock) place(p parse.Place, message string) {
	b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
	b.d.Message = message
	b.msg.End()
}

// words adds a line to the message. The message ends before lines of other kinds, such as source code, stack frames,
// importing modules, and places where webpack searched.
func (b *webpackBlock) words(text string) {
	if b.msg.Ended() ||
		hasAnyPrefix(text, "resolve '", "@ ", "You may need ", "at ", "|", "> ", "Parsed request ", "Field 'browser'",
			"BREAKING CHANGE") {
		b.msg.End()
		return
	}
	if rest, ok := cutAny(text, "SassError: ", "Error: "); ok && b.follows() {
		b.msg, text = parse.Message{Max: b.msg.Max}, rest
	}
	b.msg.Tell(b.d, text)
}
