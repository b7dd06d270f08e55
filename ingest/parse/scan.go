package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// Scan is what a format uses to add events and to open blocks.
type Scan struct {
	formats  []Format
	triggers *triggers
	lanes    map[string]*lane
	cur      *lane
	curName  string // name of cur, the lane of the newest line
	step     *step
	steps    int      // steps begun so far
	failed   bool     // a step of this job has failed
	before   []*Draft // errors of the previous step, which passed
	leveled  mask     // formats that read lines with a CI level
	readers  mask     // formats that read lines
	testers  mask     // formats that read outcomes of tests
	enders   []int    // formats whose lines end open blocks

	documentFormats []int // formats that read documents

	paths   paths
	module  GoModule
	emit    func(store.Event)
	tests   func(Result) // nil if nobody wants outcomes
	strict  bool         // panics of formats are not caught
	emitted int

	noPatterns bool // nobody wants the patterns of events
	identities identities

	now    int        // number of the current line
	format int        // the format that reads the current line; its name is the tool of its events
	doc    *collector // the document that is being collected
	torn   torn       // the newest JSON document that ended in the middle of a string
	spare  *collector // reused for the next document
	replay bool       // lines of a failed document are being offered again
	recap  bool       // the lanes repeat earlier output

	inner     bool // the current line was inside of another line
	document  int  // number of the current document, 0 for none
	documents int  // number of documents so far
}

// lane is one of the streams that are interleaved in a log.
type lane struct {
	matchers  []Matcher
	outcomes  []func(*Scan, Line) // readers of Format.Outcomes
	block     func(Line) Verdict
	owner     int // the format that opened the block
	taken     int // lines that the block took
	opened    int // blocks opened so far
	dirs      []string
	pkg       string // directory of the package that a tool named, "" for none
	home      string // directory of the lane's own package, "" for none
	script    []*Draft
	passes    passes            // marks of tests that passed
	listeners []func(Line) bool // functions that Scan.Listen added
}

func newScan(opts Options, emit func(store.Event)) *Scan {
	list := opts.Formats
	if list == nil || len(opts.Matchers) > 0 {
		list = list.with(matcherFormats(opts.Matchers)...)
	}
	s := &Scan{
		formats: list.formats, triggers: list.triggers(), lanes: map[string]*lane{},
		paths: newPaths(opts), module: opts.GoModule, emit: emit, tests: opts.Tests, strict: opts.Strict,
		noPatterns: opts.NoPatterns,
	}
	s.step, s.steps = newStep(), 1
	s.step.unknown = len(s.formats) > 1
	for i, f := range s.formats {
		if f.Levels {
			s.leveled.add(i)
		}
		if f.readsLines() {
			s.readers.add(i)
		}
		if f.Outcomes != nil {
			s.testers.add(i)
		}
		if f.Ends != nil {
			s.enders = append(s.enders, i)
		}
		if f.Document != nil {
			s.documentFormats = append(s.documentFormats, i)
		}
	}
	return s
}

// Add records a draft of an event. By default, the event is an error, is at the current line, and has the name of the
// current format as its tool.
func (s *Scan) Add(d Draft) *Draft {
	if d.Tool == "" {
		d.Tool = s.formats[s.format].Name
	}
	if d.Severity == "" {
		d.Severity = store.SeverityError
	}
	if d.LogLine == 0 {
		d.LogLine = s.now
	}
	d.LogLineEnd = max(d.LogLineEnd, d.LogLine)
	if d.Dir == "" && s.cur != nil && len(s.cur.dirs) > 0 {
		d.Dir = s.cur.dirs[len(s.cur.dirs)-1]
	} else if d.Dir == "" && s.cur != nil {
		d.Dir = s.cur.pkg
	}
	if len(s.step.drafts) >= MaxPending {
		s.relieve()
	}
	added := s.step.add(d)
	if s.cur != nil {
		s.cur.wait(added)
		if d.Weight != Guess && d.Weight != Shown {
			s.cur.passes.add(added)
		}
	}
	return added
}

