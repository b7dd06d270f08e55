// Package capture runs a child process transparently and copies its output. The child gets the same arguments,
// environment, stdin and signals as without blq, and ends in the same way. The package may import store,
// internal/unnamed, the standard library, golang.org/x/sys and github.com/creack/pty.
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

// Stream names the source of output.
type Stream string

// These are the streams of a child's output. By default, all output is in the stream Combined. With Command.Split, it
// is in the streams Stdout and Stderr.
const (
	Combined Stream = "combined"
	Stdout   Stream = "stdout"
	Stderr   Stream = "stderr"
)

// Sink receives the output in order, from one goroutine. The bytes are valid only during the call. A Sink may block,
// because the child does not wait for it. After a Sink has returned an error, it is not called again.
type Sink func(stream Stream, p []byte) error

// Command describes a command to run. Args is required. Every other field may be zero.
type Command struct {
	Args  []string // the program and its arguments
	Shell bool     // Args[0] is a script for sh -c (cmd /C on Windows), and the other words are arguments of the script
	Dir   string   // working directory, "" for the current directory
	Env   []string // environment of the child; nil for that of this process, without Hidden
	// Hidden are names of environment variables that the child does not inherit.
	Hidden []string

	// These are the standard files of the child. If a file is nil, the child gets the file of this process.
	Stdin  *os.File
	Stdout *os.File
	Stderr *os.File

	// Background is for a child of a server. If Stdin is nil, the input of the child is then empty. If Stdout or Stderr
	// is nil, that output is discarded. The child has no terminal. Signals to this process are not forwarded.
	Background bool

	// PTY gives the child a terminal if the output of this process is a terminal. Windows does not support PTY.
	PTY bool

	Split   bool          // keep stdout and stderr apart; the order between them is lost
	Timeout time.Duration // 0 for none
	Grace   time.Duration // time between the request to end and the kill, 0 for 10 s
	Hurry   time.Duration // used instead of Grace after ctx is cancelled, 0 for Grace

	Memory   int    // bytes of output queued in memory for the sink, 0 for 8 MiB
	SpillDir string // directory for output that does not fit in memory, "" to drop it
	SpillMax int64  // max bytes in SpillDir, 0 for 2 GiB
	// Stall is the max time without progress of the sink after the child has ended. Zero means 30 s, or 5 s after a
	// cancel.
	Stall time.Duration
	// Waiting is called while the sink is slow. After the child has ended, Run waits for the time Patience, and then
	// calls Waiting at intervals until the sink has everything. The argument done is the number of bytes that the
	// sink has, and the argument all is the total. Waiting may be nil. After the first call, a signal ends the
	// waiting.
	Waiting  func(done, all int64)
	Patience time.Duration // 0 for 2 s
}

// Result describes how the child ended, and how much of its output reached the sink.
type Result struct {
	Started, Finished time.Time
	ExitCode          int    // -1 if a signal ended the child
	Signal            string // such as SIGTERM, "" if the child exited
	Reason            store.Reason
	Bytes             int64  // bytes of output that were read
	LostBytes         int64  // bytes of output that the sink did not get
	Lost              string // sentence about lost output and the reason, "" if nothing was lost
	Unwritten         string // sentence about a failed write to our own output, "" if all writes succeeded
	number            int    // number of the signal in Signal
}

// Ending returns the result in the form for a stored run.
func (r Result) Ending() store.Ending {
	e := store.Ending{FinishedAt: r.Finished, Signal: r.Signal, Reason: r.Reason, Lost: r.Lost}
	if r.Signal == "" {
		e.ExitCode = &r.ExitCode
	}
	return e
}

