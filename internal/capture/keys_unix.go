//go:build unix

package capture

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A terminal sends the signals of Ctrl-C and Ctrl-\ to one process group. Without blq this group has the command, the
// script that runs the command, and the other commands of a pipe. With blq the command is in a group of its own, so blq
// sends these signals to its own group. Ctrl-Z needs no such help: if the child stops, our group is stopped, too.

// keySignals are signals that we have sent to our own group and not yet received.
type keySignals struct {
	mu   sync.Mutex
	sent map[os.Signal]bool
}

// send sends a signal to our own process group.
func (k *keySignals) send(s syscall.Signal) {
	k.mu.Lock()
	if k.sent == nil {
		k.sent = map[os.Signal]bool{}
	}
	k.sent[s] = true
	k.mu.Unlock()
	_ = unix.Kill(0, s)
}

// own reports whether we sent this signal ourselves. A signal that was sent counts only once.
func (k *keySignals) own(s os.Signal) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	sent := k.sent[s]
	delete(k.sent, s)
	return sent
}

// signalsOf returns the signals that the terminal will send to the child's group for typed keys. The caller must call
// signalsOf before it writes the keys, because the signal can end a job, and then the job's shell gets the next
// signals.
func (s *session) signalsOf(typed []byte) (signals []syscall.Signal) {
	modes := modesOf(s.master)
	if modes == nil || modes.Lflag&unix.ISIG == 0 || !s.childInFront() {
		return nil
	}
	quotes := modes.Lflag&unix.ICANON != 0 && modes.Lflag&unix.IEXTEN != 0
	for _, c := range typed {
		switch {
		case s.quoted:
			s.quoted = false
		case c == 0: // 0 means that the key is not set
		case c == modes.Cc[unix.VINTR]:
			signals = append(signals, unix.SIGINT)
		case c == modes.Cc[unix.VQUIT]:
			signals = append(signals, unix.SIGQUIT)
		default:
			s.quoted = quotes && c == modes.Cc[unix.VLNEXT]
		}
	}
	return signals
}

// childInFront reports whether the child's group gets the signals of keys. If the child is a shell, it may have given
// the terminal to one of its jobs.
func (s *session) childInFront() bool {
	front, err := 0, error(nil)
	_ = control(s.master, func(fd int) error { front, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP); return nil })
	return err == nil && front == s.child
}

// interrupted sends our own group the signal of the key that has ended the child. A child that shares our terminal
// reads the keys directly. So we learn which key was typed only from the signal that ended the child.
func (p *process) interrupted(end ended) {
	if p.session != nil || !p.tty.lent {
		return
	}
	if s := syscall.Signal(end.number); s == unix.SIGINT || s == unix.SIGQUIT {
		p.keys.send(s)
	}
}

// maxLines is the max number of lines that passLines forwards.
const maxLines = 1000

// passLines forwards the lines that were typed before the outer terminal is in raw mode. In raw mode, a typed end of
// input would be read as a NUL.
func (s *session) passLines() {
	modes := modesOf(s.outer)
	if modes == nil || modes.Lflag&unix.ICANON == 0 {
		return
	}
	buf := make([]byte, 4096) // longer than the longest line of a terminal
	_ = control(s.outer, func(fd int) error {
		for range maxLines {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if n, err := unix.Poll(fds, 0); n <= 0 || err != nil || fds[0].Revents != unix.POLLIN {
				return err
			}
			n, err := unix.Read(fd, buf)
			if err != nil {
				return err
			}
			line := buf[:max(0, n)]
			if !endsLine(line, modes) {
				line = append(line, modes.Cc[unix.VEOF])
			}
			if _, err := s.master.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// endsLine reports whether a line from a terminal was ended by a character in it, and not by a typed end of input.
func endsLine(line []byte, modes *unix.Termios) bool {
	if len(line) == 0 {
		return false
	}
	last := line[len(line)-1]
	return last == '\n' || last != 0 && (last == modes.Cc[unix.VEOL] || last == modes.Cc[unix.VEOL2])
}