// Reported returns the draft in the current step that has the tool and the key. It returns nil if there is none.
func (s *Scan) Reported(tool, key string) *Draft {
	if key == "" {
		return nil
	}
	return s.step.byKey[tool+"\x00"+key]
}

// said reports whether the current step already has a draft with the tool and the key of d.
func (s *Scan) said(d *Draft) bool {
	tool := d.Tool
	if tool == "" {
		tool = s.formats[s.format].Name
	}
	return s.Reported(tool, d.Key) != nil
}

// Newest returns the newest draft of the current step, nil if there is none.
func (s *Scan) Newest() *Draft {
	if n := len(s.step.drafts); n > 0 {
		return s.step.drafts[n-1]
	}
	return nil
}

// Block opens a block in the current lane. If another block is open, Block ends it. The function f gets each
// following line of the lane before the formats, until f returns Last or Done.
func (s *Scan) Block(f func(Line) Verdict) {
	s.cur.block, s.cur.owner, s.cur.taken = f, s.format, 0
	s.cur.opened++
}

// BlockElse opens a block for the next line. If the current line has already opened another block, the other block
// reads the next line first. The new block then opens only if the other block ends before the next line.
func (s *Scan) BlockElse(f func(Line) Verdict) {
	lane, first := s.cur, s.cur.block
	if first == nil || lane.taken > 0 {
		s.Block(f)
		return
	}
	opened := lane.opened
	lane.block = func(l Line) Verdict {
		v := first(l)
		if lane.opened != opened {
			return v
		}
		if lane.block = first; v != Done {
			return v
		}
		if v = f(l); v == Take || v == Pass {
			s.Block(f)
		}
		return v
	}
}

// Enter makes the following file names relative to dir.
func (s *Scan) Enter(dir string) {
	if len(s.cur.dirs) < MaxLanes {
		s.cur.dirs = append(s.cur.dirs, dir)
	}
}

// Leave ends the effect of the newest Enter with the same dir.
func (s *Scan) Leave(dir string) {
	for i := len(s.cur.dirs) - 1; i >= 0; i-- {
		if s.cur.dirs[i] == dir {
			s.cur.dirs = append(s.cur.dirs[:i], s.cur.dirs[i+1:]...)
			return
		}
	}
}

// LineNumber returns the number of the current line.
func (s *Scan) LineNumber() int { return s.now }

// Step returns the number of the current step. The first step is 1.
func (s *Scan) Step() int { return s.steps }

// Pending returns the number of drafts of the current step that are not emitted yet.
func (s *Scan) Pending() int { return len(s.step.drafts) }

// InBlock reports whether a block is open.
func (s *Scan) InBlock() bool { return s.cur.block != nil }

// GoModule returns the innermost Go module of the work tree that contains a package. If the work tree has no such
// module, GoModule returns the module in which the command ran.
func (s *Scan) GoModule(importPath string) GoModule {
	best := s.module
	if s.paths.tree == nil {
		return best
	}
	for _, m := range s.paths.tree.Modules() {
		if m.has(importPath) && (len(m.Path) > len(best.Path) || !best.has(importPath)) {
			best = m
		}
	}
	return best
}

// has reports whether a package may be part of the module.
func (m GoModule) has(importPath string) bool {
	return importPath == m.Path || strings.HasPrefix(importPath, m.Path+"/")
}

// Dir returns the directory in which the command ran, relative to the top of the repository. "" means the top, or a
// directory outside of the repository.
func (s *Scan) Dir() string { return s.paths.dir }

func (s *Scan) lane(name string) *lane {
	if l := s.lanes[name]; l != nil {
		return l
	}
	if len(s.lanes) >= MaxLanes {
		name = ""
		if l := s.lanes[name]; l != nil {
			return l
		}
	}
	l := &lane{matchers: make([]Matcher, len(s.formats)), outcomes: make([]func(*Scan, Line), len(s.formats))}
	s.settleIn(l, name)
	s.lanes[name] = l
	return l
}

