//go:build unix

package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawn starts args[0] as a shell would. It searches PATH, and runs a script without #! with sh.
func spawn(args []string, attr *syscall.ProcAttr) (int, error) {
	if fi, err := os.Stat(dirOf(attr)); err != nil || !fi.IsDir() {
		if err == nil {
			err = unix.ENOTDIR
		}
		return 0, &StartError{Name: attr.Dir, Code: 126, Err: reason("working directory: ", err)}
	}
	path, err := lookup(args[0], attr)
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(path, args, attr)
	if errors.Is(err, unix.ENOEXEC) && !isBinary(path, attr) {
		script := append([]string{"/bin/sh", path}, args[1:]...)
		pid, err = syscall.ForkExec("/bin/sh", script, attr)
	}
	if err == nil {
		return pid, nil
	}
	fi, statErr := os.Stat(within(path, attr))
	switch {
	case errors.Is(err, unix.ENOENT) && statErr == nil:
		err = errors.New("bad interpreter: no such file or directory")
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return 0, &StartError{Name: args[0], Code: 127, Err: reason("", err)}
	case statErr == nil && fi.IsDir():
		err = unix.EISDIR
	case errors.Is(err, unix.ENOEXEC):
		err = errors.New("cannot execute binary file")
	}
	return 0, &StartError{Name: args[0], Code: 126, Err: reason("", err)}
}

// become replaces this process by the command. It returns only if that fails.
func become(c *Command) error {
	if c.Background || c.Stdin != os.Stdin || c.Stdout != os.Stdout || c.Stderr != os.Stderr {
		return &StartError{Name: c.Args[0], Code: 126, Err: unix.EMFILE}
	}
	args := argv(c)
	path, err := lookup(args[0], &syscall.ProcAttr{Dir: c.Dir, Env: c.Env})
	if err == nil && c.Dir != "" {
		err = unix.Chdir(c.Dir)
	}
	if err != nil {
		return err
	}
	err = syscall.Exec(path, args, c.Env)
	if errors.Is(err, unix.ENOEXEC) {
		err = syscall.Exec("/bin/sh", append([]string{"/bin/sh", path}, args[1:]...), c.Env)
	}
	return &StartError{Name: args[0], Code: 126, Err: reason("", err)}
}

// lookup finds the program with a bare name in the child's PATH. It skips files that cannot be run. lookup returns a
// name with a slash unchanged.
func lookup(name string, attr *syscall.ProcAttr) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var denied bool
	for _, dir := range strings.Split(searchPath(attr.Env), string(filepath.ListSeparator)) {
		path := filepath.Join(dir, name)
		if !strings.Contains(path, "/") {
			path = "./" + path
		}
		fi, err := os.Stat(within(path, attr))
		if err != nil || fi.IsDir() {
			continue
		}
		if unix.Access(within(path, attr), unix.X_OK) == nil && fi.Mode()&0o111 != 0 {
			return path, nil
		}
		denied = true
	}
	if denied {
		return "", &StartError{Name: name, Code: 126, Err: errors.New("permission denied")}
	}
	return "", &StartError{Name: name, Code: 127, Err: errors.New("command not found")}
}

// defaultPath is where shells search if there is no PATH.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// searchPath returns the value of PATH in an environment, or defaultPath if PATH is not set. An empty entry in PATH is
// the working directory.
func searchPath(env []string) string {
	value := defaultPath
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			value = v
		}
	}
	return value
}

func dirOf(attr *syscall.ProcAttr) string {
	if attr.Dir == "" {
		return "."
	}
	return attr.Dir
}

// within converts a path of the child to a path for this process, because the child may have another working directory.
func within(path string, attr *syscall.ProcAttr) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dirOf(attr), path)
}

// isBinary reports whether a file has a zero byte near its beginning. Shells do not run such a file as a script,
// because it may be a program for another machine. isBinary also returns true if it cannot open the file.
func isBinary(path string, attr *syscall.ProcAttr) bool {
	f, err := os.Open(within(path, attr))
	if err != nil {
		return true
	}
	defer f.Close()
	head := make([]byte, 128)
	n, _ := f.Read(head)
	return bytes.IndexByte(head[:n], 0) >= 0
}

// reason adds a prefix to the bare error of a system call.
func reason(prefix string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s%w", prefix, err)
}
