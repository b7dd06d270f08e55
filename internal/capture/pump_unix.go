//go:build unix

package capture

import (
	"cmp"
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// pumpRole is the name of this program when it starts itself as a pump.
const pumpRole = "blq-output"

var roles = map[string]func() int{pumpRole: func() int { pump(0, 1); return 0 }, sessionRole: lead}

// handOver lets another process pass on the remaining output of each pipe that may still get output, and closes our end
// of the pipe.
func (p *process) handOver(end ended, readers []*reader) error {
	var failed error
	for i, r := range readers {
		held := r.held.Load()
		switch {
		case i == 0 && p.session != nil:
			p.session.restore(end.signal == "")
			failed = cmp.Or(failed, p.session.quit(held))
		case held:
			failed = cmp.Or(failed, startPump(r.pipe, r.to))
		}
		if held {
			r.pipe.Close()
		}
	}
	return failed
}

// startPump starts a process that copies from a pipe to a file. The process ends when the pipe has no writer any more,
// or when the file has no reader. The process has an empty environment and its own session. So neither a CI's cleanup
// nor a signal to our group ends the process before the writers end.
func startPump(pipe, to *os.File) error {
	if !reexecs {
		return errors.ErrUnsupported
	}
	program, err := self()
	if err != nil {
		return err
	}
	files := make([]*os.File, max(2, lastInherited()+1)) // other files stay closed, because they may be locks
	files[0], files[1] = pipe, to
	p, err := os.StartProcess(program, []string{pumpRole}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	go func() { _, _ = p.Wait() }() // avoids a zombie in a long-lived process
	return nil
}

// lastInherited returns the highest file descriptor that this process inherited and passes on to its children.
func lastInherited() int {
	last := 2
	open, _ := os.ReadDir("/dev/fd") // without /dev/fd none is known
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && inherited(fd) {
			last = max(last, fd)
		}
	}
	return last
}

func inherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// pump copies from a pipe to a file, until the pipe ends or the file has no reader. After other write errors it still
// reads, so that the writers can continue.
func pump(in, out int) {
	buf := make([]byte, 64<<10)
	broken := false
	for {
		fds := []unix.PollFd{{Fd: int32(in), Events: unix.POLLIN}, {Fd: int32(out)}}
		if broken {
			fds = fds[:1]
		}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if !broken && fds[1].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return
		}
		if fds[0].Revents == 0 {
			continue
		}
		n, err := unix.Read(in, buf)
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			continue
		case n <= 0:
			return
		case broken:
			continue
		}
		if err := writeAll(out, buf[:n]); errors.Is(err, unix.EPIPE) {
			return
		} else if err != nil {
			broken = true
		}
	}
}

// writeAll writes to a file that may be in non-blocking mode.
func writeAll(fd int, p []byte) error {
	for len(p) > 0 {
		n, err := unix.Write(fd, p)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1); err != nil &&
				!errors.Is(err, unix.EINTR) {
				return err
			}
		case err != nil:
			return err
		default:
			p = p[n:]
		}
	}
	return nil
}
