//go:build linux && (amd64 || arm64)

package cage

import (
	"errors"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// seal limits what this process may do. The process may write no files. A seccomp filter allows only the system calls
// that Go's runtime needs, and those for open files. So the process can open no file, connect to no address, start no
// process and send no signal to another process. If the system does not accept the filter, only the limit on writing
// applies.
func seal() error {
	if err := setLimits(map[int]uint64{unix.RLIMIT_FSIZE: 0}); err != nil {
		return err
	}
	runtime.LockOSThread() // the filter applies to all threads, but the permission applies only to this thread
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	program := filter(uint32(os.Getpid()))
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&p)))
	runtime.KeepAlive(program)
	switch {
	case errno == 0, errors.Is(errno, unix.ENOSYS), errors.Is(errno, unix.EINVAL), errors.Is(errno, unix.EPERM),
		errors.Is(errno, unix.EACCES):
		return nil
	}
	return os.NewSyscallError("seccomp", errno)
}

// allowed holds the system calls that are allowed, whatever their arguments are.
var allowed = []uint32{
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_READV, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_LSEEK, unix.SYS_FCNTL,
	unix.SYS_FSTAT, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MREMAP, unix.SYS_MINCORE,
	unix.SYS_BRK, unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME,
	unix.SYS_GETTIMEOFDAY, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETCPU, unix.SYS_MEMBARRIER,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_RESTART_SYSCALL, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM, unix.SYS_GETRUSAGE,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT,
	unix.SYS_EVENTFD2, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// These are offsets in the data that the system passes to a filter.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16 // offset of the lower half of the first argument
)

// filter returns the BPF program that allows or refuses the system calls of the process with the given ID.
func filter(pid uint32) []unix.SockFilter {
	fail := func(errno uint32) unix.SockFilter { return statement(ret, unix.SECCOMP_RET_ERRNO|errno) }
	list := []unix.SockFilter{
		statement(load, dataArch), jump(jumpEqual, architecture, 1, 0), statement(ret, unix.SECCOMP_RET_KILL_PROCESS),
		statement(load, dataCall),
		// Only new threads need clone. If clone3 fails, a C library uses clone.
		jump(jumpEqual, unix.SYS_CLONE3, 0, 1), fail(uint32(unix.ENOSYS)),
		jump(jumpEqual, unix.SYS_CLONE, 0, 4), statement(load, dataArgs), jump(jumpSet, unix.CLONE_THREAD, 0, 1),
		statement(ret, unix.SECCOMP_RET_ALLOW), fail(uint32(unix.EPERM)),
		// Go's runtime sends signals to threads of this process.
		jump(jumpEqual, unix.SYS_TGKILL, 0, 4), statement(load, dataArgs), jump(jumpEqual, pid, 0, 1),
		statement(ret, unix.SECCOMP_RET_ALLOW), fail(uint32(unix.EPERM)),
	}
	for _, call := range append(allowed, allowedHere...) {
		list = append(list, jump(jumpEqual, call, 0, 1), statement(ret, unix.SECCOMP_RET_ALLOW))
	}
	return append(list, fail(uint32(unix.EPERM)))
}

// These are the BPF instructions of the filter program.
const (
	load      = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	ret       = unix.BPF_RET | unix.BPF_K
	jumpEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpSet   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
)

func statement(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jump(code uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no}
}