// Within offers a line that was found inside of another line, such as the text in a line of go test -json. The line
// goes to the open block of the given lane, and to the formats. Formats have separate state for each lane.
func (s *Scan) Within(lane string, l Line) {
	outer, format, replay, inner := s.cur, s.format, s.replay, s.inner
	s.cur, s.replay, s.inner = s.lane(lane), true, true
	text := []byte(l.Text)
	var m mask
	if s.triggers.scan(text, &m); !m.empty() || s.cur.block != nil {
		s.offer(l, text, &m)
	}
	s.cur, s.format, s.replay, s.inner = outer, format, replay, inner
}

// Drop removes a lane that has ended.
func (s *Scan) Drop(lane string) { delete(s.lanes, lane) }

// idle makes the lane of plain lines the current lane. It reports whether this lane has no open block and no listener,
// and no document is open.
func (s *Scan) idle() bool {
	s.enter("")
	return s.cur.block == nil && s.doc == nil && s.cur.listeners == nil
}

// enter makes a lane the current lane.
func (s *Scan) enter(name string) {
	if s.cur == nil || name != s.curName {
		s.cur, s.curName = s.lane(name), name
	}
}

// line offers a line without its envelope to the open block and the formats.
func (s *Scan) line(e *ready) {
	n, m := e.n, &e.formats
	s.now = n
	if e.level != "" {
		m.or(&s.leveled)
		if e.level == "error" && s.step.failsBySaying {
			s.Fail()
		}
	}
	if s.recap && e.lane != "" {
		return // BuildKit repeats the output of a failed step
	}
	s.enter(e.lane)
	if s.cur.passes.last > 0 {
		s.cur.passes.line(e.text, e.level)
	}
	if m.empty() && s.cur.block == nil && s.doc == nil && s.cur.listeners == nil && !s.triggers.startsDocument(e.text) {
		s.step.words(e.text, n)
		return
	}
	l := Line{Text: string(clip(e.text)), N: n, Level: e.level}
	if s.cur.listeners != nil {
		s.listen(l)
	}
	if s.doc != nil && e.lane == "" {
		s.continueGuarded(l, e.text)
		return
	}
	if !s.offerGuarded(l, e.text, m) {
		s.step.words(e.text, n)
	}
}

func (s *Scan) offerGuarded(l Line, full []byte, m *mask) (taken bool) {
	defer s.recover()
	return s.offer(l, full, m)
}

func (s *Scan) continueGuarded(l Line, full []byte) {
	defer s.recover()
	s.continueDocument(l, full)
}

// recover is deferred around calls of formats. If a format panics, only the open block, the open document and the state
// of the format are lost. If s.strict is true, the panic continues.
func (s *Scan) recover() {
	if s.strict {
		return
	}
	if recover() != nil {
		s.cur.block, s.doc, s.replay, s.inner, s.document = nil, nil, false, false, 0
		s.cur.matchers[s.format] = nil
	}
}

// guard runs f, which calls formats. It recovers from a panic of f, unless s.strict is true.
func (s *Scan) guard(f func()) {
	defer s.recover()
	f()
}

func clip(text []byte) []byte {
	if len(text) > MaxLine {
		return text[:MaxLine]
	}
	return text
}

// closeBlocks closes the open blocks at the end of a step.
func (s *Scan) closeBlocks() {
	for _, l := range s.lanes {
		l.block, l.listeners = nil, nil
		l.dirs, l.pkg, l.script = nil, l.home, nil
		l.passes.end()
	}
}

func (s *Scan) finish(exitCode *int) {
	s.guard(s.finishDocument)
	s.guard(s.finishOutcomes)
	s.closeBlocks()
	o := Unknown
	if exitCode != nil {
		o = Passed
		if *exitCode != 0 {
			o = Failed
		}
		// If the log does not contain the outcome of its last step, the step gets no last words. A caller that knows
		// the exit code can show the end of the log itself.
		s.step.noLastWords = s.step.outcome == Unknown
	}
	s.settle(o)
}