// Run runs the command. It returns when the child has ended, and the sink has all output or makes no progress. The
// error is a *StartError if the child cannot be started. Later failures are in Result.Lost. If ctx is cancelled, Run
// asks the child's process group to end, and kills the group after the grace period.
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
		listen(signals) // before the child starts, so no signal is missed
		defer signal.Stop(signals)
	}

	q := newQueue(cmd.Memory, cmd.SpillDir, cmd.SpillMax)
	res := Result{Started: time.Now()}
	proc, readers, uncopied, err := cmd.begin(q)
	if err != nil {
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
	proc.interrupted(end)
	for _, r := range readers {
		r.childEnded()
	}
	s.finish(readers)
	orphans := proc.handOver(end, readers)
	q.close()
	s.awaitSink(q, recorded)

	res.ExitCode, res.Signal, res.number = end.code, end.signal, end.number
	res.Reason = s.reasonOf(end)
	res.Bytes, res.LostBytes, res.Lost = q.account()
	for _, r := range readers {
		if r.passErr != nil {
			res.unwritten(r.passErr)
		}
	}
	if uncopied != nil {
		res.Lost = fmt.Sprintf("the output, which was shown but not recorded: %v", uncopied)
	}
	if orphans != nil && res.Lost == "" {
		res.Lost = fmt.Sprintf("the output of processes that the command left running: %v", orphans)
	}
	return res, nil
}

// unwritten records that a write to our own output failed, for example on a full disk. Without blq, the child would
// have failed. With blq, the child does not notice. So unwritten changes the exit code 0 to 1.
func (r *Result) unwritten(err error) {
	r.Unwritten = fmt.Sprintf("the output could not be written: %v", err)
	if r.ExitCode == 0 && r.Signal == "" {
		r.ExitCode = 1
		r.Unwritten += "; so the exit code is 1, not 0"
	}
}

// begin starts the child with our pipes. If too few file descriptors are left for pipes, the child gets our own
// output instead. In this case there are no readers, and uncopied says why the output is not copied. If not even a
// child can be started, this process becomes the command.
func (c *Command) begin(q *queue) (proc *process, readers []*reader, uncopied, err error) {
	readers, ends, err := c.pipes(q)
	if err == nil {
		for _, r := range readers {
			if unread(r.to) {
				r.pipe.Close() // the child's next write fails, as without blq
			}
		}
		proc, err = start(c, []*os.File{c.Stdin, ends[0], ends[len(ends)-1]}, readers)
		for _, w := range ends {
			w.Close()
		}
		if err == nil {
			return proc, readers, nil, nil
		}
		for _, r := range readers {
			r.pipe.Close()
		}
		if !tooManyFiles(err) {
			return nil, nil, nil, err
		}
	}
	uncopied = err
	if proc, err = start(c, []*os.File{c.Stdin, c.Stdout, c.Stderr}, nil); tooManyFiles(err) {
		err = become(c)
	}
	return proc, nil, uncopied, err
}

// defaults gives fields that are zero their default values. The returned function closes the files that were opened.
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
	if c.Patience == 0 {
		c.Patience = 2 * time.Second
	}
	if c.Memory == 0 {
		c.Memory = 8 << 20
	}
	if c.SpillMax == 0 {
		c.SpillMax = 2 << 30
	}
	if c.Env == nil {
		c.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return slices.Contains(c.Hidden, name)
		})
		if dir, err := filepath.Abs(c.Dir); c.Dir != "" && err == nil {
			c.Env = slices.DeleteFunc(c.Env, func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
			c.Env = append(c.Env, "PWD="+dir) // cd sets PWD in a shell, too
		}
	}
	return release, nil
}

// pipes opens the pipes for the child's output. Both streams share one reader and one write end; with Split, each
// stream has its own reader and its own write end.
func (c *Command) pipes(q *queue) (readers []*reader, ends []*os.File, err error) {
	streams := []Stream{Combined}
	if c.Split {
		streams = []Stream{Stdout, Stderr}
	}
	for i, stream := range streams {
		to := []*os.File{c.Stdout, c.Stderr}[i]
		r, w, err := c.openPipe(to)
		if err != nil {
			for j := range readers {
				readers[j].pipe.Close()
				ends[j].Close()
			}
			return nil, nil, err
		}
		readers = append(readers, newReader(r, to, q.writer(stream)))
		ends = append(ends, w)
	}
	return readers, ends, nil
}
