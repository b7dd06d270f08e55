//go:build linux

package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a blqd that can be killed and restarted on the same port.
type server struct {
	t   *testing.T
	env []string

	mu   sync.Mutex // held while the server is killed and restarted
	addr string
	at   *process
	ends int // how often it was killed

	logMu sync.Mutex
	log   bytes.Buffer
}

// process is a started blqd. Each restart of a server starts another one.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// serve starts a server and stops it when the test ends.
func serve(t *testing.T, env ...string) *server {
	t.Helper()
	s := &server{t: t, addr: "127.0.0.1:0",
		env: append([]string{"PATH=" + os.Getenv("PATH"), "BLQ_AUTH=none", "BLQ_ORPHAN_AFTER=1h"}, env...)}
	check(t, s.start())
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			s.logMu.Lock()
			defer s.logMu.Unlock()
			t.Logf("the end of the server's log:\n%s", s.log.Bytes()[max(0, s.log.Len()-50_000):])
		}
	})
	return s
}

// start starts the server and waits until it is ready.
func (s *server) start() error {
	for try := 0; ; try++ {
		p := &process{exec.Command(blqd, "serve", "--addr", s.addr), make(chan struct{})}
		p.cmd.Env = s.env
		out, err := p.cmd.StderrPipe()
		if err != nil {
			return err
		}
		if err := p.cmd.Start(); err != nil {
			return err
		}
		serving := make(chan string, 1)
		go s.read(p, bufio.NewScanner(out), serving)
		select {
		case s.addr = <-serving:
			s.at = p
			return nil
		case <-p.ended: // a connection to the killed server may still hold its port
			if try == 20 {
				return fmt.Errorf("blqd ended: %v", p.cmd.ProcessState)
			}
		case <-time.After(time.Minute):
			_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it prints its goroutines
			<-p.ended
			return fmt.Errorf("blqd does not serve; its log shows its goroutines")
		}
	}
}

// read reads the log of a process until the process ends. It sends the address when the process serves.
func (s *server) read(p *process, lines *bufio.Scanner, serving chan<- string) {
	defer close(p.ended)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s.logMu.Lock()
		s.log.WriteString(lines.Text() + "\n")
		s.logMu.Unlock()
		var line struct{ Msg, Addr string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			serving <- line.Addr
		}
	}
	_ = p.cmd.Wait()
}

// pid returns the server's process ID.
func (s *server) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at.cmd.Process.Pid
}

func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

func (s *server) end() {
	_ = s.at.cmd.Process.Kill() // may have ended already
	<-s.at.ended
}

// restart kills the server and starts it again.
func (s *server) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	s.ends++
	if err := s.start(); err != nil {
		s.t.Error(err)
	}
}
