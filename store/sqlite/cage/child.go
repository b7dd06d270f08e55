package cage

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// role is the name under which this program starts itself as a child.
const role = "blq-statement"

// child is a process that works on one call.
type child struct {
	command *exec.Cmd
	conn    *Conn
	pipes   [2]*os.File // the child's input and output
	release func()      // frees the object that holds the child's limits, if there is such an object
	retire  *time.Timer // kills the child if no call takes the child in time
	killed  sync.Once
}

// start starts a child. The child gets no open files except two pipes and the null device, and no environment except
// the time zone.
func start() (*child, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourOut.Close())
	}
	c := &exec.Cmd{
		Path: program, Args: []string{role}, Env: environment(), Dir: root(),
		Stdin: theirIn, Stdout: theirOut, SysProcAttr: apart(),
	}
	err = c.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	child := &child{command: c, pipes: [2]*os.File{ourIn, ourOut}, release: func() {}}
	child.conn = &Conn{r: bufio.NewReaderSize(ourIn, 32<<10), w: bufio.NewWriterSize(ourOut, 32<<10)}
	if child.release, err = hold(c.Process.Pid); err != nil {
		_, _ = child.end()
		return nil, err
	}
	return child, nil
}

// environment returns only the time zone, because statements may use local times.
func environment() []string {
	if zone, ok := os.LookupEnv("TZ"); ok {
		return []string{"TZ=" + zone}
	}
	return []string{}
}

// kill kills the child, and all processes that the child has started. After kill, calls over c.conn return errors.
func (c *child) kill() {
	c.killed.Do(func() { killGroup(c.command.Process) })
}

// end kills the child and waits until it has ended. It returns the CPU time that the child used. If the child ended by
// itself, end also returns the reason as an error.
func (c *child) end() (time.Duration, error) {
	gone := make(chan struct{})
	var ours bool
	if c.conn.lost { // the child has ended, or is about to end
		t := time.AfterFunc(time.Second, func() { ours = true; c.kill(); close(gone) })
		_ = c.command.Wait() // the exit state has more details than this error
		if !t.Stop() {
			<-gone
		}
	} else {
		ours = true
		c.kill()
		_ = c.command.Wait()
	}
	c.pipes[0].Close()
	c.pipes[1].Close()
	c.release()
	state := c.command.ProcessState
	if state == nil {
		return 0, nil
	}
	used := state.UserTime() + state.SystemTime()
	if ours {
		return used, nil
	}
	return used, verdict(state)
}

// verdict returns the reason why a child ended by itself. It reads the reason from the child's exit state.
func verdict(state *os.ProcessState) error {
	switch state.ExitCode() {
	case exitMemory, exitFatal:
		return ErrMemory
	case exitTime:
		return ErrTime
	}
	return store.Hint(store.Errorf(store.Unavailable, "the process of the statement has ended: %s", state), "try again")
}
