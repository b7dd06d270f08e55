package deliveries

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// taker passes the text of a step to the log and to the parser.
type taker struct {
	ctx     context.Context
	turn    *shift
	store   Store
	claim   func(context.Context, store.Claim) (done func(), err error)
	log     *chunk.Writer
	parser  *parse.Parser
	attempt string
	events  []store.Event
	tests   parse.Tests
	last    int   // ID of the newest event
	max     int   // max number of events
	dropped int   // number of events beyond max
	full    error // error of an exhausted quota
	batches int
	err     error
}

// batchSize is the number of events that are stored together.
const batchSize = 1000

func (i *importer) taker(ctx context.Context, log *chunk.Writer, run store.Run, line string) *taker {
	t := &taker{ctx: ctx, turn: i.turn, store: i.store, log: log, attempt: run.Attempt, max: i.events}
	t.claim = func(ctx context.Context, c store.Claim) (func(), error) { return i.claim(ctx, run.Repo, c) }
	o := parse.Options{Formats: formats.All(), Root: i.root, Dir: run.Cwd, WorkDirs: ci.WorkDirs(line),
		Tests: t.tests.Add}
	if i.root != "" {
		o.Tree = ci.NewListedTree(i.root, func() []string {
			var files []string
			err := i.turn.outside(func() (err error) {
				files, err = i.commit.list(ctx)
				return err
			})
			i.failed = cmp.Or(i.failed, err)
			return files
		}, func(file string) (text string) {
			if i.failed == nil {
				i.failed = i.turn.outside(func() (err error) {
					text, err = i.commit.text(ctx, file)
					return err
				})
			}
			return text
		})
	}
	t.parser = parse.New(o, t.add)
	return t
}

func (t *taker) take(text []byte) {
	if t.err == nil {
		_, t.err = t.log.Write(t.ctx, store.StreamCombined, text)
	}
	if t.err == nil {
		t.parser.Write(text)
	}
}

func (t *taker) add(e store.Event) {
	if t.last == t.max || t.full != nil {
		t.dropped++
		return
	}
	t.last++
	e.ID = t.last
	t.events = append(t.events, e)
	if len(t.events) == batchSize {
		t.send()
	}
}

// send stores the gathered events if the quotas have room.
func (t *taker) send() {
	if t.err == nil && len(t.events) > 0 {
		t.keep(store.ClaimOf(t.events), func() error {
			err := t.store.AddEvents(t.ctx, t.attempt, t.batches, t.events)
			t.batches++
			return err
		})
		if t.full != nil {
			t.dropped += len(t.events)
		}
	}
	t.events = t.events[:0]
}

// keep calls add if the quotas have room for the claim. If a quota is used up, keep sets t.full, and the run gets no
// more events and test results.
func (t *taker) keep(c store.Claim, add func() error) {
	t.err = t.turn.outside(func() error {
		done, err := t.claim(t.ctx, c)
		switch code := store.CodeOf(err); {
		case code == store.Full, code == store.RateLimited && !isSoon(err):
			t.full = err
			return nil
		case err != nil:
			return err
		}
		defer done()
		return add()
	})
}

// isSoon reports whether another try of the job may soon have room. This is so if unfinished requests have claimed
// the rest of a quota.
func isSoon(err error) bool {
	after, ok := store.RetryAfter(err)
	return ok && after <= time.Minute
}

// finish stores the remaining data, and returns the number of batches.
func (t *taker) finish(e store.Ending) (batches int, err error) {
	if t.err == nil {
		t.err = t.log.Flush(t.ctx)
	}
	code := e.ExitCode
	if code == nil && e.Reason != store.ReasonExit {
		failed := 1
		code = &failed
	}
	t.parser.Finish(code)
	t.send()
	if results := t.tests.Results(code != nil && *code == 0); t.err == nil && t.full == nil && len(results) > 0 {
		size := 0
		for _, r := range results {
			size += r.Test.Size()
		}
		t.keep(store.Claim{Bytes: int64(store.TestBytes(len(results)*testBytes, size))}, func() error {
			return t.store.AddTests(t.ctx, t.attempt, results)
		})
	}
	return t.batches, t.err
}

// testBytes is the approximate size of a stored test result in bytes.
const testBytes = 8

// lost describes the missing parts of a run: parts that the ending names, events beyond the max number, and events and
// test results beyond a quota.
func (t *taker) lost(e store.Ending) string {
	var list []error
	if e.Lost != "" {
		list = append(list, errors.New(e.Lost))
	}
	switch {
	case t.full != nil:
		list = append(list, fmt.Errorf("%d events or results of tests beyond a quota: %w", t.dropped, t.full))
	case t.dropped > 0:
		list = append(list, fmt.Errorf("%d events beyond the first %d", t.dropped, t.max))
	}
	return join(list)
}

func join(list []error) (text string) {
	for i, err := range list {
		if i > 0 {
			text += "; "
		}
		text += err.Error()
	}
	return text
}
