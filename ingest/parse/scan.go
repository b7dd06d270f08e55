package parse

import (
	"bytes"
	"strings"
	"sync"

	"github.com/blq-ci/blq/store"
)

// Scan is what a format works with: it adds events and opens blocks.
type Scan struct {
	formats  []Format
	triggers *triggers
	lanes    map[string]*lane
	cur      *lane
	curName  string // what the newest line calls it
	step     *step
	leveled  mask // formats that read lines which the CI system gave a level
	paths    paths
	module   GoModule
	emit     func(store.Event)
	emitted  int

	now    int        // number of the current line
	format int        // the format that is being offered a line, for the tool name
	doc    *collector // the document that is being collected
	replay bool       // lines of what was no document are offered again
	recap  bool       // the lanes' output is being repeated
}

// lane is one of the streams that a log may interleave.
type lane struct {
	matchers []Matcher
	block    func(Line) Verdict
	owner    int // format of the block
	taken    int // lines the block took
	opened   int // blocks opened so far
	dirs     []string
}

func newScan(opts Options, emit func(store.Event)) *Scan {
	formats := opts.Formats
	if formats == nil {
		formats = All
	}
	if len(opts.Matchers) > 0 {
		formats = append(matcherFormats(opts.Matchers), formats...)
	}
	s := &Scan{
		formats: formats, triggers: triggersOf(opts, formats), lanes: map[string]*lane{},
		paths: newPaths(opts.Root, opts.Dir), module: opts.GoModule, emit: emit,
	}
	s.step = newStep()
	for i, f := range formats {
		if f.Levels {
			s.leveled.add(i)
		}
	}
	return s
}

// allTriggers are those of All, made once: they do not change.
var allTriggers = sync.OnceValue(func() *triggers { return newTriggers(All) })

func triggersOf(opts Options, formats []Format) *triggers {
	if opts.Formats == nil && len(opts.Matchers) == 0 {
		return allTriggers()
	}
	return newTriggers(formats)
}

// Add records an event. It starts and ends at the current line unless the
// draft says otherwise, and its tool is the format's unless it names one.
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
	if d.dir == "" && s.cur != nil && len(s.cur.dirs) > 0 {
		d.dir = s.cur.dirs[len(s.cur.dirs)-1]
	}
	if len(s.step.drafts) >= maxPending {
		s.relieve()
	}
	return s.step.add(d)
}

// Reported returns what this step already holds of a tool under a key, nil for
// nothing.
func (s *Scan) Reported(tool, key string) *Draft {
	if key == "" {
		return nil
	}
	return s.step.byKey[tool+"\x00"+key]
}

// Newest returns the newest draft of this step, nil for none.
func (s *Scan) Newest() *Draft {
	if n := len(s.step.drafts); n > 0 {
		return s.step.drafts[n-1]
	}
	return nil
}

// Block opens a block: f is asked about each following line of this lane,
// before all formats, until it says Last or Done. A block that was open ends.
func (s *Scan) Block(f func(Line) Verdict) {
	s.cur.block, s.cur.owner, s.cur.taken = f, s.format, 0
	s.cur.opened++
}

// Enter notes that following file names are relative to dir.
func (s *Scan) Enter(dir string) {
	if len(s.cur.dirs) < maxLanes {
		s.cur.dirs = append(s.cur.dirs, dir)
	}
}

// Leave takes back the newest Enter of dir.
func (s *Scan) Leave(dir string) {
	for i := len(s.cur.dirs) - 1; i >= 0; i-- {
		if s.cur.dirs[i] == dir {
			s.cur.dirs = append(s.cur.dirs[:i], s.cur.dirs[i+1:]...)
			return
		}
	}
}

// BeginStep settles the step so far and begins another. The step so far, if
// nothing said how it ended, has the outcome that is given.
func (s *Scan) BeginStep(last Outcome) {
	s.closeBlocks()
	s.step.marked = true
	s.settle(last)
}

// EndStep says how the current step ended. What follows belongs to the next.
func (s *Scan) EndStep(o Outcome) {
	s.closeBlocks()
	s.step.outcome, s.step.marked = o, true
	s.settle(o)
}

// Hush notes that what follows is not the output of the current step.
func (s *Scan) Hush() { s.step.hushed = true }

// Fail notes that the current step failed, without ending it.
func (s *Scan) Fail() { s.step.outcome = Failed }

func (s *Scan) settle(last Outcome) {
	if s.step.outcome == Unknown {
		s.step.outcome = last
	}
	s.step.settle()
	s.flush()
	s.step = newStep()
}

// relieve hands out the certain drafts of a step that has too many to wait
// for its end, and of the others keeps the newest.
func (s *Scan) relieve() {
	unsure := s.step.setAsideUnsure(maxPending / 10)
	s.flush()
	s.step.drafts = unsure
}

// flush hands out the drafts of the step so far.
func (s *Scan) flush() {
	for _, e := range s.step.take(s.paths) {
		s.emitted++
		e.ID = s.emitted
		s.emit(e)
	}
}

