package formats

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rspecFormat reads RSpec 2 and 3, and Crystal's spec: the numbered list of failures, errors outside of examples, the
// list of commands at the end, the marks of the documentation formatter, and JSON.
var rspecFormat = parse.Format{
	Name:     "rspec",
	About:    "RSpec and Crystal's spec: failures, errors outside of examples, JSON",
	Triggers: []string{" (FAILED - ", " examples, ", " example, "},
	Starts:   []string{"  1) ", "Pending:", "An error occurred ", "rspec "},
	Document: &parse.Document{Sniff: func(head []byte) bool { return hasAll(head, `"examples"`, `"full_description"`) },
		Read: readRSpecJSON, Cut: addEndlessReport},
	New: func() parse.Matcher { return (&rspec{named: map[string]bool{}}).match },
}

// rspec follows several runs. The numbers of failures begin again in each run.
type rspec struct {
	run   int
	named map[string]bool // tests of this run with a reported failure
}

func (r *rspec) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "1) "):
		return r.list(s, l, text[len("1) "):])
	case strings.HasPrefix(text, "Pending:"):
		s.Block((&rspecList{s: s, pending: true}).line)
		return true
	case strings.HasPrefix(text, "An error occurred while loading "), strings.HasPrefix(text, "An error occurred in a"):
		r.outside(s, text)
		return true
	case strings.HasPrefix(text, "rspec "):
		return r.command(s, text)
	case strings.Contains(text, " (FAILED - "):
		return r.mark(s, text)
	}
	if _, n := parse.Number(text); n > 0 && strings.Contains(text, " failure") {
		r.run++
	}
	return false
}

// key returns the key of the n-th failure in the current run.
func (r *rspec) key(n int) string {
	return "run " + strconv.Itoa(r.run) + " failure " + strconv.Itoa(n)
}

// list reads "  1) Calc#div divides", the first item of the list of failures. Other runners number their failures in
// the same way. Therefore the next line decides whether the list is one of RSpec.
func (r *rspec) list(s *parse.Scan, l parse.Line, title string) bool {
	if strings.HasSuffix(title, ":") {
		return false
	}
	s.Block(func(below parse.Line) parse.Verdict {
		text := below.Trim()
		if text == "Message:" && below.Indent() == 3 { // printed by jasmine-node
			b := &jasmineBlock{s: s, n: 1}
			b.begin(title)
			b.d.Move(l)
			s.Block(b.line)
			return b.line(below)
		}
		if below.Indent() != 5 ||
			!hasAnyPrefix(text, "Failure/Error:", "Got ", "Expected pending ", "Shared Example Group:") {
			return parse.Done
		}
		clear(r.named)
		b := &rspecList{r: r, s: s, n: 1}
		b.begin(l, title)
		s.Block(b.line)
		return b.line(below)
	})
	return false
}

// mark reads "divides (FAILED - 1)".
func (r *rspec) mark(s *parse.Scan, text string) bool {
	name, rest, _ := strings.Cut(text, " (FAILED - ")
	n, length := parse.Number(rest)
	if length == 0 || rest[length:] != ")" {
		return false
	}
	s.Add(parse.Draft{Key: r.key(n), Rank: parse.Mark,
		Event: store.Event{Test: name, Message: "example failed", Category: store.CategoryTest}})
	return true
}

// command reads "rspec ./spec/a_spec.rb:8 # Calc#div divides" and "rspec './spec/a_spec.rb[1:2]' # name".
func (r *rspec) command(s *parse.Scan, text string) bool {
	at, name, ok := strings.Cut(text[len("rspec "):], " # ")
	if !ok {
		return false
	}
	e := store.Event{Test: name, Message: "example failed", Category: store.CategoryTest}
	at = strings.Trim(at, "'")
	if p, rest, ok := parse.PlaceAt(at); ok && rest == "" {
		e.File, e.Line = p.File, p.Line
	} else if e.File = cutAt(at, '['); !parse.IsFileName(e.File) || !strings.HasSuffix(at, "]") {
		return false
	}
	if len(r.named) > 0 && (r.named[name] || len(r.named) >= maxPytestTests) {
		return true
	}
	s.Add(parse.Draft{Key: "command " + name, Event: e})
	return true
}

// outside reads an error outside of the examples, such as "An error occurred while loading ./spec/a_spec.rb.", and the
// lines below.
func (r *rspec) outside(s *parse.Scan, text string) {
	e := store.Event{Message: text, Category: store.CategoryTest}
	name := strings.TrimPrefix(text, "An error occurred while loading ")
	if name != text {
		name = strings.TrimRight(strings.TrimSuffix(cutAt(name, ' '), "- Did"), ".")
		e.Category = store.CategoryCompile
	} else {
		name = ""
	}
	b := &rspecBody{d: s.Add(parse.Draft{Event: e}), spec: strings.TrimPrefix(name, "./")}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if hasAnyPrefix(text, "Finished in ", "No examples found", "An error occurred ", "Run options:",
			"Randomized with") || b.frames && text != "" && text[0] != '#' {
			b.done()
			return parse.Done
		}
		b.line(l, text)
		return parse.Take
	})
}

// rspecList reads the numbered list of failures. It also reads the list of pending examples, which has the same form,
// but reports nothing from that list.
type rspecList struct {
	r       *rspec
	s       *parse.Scan
	pending bool
	n       parse.Numbering
	blank   parse.Blanks
	body    *rspecBody
}

