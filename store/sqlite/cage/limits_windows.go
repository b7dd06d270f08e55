package cage

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func self() (string, error) { return os.Executable() }

func root() string { return "" }

func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func killGroup(p *os.Process) { _ = p.Kill() } // a child may not start other processes

func harden() error { return nil }

// idleMemory is the memory that a child needs before it gets work, in bytes.
const idleMemory = 128 << 20

// confine sets the limits of this process. The process is alone in a job object, which enforces the limits.
func confine(l limits) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	info.BasicLimitInformation.ActiveProcessLimit = 1
	info.ProcessMemoryLimit = uintptr(idleMemory + l.Memory)
	if l.CPU > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_TIME
		info.BasicLimitInformation.PerProcessUserTimeLimit = int64(l.CPU/100) + 1e7 // in units of 100 ns
	}
	_, err := job(windows.CurrentProcess(), &info)
	return err
}

// seal does nothing, because the job object enforces the limits.
func seal() error { return nil }

// hold puts a child into a job object that ends it when this process ends.
func hold(pid int) (release func(), err error) {
	child, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return func() {}, err
	}
	defer windows.CloseHandle(child)
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	held, err := job(child, &info)
	if err != nil {
		return func() {}, err
	}
	return func() { windows.CloseHandle(held) }, nil
}

// job creates a job object with limits, and puts a process into it.
func job(process windows.Handle, info *windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) (windows.Handle, error) {
	h, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	_, err = windows.SetInformationJobObject(h, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(info)), uint32(unsafe.Sizeof(*info)))
	if err == nil {
		err = windows.AssignProcessToJobObject(h, process)
	}
	if err != nil {
		windows.CloseHandle(h)
		return 0, os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return h, nil
}

// yieldSession does nothing, because this system does not share processors by session.
func yieldSession(int) {}
