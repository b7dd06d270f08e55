package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// session stores the output of a run as it arrives.
type session struct {
	w     *project.Project
	run   store.Run
	began time.Time // run.StartedAt with the monotonic clock, because the store does not keep that clock
	lock  *project.Live

	redacted map[capture.Stream]*redact.Stream // removes secrets, by stream; nil for no redaction

	log      *chunk.Writer
	logStage *stage

	parseStage *stage // while the stage runs, only its goroutine uses the fields below
	live       liveEvents
	parsers    map[capture.Stream]*parse.Parser
	options    parse.Options
	events     []store.Event
	files      map[string]bool // files that events name
	late       bool            // the command ended some time ago, so the files may have changed since
	last       int             // ID of the newest event
	batches    int
	findings   []store.Event // events that are known without parsing
	tests      parse.Tests   // test results from the log and from reports
	reports    func() []Report
	redactor   *redact.Redactor // removes secrets from reports, nil for none
	seen       map[string]int   // number of events of the log by sameness, for readReports

	mu   sync.Mutex
	lost error // the first error; later output is not stored
}

const (
	flushEvery = time.Second     // interval at which a growing log becomes readable
	showEvery  = 2 * time.Second // interval at which the errors of the log become visible
	beatEvery  = 10 * time.Second
	batchSize  = 5000
)

var streams = []capture.Stream{capture.Combined, capture.Stdout, capture.Stderr}

func newSession(w *project.Project, run store.Run, dir string, began time.Time, spec Spec, live *project.Live) (
	*session, error) {
	list, err := formats.Select(spec.Format)
	if err != nil {
		return nil, err
	}
	log, err := chunk.NewWriter(w.Store, w.Blobs, run.Attempt)
	if err != nil {
		return nil, err
	}
	modulePath, moduleDir := ci.GoModule(dir)
	s := &session{
		w: w, run: run, began: began, lock: live, log: log,
		reports: spec.Reports, seen: map[string]int{}, files: map[string]bool{},
		parsers: map[capture.Stream]*parse.Parser{},
		options: parse.Options{Formats: list, Matchers: spec.Matchers, Root: rootOf(w, run), Dir: run.Cwd,
			GoModule: parse.GoModule{Path: modulePath, Dir: moduleDir}, Tree: tree(rootOf(w, run)),
			WorkDirs: ci.WorkDirs(cmp.Or(spec.Script, run.Command))},
	}
	s.options.Tests = s.tests.Add
	s.logStage = newStage(s.write)
	s.parseStage = newStage(s.parse)
	return s, nil
}

// tree returns the work tree at root, or nil without one.
func tree(root string) parse.Tree {
	if root == "" {
		return nil
	}
	return ci.NewTree(root)
}

// rootOf returns the directory to which the file names of events are relative.
func rootOf(w *project.Project, run store.Run) string {
	if run.Git.Root != "" {
		return run.Git.Root
	}
	return w.Root()
}

// sink is the capture.Sink of the session.
func (s *session) sink(stream capture.Stream, text []byte) error {
	if r := s.redacted[stream]; r != nil {
		_, err := r.Write(text)
		return err
	}
	s.take(stream, text)
	return nil
}

// take passes redacted output to both stages. A log that cannot be stored is still parsed.
func (s *session) take(stream capture.Stream, text []byte) {
	for len(text) > 0 {
		n := min(len(text), pieceSize)
		p := newPiece(stream, text[:n], 2)
		s.logStage.in <- p
		s.parseStage.in <- p
		text = text[n:]
	}
}

// parse parses a piece, and shows the present events if asked to.
func (s *session) parse(p *piece) {
	if len(p.text) > 0 {
		s.parser(p.stream).Write(p.text)
		s.live.stale = true
	}
	if s.live.asked.Swap(false) {
		s.show()
	}
}

// write adds a piece to the log.
func (s *session) write(p *piece) {
	if s.failure() == nil {
		_, err := s.log.Write(context.Background(), string(p.stream), p.text)
		s.fail(err)
	}
}

func (s *session) flush() {
	if s.failure() == nil {
		s.fail(s.log.Flush(context.Background()))
	}
}

func (s *session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = err
	}
}

func (s *session) parser(stream capture.Stream) *parse.Parser {
	if p := s.parsers[stream]; p != nil {
		return p
	}
	p := parse.New(s.options, func(e store.Event) { s.keep(stream, e) })
	s.parsers[stream] = p
	return p
}

func (s *session) keep(stream capture.Stream, e store.Event) {
	s.saw(e)
	s.add(eventStream(string(stream)), e)
}

func (s *session) add(stream string, e store.Event) {
	s.last++
	e.ID, e.Stream = s.last, stream
	s.events = append(s.events, e)
	if len(s.events) >= batchSize {
		s.send()
	}
}

// send stores the gathered events.
func (s *session) send() {
	if len(s.events) == 0 {
		return
	}
	s.hideEvents(s.events)
	s.name(s.events)
	if err := s.w.Store.AddEvents(context.Background(), s.run.Attempt, s.batches, s.events); err != nil {
		s.fail(err)
	} else {
		s.batches++
	}
	s.events = s.events[:0]
	s.live.shown = nil // the stored batch replaces the shown events
}