func (b *rspecList) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if text == "" {
		if blank, _ := b.blank.Line(text); b.n == 0 && blank > 0 {
			return parse.Done
		}
		if b.body != nil {
			b.body.line(l, "")
		}
		return parse.Take
	}
	if l.Indent() <= 4 {
		if title, ok := b.n.Next(text); ok {
			b.begin(l, title)
			return parse.Take
		}
	}
	switch {
	case b.n == 0, hasAnyPrefix(text, "Finished in ", "Failed examples:", "Failures:", "Top "):
		b.end()
		return parse.Done
	case l.Indent() < 4: // output of the program
		return parse.Pass
	case b.body != nil:
		b.body.line(l, text)
	}
	return parse.Take
}

func (b *rspecList) begin(l parse.Line, title string) {
	b.end()
	if b.pending {
		return
	}
	title = strings.TrimSuffix(title, " FIXED")
	if len(b.r.named) < maxPytestTests {
		b.r.named[title] = true
	}
	b.body = &rspecBody{d: b.s.Add(parse.Draft{Key: b.r.key(int(b.n)),
		Event: store.Event{Test: title, Message: "example failed", Category: store.CategoryTest, LogLine: l.N}})}
}

func (b *rspecList) end() {
	if b.body != nil {
		b.body.done()
	}
}

// rspecBody reads one failure: the code that failed, the message, the frames.
type rspecBody struct {
	d        *parse.Draft
	spec     string   // the file that was being loaded
	code     []string // the paragraph that begins with "Failure/Error:"
	message  []string
	started  bool // the paragraph of code has begun
	ended    bool // the paragraph of code has ended
	complete bool // the message has ended
	frames   bool
	trace    rubyTrace
}

func (b *rspecBody) line(l parse.Line, text string) {
	if text == "" {
		b.ended = b.ended || b.started
		return
	}
	if !b.started && b.spec != "" && strings.HasPrefix(text, "rspec ") { // "Did you mean?"
		return
	}
	b.d.Extend(l)
	if rest, ok := strings.CutPrefix(text, "# "); ok {
		if b.trace.add(rest) {
			b.frames = true
		}
		return
	}
	code, found := strings.CutPrefix(text, "Failure/Error:")
	switch {
	case strings.HasPrefix(text, "from ") && strings.Contains(text, " in '"): // a frame of Crystal
		if p, ok := crystalFrame(text); ok {
			b.trace.use(p)
		}
		b.complete = true
	case found && !b.started:
		b.started = true
		b.code = append(b.code, strings.TrimSpace(code))
	case b.frames || b.complete:
	case text == "Diff:", strings.HasPrefix(text, "(compared using "), strings.HasPrefix(text, "@@ "):
		b.complete = true
	case b.started && !b.ended:
		b.code = append(b.code, text)
	case len(b.message) < parse.MaxMessageLines:
		b.message = append(b.message, text)
	}
}

// done copies what was read into the draft.
func (b *rspecBody) done() {
	words := b.message
	if len(words) == 0 && len(b.code) > 1 { // RSpec 2 prints no blank line below the code
		words = b.code[1:min(len(b.code), parse.MaxMessageLines)]
	}
	if len(words) > 1 && strings.HasSuffix(words[0], ":") && strings.IndexByte(words[0], ' ') < 0 {
		words = append([]string{words[0] + " " + words[1]}, words[2:]...)
	}
	if len(words) > 0 {
		b.d.Message = strings.Join(words, "\n")
	} else if len(b.code) > 0 && b.code[0] != "" {
		b.d.Message = b.code[0]
	}
	p := b.trace.place()
	if b.spec != "" && (p.File == "" || !ownRubyFile(p.File)) {
		p = parse.Place{File: b.spec}
		message := strings.TrimPrefix(b.d.Message, "SyntaxError: ") // it begins with a place
		if at, _, ok := rubyPlace(message); ok && strings.HasSuffix(at.File, b.spec) {
			p.Line = at.Line
		}
	}
	b.d.At(p.File, p.Line, 0)
}

func readRSpecJSON(s *parse.Scan, t *parse.Text) error {
	var doc struct {
		Examples []struct {
			Name      string  `json:"full_description"`
			Status    string  `json:"status"`
			File      string  `json:"file_path"`
			Line      int     `json:"line_number"`
			Seconds   float64 `json:"run_time"`
			Exception *struct {
				Class   string `json:"class"`
				Message string `json:"message"`
			} `json:"exception"`
		} `json:"examples"`
	}
	if err := json.Unmarshal(t.Data, &doc); err != nil {
		return err
	}
	search := newSearch(t)
	for _, x := range doc.Examples {
		r := parse.Result{Name: x.Name, File: x.File, Duration: duration(x.Seconds, true, time.Second), Distinct: true}
		switch x.Status {
		case "failed":
			r.Outcome = store.TestFailed
		case "pending":
			r.Outcome = store.TestSkipped
		}
		if x.Exception != nil {
			r.Message = x.Exception.Class + ": " + x.Exception.Message
		}
		s.Test(r)
		if x.Status != "failed" {
			continue
		}
		e := store.Event{Test: x.Name, File: x.File, Line: x.Line, Message: "example failed", Category: store.CategoryTest,
			LogLine: search.line(x.Name)}
		if x.Exception != nil {
			e.Message = firstLines(x.Exception.Message)
			if !strings.HasPrefix(x.Exception.Class, "RSpec::") {
				e.Message = x.Exception.Class + ": " + e.Message
			}
		}
		s.Add(parse.Draft{Event: e})
	}
	return nil
}
