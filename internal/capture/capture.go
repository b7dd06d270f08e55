// Package capture runs a child process as if nobody stood in between, and
// copies its output: same arguments, environment, stdin, signals and ending.
// It may import package store, the standard library and golang.org/x/sys.
package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// Stream names where output came from.
type Stream string

// The streams: one for both unless they are kept apart.
const (
	Combined Stream = "combined"
	Stdout   Stream = "stdout"
	Stderr   Stream = "stderr"
)

// Sink receives the output in order, from one goroutine. The bytes are valid
// during the call only. It may be slow or block: the child does not wait for
// it. After an error it is not called again.
type Sink func(stream Stream, p []byte) error

// Command says what to run and how. The zero value of each field but Args is
// usable.
type Command struct {
	Args  []string // the program and its arguments, as they came
	Shell bool     // Args[0] is text for sh -c (cmd /C on Windows), the others its arguments
	Dir   string   // "" for the current directory
	Env   []string // nil for our own

	Stdin  *os.File // nil for our own, like the next two
	Stdout *os.File
	Stderr *os.File

	// Background is for a child of a server: what is nil above is empty and
	// nowhere, there is no terminal, and our signals are not listened to.
	Background bool

	Split   bool          // keep stdout and stderr apart: each has its order, the order between them is lost
	Timeout time.Duration // 0 for none
	Grace   time.Duration // between asking the child to end and killing it, 0 for 10 s
	Hurry   time.Duration // the same once ctx is cancelled, 0 for Grace

	Memory   int           // bytes queued for the sink in memory, 0 for 8 MiB
	SpillDir string        // where output goes that memory cannot hold, "" drops it
	SpillMax int64         // bytes of it, 0 for 2 GiB
	Stall    time.Duration // how long the sink may stand still once the child has ended, 0 for 30 s (5 s after a cancel)
}

// Result says how the child ended and what became of its output.
type Result struct {
	Started, Finished time.Time
	ExitCode          int    // -1 when a signal ended it
	Signal            string // SIGTERM, …, "" when it exited
	Reason            store.Reason
	Bytes             int64  // output read
	LostBytes         int64  // output the sink did not get
	Lost              string // what was lost and why, in words, "" for nothing
	number            int    // of Signal
}

// Ending returns the result as a run records it.
func (r Result) Ending() store.Ending {
	e := store.Ending{FinishedAt: r.Finished, Signal: r.Signal, Reason: r.Reason, Lost: r.Lost}
	if r.Signal == "" {
		e.ExitCode = &r.ExitCode
	}
	return e
}

// Run runs the command and returns when it has ended and the sink has its
// output. The only errors are those of starting (*StartError); whatever fails
// later is in Result.Lost. Cancelling ctx asks the child's whole process group
// to end and kills it after the grace period.
func Run(ctx context.Context, cmd Command, sink Sink) (Result, error) {
	if len(cmd.Args) == 0 {
		return Result{}, &StartError{Code: 127, Err: errors.New("no command given")}
	}
	release, err := cmd.defaults()
	if err != nil {
		return Result{}, err
	}
	defer release()
	signals := make(chan os.Signal, 16)
	if !cmd.Background {
		listen(signals) // before the child exists, so that none is missed
		defer signal.Stop(signals)
	}

	q := newQueue(cmd.Memory, cmd.SpillDir, cmd.SpillMax)
	readers, ends, err := cmd.pipes(q)
	if err != nil {
		return Result{}, fmt.Errorf("open pipe: %w", err)
	}
	for _, r := range readers {
		if unread(r.to) {
			r.pipe.Close() // the child hears of it when it first writes, as without us
		}
	}
	res := Result{Started: time.Now()}
	proc, err := start(&cmd, []*os.File{cmd.Stdin, ends[0], ends[len(ends)-1]})
	for _, w := range ends {
		w.Close()
	}
	if err != nil {
		for _, r := range readers {
			r.pipe.Close()
		}
		return Result{}, err
	}

	recorded := make(chan struct{})
	go func() { defer close(recorded); q.deliver(sink) }()
	for _, r := range readers {
		go r.copy()
	}
	s := supervisor{cmd: &cmd, proc: proc, signals: signals}
	end := s.watch(ctx)
	res.Finished = time.Now()
	proc.reclaim()
	for _, r := range readers {
		r.childEnded()
	}
	s.finish(readers)
	q.close()
	s.awaitSink(q, recorded)

	res.ExitCode, res.Signal, res.number = end.code, end.signal, end.number
	res.Reason = s.reasonOf(end)
	res.Bytes, res.LostBytes, res.Lost = q.account()
	for _, r := range readers {
		if r.passErr != nil && res.Lost == "" {
			res.Lost = fmt.Sprintf("output was recorded but not shown: %v", r.passErr)
		}
	}
	return res, nil
}

// defaults fills in what was left out. What it opened is released in the end.
func (c *Command) defaults() (release func(), err error) {
	own := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	release = func() {}
	if c.Background {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		own, release = []*os.File{null, null, null}, func() { null.Close() }
	}
	for i, file := range []**os.File{&c.Stdin, &c.Stdout, &c.Stderr} {
		if *file == nil {
			*file = own[i]
		}
	}
	if c.Grace == 0 {
		c.Grace = 10 * time.Second
	}
	if c.Hurry == 0 {
		c.Hurry = c.Grace
	}
	if c.Memory == 0 {
		c.Memory = 8 << 20
	}
	if c.SpillMax == 0 {
		c.SpillMax = 2 << 30
	}
	if c.Env == nil {
		c.Env = os.Environ()
		if dir, err := filepath.Abs(c.Dir); c.Dir != "" && err == nil {
			c.Env = slices.DeleteFunc(c.Env, func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
			c.Env = append(c.Env, "PWD="+dir) // as a shell's cd would
		}
	}
	return release, nil
}

// pipes opens the pipes for the child's output: one reader and one end for
// both streams, or two of each.
func (c *Command) pipes(q *queue) (readers []*reader, ends []*os.File, err error) {
	streams := []Stream{Combined}
	if c.Split {
		streams = []Stream{Stdout, Stderr}
	}
	for i, stream := range streams {
		r, w, err := os.Pipe()
		if err != nil {
			for j := range readers {
				readers[j].pipe.Close()
				ends[j].Close()
			}
			return nil, nil, err
		}
		enlarge(w)
		to := []*os.File{c.Stdout, c.Stderr}[i]
		readers = append(readers, newReader(r, to, q.writer(stream)))
		ends = append(ends, w)
	}
	return readers, ends, nil
}
