//go:build unix

package capture

import (
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// modesOf returns the modes of a terminal. It returns nil for other files.
func modesOf(f *os.File) *unix.Termios {
	var modes *unix.Termios
	err := control(f, func(fd int) (err error) {
		modes, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	if err != nil {
		return nil
	}
	return modes
}

func setModes(f *os.File, modes *unix.Termios) error {
	return control(f, func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, modes) })
}

// raw returns modes in which a terminal passes on every byte unchanged, in both directions.
func raw(modes *unix.Termios) *unix.Termios {
	r := *modes
	r.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	r.Oflag &^= unix.OPOST
	r.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	r.Cflag = r.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	r.Cc[unix.VMIN], r.Cc[unix.VTIME] = 1, 0
	return &r
}

// sameTerminal reports whether both files are the same terminal.
func sameTerminal(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil || modesOf(a) == nil || modesOf(b) == nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

// resize sets the size of a terminal to the size of another terminal, and reports whether the size has changed.
func resize(to, from *os.File) bool {
	want, have := sizeOf(from), sizeOf(to)
	if want == nil || have != nil && *have == *want {
		return false
	}
	return control(to, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, want) }) == nil
}

// sizeOf returns the size of a terminal. It returns nil for other files.
func sizeOf(f *os.File) *unix.Winsize {
	var size *unix.Winsize
	err := control(f, func(fd int) (err error) {
		size, err = unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		return err
	})
	if err != nil {
		return nil
	}
	return size
}

// openTerminalPair returns both sides of a new terminal. A deadline can end a read from the first side.
func openTerminalPair() (master, slave *os.File, err error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer opened.Close()
	slave.Fd() // makes the file blocking, as programs expect
	fd, err := unix.FcntlInt(opened.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		slave.Close()
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	return os.NewFile(uintptr(fd), opened.Name()), slave, nil
}

// control calls a function with a file's descriptor.
func control(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}