// sendTests stores the test results. The parameter passed says whether the command is known to have passed.
func (s *session) sendTests(passed bool) {
	results := s.tests.Results(passed)
	s.tests = parse.Tests{} // it takes more memory than the results
	if s.redactor != nil {
		for i := range results {
			t := &results[i].Test
			t.Name, t.File = s.redactor.String(t.Name), s.redactor.String(t.File)
		}
	}
	if len(results) > 0 {
		s.fail(s.w.Store.AddTests(context.Background(), s.run.Attempt, results))
	}
}

// keepAlive regularly flushes the log, asks the parse stage to show events, and stores heartbeats. The returned
// function ends this.
func (s *session) keepAlive(ctx context.Context) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		flush, show, beat := time.NewTicker(flushEvery), time.NewTicker(showEvery), time.NewTicker(beatEvery)
		defer flush.Stop()
		defer show.Stop()
		defer beat.Stop()
		for {
			select {
			case <-done:
				return
			case <-flush.C:
				s.flush()
			case <-show.C:
				s.askToShow()
			case <-beat.C:
				// An error is ignored, because the lock also shows that the run is alive, and the next heartbeat comes
				// soon.
				_ = s.w.Store.Heartbeat(ctx, s.run.Attempt, time.Now())
			}
		}
	}()
	return func() { close(done); <-ended }
}

// finishWait is the max time for recording the end of a command. No other process locks the database for so long. So if
// this time is exceeded, the disk is stuck.
const finishWait = 3 * time.Minute

// hurry is the max time after a signal that asks us to end.
const hurry = 2 * time.Second

// finishInTime calls finish for an ended command. It gives up after finishWait, soon after a signal, and at once after
// a second signal. While it waits, it regularly calls the function waiting, which may be nil.
func (s *session) finishInTime(ctx context.Context, ending store.Ending, signals <-chan os.Signal,
	waiting func(stored, all int64)) (store.Run, error) {
	type result struct {
		run store.Run
		err error
	}
	done := make(chan result, 1)
	go func() {
		run, err := s.finish(ctx, ending)
		done <- result{run, err}
	}()
	tell := time.NewTicker(tellAfter)
	defer tell.Stop()
	stuck, interrupted := time.After(finishWait), false
	for {
		select {
		case r := <-done:
			return r.run, r.err
		case <-tell.C:
			if waiting != nil {
				waiting(0, 0)
			}
		case <-signals:
			if interrupted {
				return s.run, errors.New("the end of the run: interrupted")
			}
			stuck, interrupted = time.After(hurry), true
		case <-stuck:
			if interrupted {
				return s.run, errors.New("the end of the run: interrupted")
			}
			return s.run, fmt.Errorf("the end of the run: %s stood still for %s", s.w.Dir, finishWait)
		}
	}
}

// finish stores the remaining data and completes the run.
func (s *session) finish(ctx context.Context, ending store.Ending) (store.Run, error) {
	for _, name := range streams {
		if r := s.redacted[name]; r != nil {
			r.Close()
		}
	}
	s.logStage.finish()
	flushed := make(chan struct{})
	go func() { s.flush(); close(flushed) }() // waits for the disk while the rest is parsed
	s.parseStage.finish()
	for _, stream := range streams {
		if p := s.parsers[stream]; p != nil {
			p.Finish(parserExit(ending))
		}
	}
	s.readReports(parserExit(ending))
	<-flushed
	for _, e := range s.findings {
		s.add("", e)
	}
	s.send()
	exit := parserExit(ending)
	s.sendTests(exit != nil && *exit == 0)
	// The duration is measured with the monotonic clock, because the system clock may have been changed in the
	// meantime.
	ending.FinishedAt = s.run.StartedAt.Add(ending.FinishedAt.Sub(s.began))
	if err := s.failure(); err != nil {
		ending.Lost = "part of the log: " + err.Error()
	}
	run, err := s.w.Store.FinishRun(ctx, s.run.Attempt,
		store.Finish{Ending: ending, Chunks: s.log.Chunks(), Batches: s.batches, Lines: s.log.Lines(), Files: s.digests()})
	if err != nil {
		return s.run, err
	}
	return run, s.retain(ctx, run)
}

// parserExit returns the exit code for the parser, or nil if it is unknown. A command that a signal ended counts as
// failed.
func parserExit(e store.Ending) *int {
	if e.ExitCode == nil && e.Signal != "" {
		failed := 1
		return &failed
	}
	return e.ExitCode
}

// retain applies the configured retention after every twentieth run.
func (s *session) retain(ctx context.Context, run store.Run) error {
	retention := s.w.Config.Retention
	if retention.IsZero() || run.Serial%20 != 0 {
		return nil
	}
	_, err := s.w.Prune(ctx, retention.Policy(time.Now()))
	return err
}