func (s *Scan) lane(name string) *lane {
	if l := s.lanes[name]; l != nil {
		return l
	}
	if len(s.lanes) >= maxLanes {
		name = ""
		if l := s.lanes[name]; l != nil {
			return l
		}
	}
	l := &lane{matchers: make([]Matcher, len(s.formats))}
	s.lanes[name] = l
	return l
}

// within offers a line that another line held (go test -json) to the open
// block of a lane and to the formats, with a state of their own.
func (s *Scan) within(lane string, l Line) {
	outer, format, replay := s.cur, s.format, s.replay
	s.cur, s.replay = s.lane(lane), true
	text := []byte(l.Text)
	var m mask
	if s.triggers.scan(text, &m); !m.empty() || s.cur.block != nil {
		s.offer(l, text, &m)
	}
	s.cur, s.format, s.replay = outer, format, replay
}

// drop forgets a lane that has ended.
func (s *Scan) drop(lane string) { delete(s.lanes, lane) }

// line offers one line, envelope off, to the open block and the formats.
func (s *Scan) line(e *ready) {
	n, m := e.n, &e.formats
	s.now = n
	if e.level != "" {
		m.or(&s.leveled)
	}
	if s.recap && e.lane != "" {
		return // BuildKit says again what a failed step printed
	}
	if s.cur == nil || e.lane != s.curName {
		s.cur, s.curName = s.lane(e.lane), e.lane
	}
	if m.empty() && s.cur.block == nil && s.doc == nil && !startsDocument(e.text) {
		s.step.words(e.text, n)
		return
	}
	l := Line{Text: string(clip(e.text)), N: n, Level: e.level}
	if s.doc != nil && e.lane == "" {
		s.guard(func() { s.continueDocument(l, e.text) })
		return
	}
	taken := false
	s.guard(func() { taken = s.offer(l, e.text, m) })
	if !taken {
		s.step.words(e.text, n)
	}
}

// panicsPass lets tests see a format that panics.
var panicsPass = false

// guard runs f, which calls formats. One that panics on a stranger's text
// loses its block or its document, and nothing else is lost.
func (s *Scan) guard(f func()) {
	defer func() {
		if panicsPass {
			return
		}
		if recover() != nil {
			s.cur.block, s.doc, s.replay = nil, nil, false
			s.cur.matchers[s.format] = nil
		}
	}()
	f()
}

func clip(text []byte) []byte {
	if len(text) > maxLine {
		return text[:maxLine]
	}
	return text
}

// offer puts the line to the open block and to the formats of m, and says
// whether one took it.
func (s *Scan) offer(l Line, full []byte, m *mask) bool {
	if s.cur.block != nil && s.ask(l) {
		return true
	}
	for i := 0; !m.empty() && i < len(s.formats); i++ {
		if !m.has(i) || s.formats[i].New == nil {
			continue
		}
		if s.cur.matchers[i] == nil {
			s.cur.matchers[i] = s.formats[i].New()
		}
		s.format = i
		if s.cur.matchers[i](s, l) {
			return true
		}
	}
	if !s.replay && startsDocument(full) {
		return s.collect(l, full)
	}
	return false
}

// ask puts the line to the open block and says whether it took the line.
func (s *Scan) ask(l Line) bool {
	lane, opened := s.cur, s.cur.opened
	s.format = lane.owner
	verdict := lane.block(l)
	lane.taken++
	over := verdict == Last || verdict == Done || lane.taken >= maxBlock
	if over && lane.opened == opened { // a block may open its successor as it ends
		lane.block = nil
	}
	return verdict == Take || verdict == Last
}

// closeBlocks ends what is still open at the end of a step.
func (s *Scan) closeBlocks() {
	for _, l := range s.lanes {
		l.block = nil
		l.dirs = nil
	}
}

func (s *Scan) finish(exitCode *int) {
	s.guard(s.finishDocument)
	s.closeBlocks()
	o := Unknown
	if exitCode != nil {
		o = Passed
		if *exitCode != 0 {
			o = Failed
		}
		// Whoever knows the exit code shows the end of the log as it is.
		s.step.noLastWords = s.step.outcome == Unknown
	}
	s.settle(o)
}

func startsDocument(text []byte) bool {
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i == len(text) {
		return false
	}
	switch text[i] {
	case '{', '[':
		rest := bytes.TrimLeft(text[i+1:], " \t")
		return len(rest) == 0 || strings.IndexByte(`"{[]}`, rest[0]) >= 0
	case '<':
		text = text[i:]
		for _, root := range xmlRoots {
			if bytes.HasPrefix(text, root) {
				return true
			}
		}
	}
	return false
}

// xmlRoots are how XML documents start that formats read.
var xmlRoots = [][]byte{[]byte("<?xml"), []byte("<testsuite"), []byte("<checkstyle"), []byte("<test-run "), []byte("<test-results "), []byte("<assemblies"), []byte("<TestRun "), []byte("<BugCollection"), []byte("<pmd ")}
