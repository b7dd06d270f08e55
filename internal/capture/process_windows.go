package capture

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// process is a child process, with the job object that contains the child and its descendants.
type process struct {
	child   *os.Process
	job     windows.Handle // 0 when there is no job object
	exited  chan ended
	stopped chan syscall.Signal
}

func listen(c chan os.Signal) { signal.Notify(c, endings()...) }

// endings are the signals that ask a process to end.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func start(c *Command, files []*os.File, _ []*reader) (*process, error) {
	if fi, err := os.Stat(c.Dir); c.Dir != "" && (err != nil || !fi.IsDir()) {
		return nil, &StartError{Name: c.Dir, Code: 126, Err: errors.New("working directory: no such directory")}
	}
	sys := &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: c.Background}
	args := c.Args
	if c.Shell {
		// cmd.exe has its own rules for splitting the command line. Go's quoting would change the line.
		args = []string{"cmd.exe"}
		sys.CmdLine = `cmd.exe /D /S /C "` + strings.Join(c.Args, " ") + `"`
	}
	path, err := exec.LookPath(args[0])
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return nil, startError(args[0], err)
	}
	child, err := os.StartProcess(path, args, &os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: files, Sys: sys})
	if err != nil {
		return nil, startError(args[0], err)
	}
	p := &process{child: child, job: newJob(child.Pid), exited: make(chan ended, 1)}
	go p.wait()
	return p, nil
}

func tooManyFiles(error) bool { return false }

func become(*Command) error { return errors.ErrUnsupported }

func startError(name string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return &StartError{Name: name, Code: 127, Err: errors.New("command not found")}
	}
	return &StartError{Name: name, Code: 126, Err: err}
}

// newJob puts the child into a job object. Closing the object does not end processes, so background processes of a
// step survive.
func newJob(pid int) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, h)
		windows.CloseHandle(h)
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0
	}
	return job
}

func (p *process) wait() {
	state, err := p.child.Wait()
	if err != nil {
		p.exited <- ended{code: 1}
		return
	}
	p.exited <- ended{code: state.ExitCode()}
}

// signal sends Ctrl-Break, because Ctrl-C is disabled in a new process group.
func (p *process) signal(os.Signal) { p.terminate() }

func (p *process) terminate() {
	windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.child.Pid))
}

func (p *process) kill() {
	if p.job != 0 && windows.TerminateJobObject(p.job, 1) == nil {
		return
	}
	p.child.Kill()
}

// groupAlive returns false. On Windows, processes that the child leaves behind get no grace period.
func (p *process) groupAlive() bool { return false }

func (p *process) jobControl(os.Signal) bool { return false }
func (p *process) onStop(syscall.Signal)     {}
func (p *process) interactive() bool         { return false }
func (p *process) reclaim()                  {}
func (p *process) interrupted(ended)         {}

// dieOf does nothing, because Windows has exit codes but no signals.
func dieOf(Result) {}

// unread returns false. On Windows, only the error of a write shows that a pipe has no reader.
func unread(*os.File) bool { return false }

func awaitUnread(*os.File, time.Duration) (bool, error) { return false, errors.ErrUnsupported }

func anonymous(*os.File) bool { return false }

// readable returns false. On Windows, it is not known whether a read would return immediately.
func readable(*os.File) bool { return false }

// awaitWritable returns false. On Windows, a write to a full pipe waits and does not fail.
func awaitWritable(*os.File, error) bool { return false }

func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) ||
		errors.Is(err, syscall.EPIPE)
}

// handOver closes the pipes that are still open. On Windows, processes that outlive the child lose their later output.
func (p *process) handOver(_ ended, readers []*reader) error {
	for _, r := range readers {
		if r.held.Load() {
			r.pipe.Close()
		}
	}
	return nil
}

var roles map[string]func() int

func (c *Command) openPipe(*os.File) (r, w *os.File, err error) { return os.Pipe() }
