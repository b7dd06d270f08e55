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

// These are the exit codes of a child.
const (
	exitDone   = 0
	exitFatal  = 2 // exit code of Go's runtime if it gets no memory
	exitBroken = 70
	exitMemory = 71
	exitTime   = 72
)

// Serve calls f in a process that Run has started, and ends the process. In any other process it returns at once. f
// reads frames and writes the answer. If f returns an error, the exit code is exitBroken. A program must call
// Serve before anything else.
func Serve(f func(*Jail) error) {
	if len(os.Args) == 1 && os.Args[0] == role {
		os.Exit(serve(f))
	}
}

// Jail is a child's side of its cage.
type Jail struct {
	*Conn
	memory int64
}

// Memory returns the number of bytes that the child may use beyond the memory of an idle child.
func (j *Jail) Memory() int64 { return j.memory }

// Seal removes abilities that the child needs no longer. After it, the child can neither open nor start anything.
func (j *Jail) Seal() error { return seal() }

func serve(f func(*Jail) error) (code int) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case strings.Contains(fmt.Sprint(p), "alloc"): // a panic of the engine, which got no memory
			code = exitMemory
		default:
			code = exitBroken
		}
	}()
	runtime.GOMAXPROCS(min(2, runtime.NumCPU())) // one for the work, one for watch
	debug.SetGCPercent(25)
	debug.SetMaxStack(32 << 20)
	if err := harden(); err != nil {
		return exitBroken
	}
	in, feed := io.Pipe()
	go func() {
		_, _ = io.Copy(feed, os.Stdin)
		os.Exit(exitDone) // the parent is gone
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

// watch ends the process when it uses almost all of its allowed memory. resident returns the memory in use.
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
