package cage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// These are the exit codes of the process that runs a statement.
const (
	exitDone   = 0
	exitFatal  = 2 // exit code of Go's runtime if it cannot allocate memory
	exitBroken = 70
	exitMemory = 71
	exitTime   = 72
)

// Serve calls f if Run has started this process. When f returns, Serve ends the process. In any other process, Serve
// returns at once. f reads frames and writes the answer. If f returns an error, the exit code is exitBroken. A program
// must call Serve before anything else.
func Serve(f func(*Jail) error) {
	if len(os.Args) == 1 && os.Args[0] == role {
		os.Exit(serve(f))
	}
}

// Jail holds what a child needs for its work: the connection to its parent, and its memory limit.
type Jail struct {
	*Conn
	memory int64
}

// Memory returns the number of bytes that the child may use in addition to the memory of an idle child.
func (j *Jail) Memory() int64 { return j.memory }

// Seal gives up the child's rights to open files and to start processes.
func (j *Jail) Seal() error { return seal() }

func serve(f func(*Jail) error) (code int) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case strings.Contains(fmt.Sprint(p), "alloc"): // the SQL engine panics if it gets no memory
			code = exitMemory
		default:
			code = exitBroken
		}
	}()
	runtime.GOMAXPROCS(min(2, runtime.NumCPU())) // one processor for the work, one for watch
	debug.SetGCPercent(25)
	debug.SetMaxStack(32 << 20)
	if err := harden(); err != nil {
		return exitBroken
	}
	in, feed := io.Pipe()
	go func() {
		_, _ = io.Copy(feed, os.Stdin)
		os.Exit(exitDone) // the parent process has ended
	}()
	j := &Jail{Conn: &Conn{r: bufio.NewReaderSize(in, 32<<10), w: bufio.NewWriterSize(os.Stdout, 32<<10)}}
	l, err := j.limits()
	if err != nil {
		return exitBroken
	}
	j.memory = l.Memory
	debug.SetMemoryLimit(l.Memory)
	if err := confine(l); err != nil {
		return exitBroken
	}
	if err := f(j); err != nil {
		return exitBroken
	}
	return exitDone
}

// watch ends the process when it uses almost all of its allowed memory. The function resident returns the memory in
// use.
func watch(limit int64, resident func() int64) {
	bound := resident() + limit*7/8
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			if resident() > bound {
				os.Exit(exitMemory)
			}
		}
	}()
}

// OutOfMemory ends the process because it needs more memory than allowed.
func (j *Jail) OutOfMemory() { os.Exit(exitMemory) }
