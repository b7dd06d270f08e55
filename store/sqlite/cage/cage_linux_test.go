package cage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// TestMain runs the tests, or makes the test binary a caged child, or a parent that another process kills.
func TestMain(m *testing.M) {
	Serve(obey)
	if os.Getenv("BLQ_TEST_PARENT") == "" {
		os.Exit(m.Run())
	}
	c, err := start()
	if err == nil {
		err = c.conn.send(limits{Memory: 64 << 20})
	}
	if err == nil {
		err = c.conn.Send('O', []byte("spin"))
	}
	if err == nil {
		err = c.conn.Flush()
	}
	fmt.Println(c.command.Process.Pid, err)
	select {}
}

// obey executes the order in the next frame. It runs in a child. The answer has a line for each action that the cage
// should have prevented, or the lines that the order asks for.
func obey(j *Jail) error {
	_, size, err := j.Next()
	if err != nil {
		return err
	}
	b, err := j.Payload(size)
	if err != nil {
		return err
	}
	var worked []string
	switch order, rest, _ := strings.Cut(string(b), " "); order {
	case "escape":
		if err := j.Seal(); err != nil {
			return err
		}
		worked = escapes(rest, true)
	case "environment":
		dir, _ := os.Getwd()
		worked = append(os.Environ(), dir)
	case "allocate":
		for hoard := [][]byte{}; ; {
			hoard = append(hoard, slices.Repeat([]byte{1}, 1<<20))
		}
	case "spin":
		for i := 0; ; i++ {
		}
	case "panic":
		panic("broken")
	}
	if err := j.Send('A', []byte(strings.Join(worked, "\n"))); err != nil {
		return err
	}
	return j.Flush()
}

// escapes tries actions that must fail in a sealed process, and returns the actions that succeed. Other processes may
// read and write file. With dangerous, escapes also tries actions that may damage the process.
func escapes(file string, dangerous bool) (open []string) {
	try := func(name string, err error) {
		if err == nil {
			open = append(open, name)
		}
	}
	_, err := os.ReadFile(file)
	try("read", err)
	try("write", os.WriteFile(file, nil, 0o600))
	try("remove", os.Remove(file))
	_, err = net.Listen("tcp", "127.0.0.1:0")
	try("listen", err)
	_, err = net.Dial("unix", file)
	try("connect", err)
	try("execute", exec.Command("/proc/self/exe", "-test.run", "none").Run())
	try("signal", syscall.Kill(os.Getppid(), 0))
	try("chdir", os.Chdir("."))
	if !dangerous {
		return open
	}
	_, _, errno := syscall.Syscall(syscall.SYS_TGKILL, uintptr(os.Getppid()), uintptr(os.Getppid()), 0)
	if errno == 0 {
		open = append(open, "signal a thread")
	}
	_, _, errno = syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 {
		open = append(open, "fork")
	}
	try("become", syscall.Exec("/bin/true", []string{"true"}, nil))
	try("trace", syscall.PtraceAttach(os.Getppid()))
	return open
}

// order runs a child that does something, and returns the child's answer.
func order(ctx context.Context, c *Cage, timeout time.Duration, what string) (answer string, err error) {
	err = c.Run(ctx, timeout, func(_ context.Context, conn *Conn) error {
		if err := conn.Send('O', []byte(what)); err != nil {
			return err
		}
		if err := conn.Flush(); err != nil {
			return err
		}
		_, size, err := conn.Next()
		if err != nil {
			return err
		}
		b, err := conn.Payload(size)
		answer = string(b)
		return err
	})
	return answer, err
}

func TestNothingLeavesASealedProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := escapes(file, false)
	if want := []string{"read", "write", "remove", "listen", "execute", "signal", "chdir"}; !slices.Equal(open, want) {
		t.Errorf("this test knows the ways %q, want %q", open, want)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := order(t.Context(), New(Options{}), 0, "escape "+file); got != "" || err != nil {
		t.Errorf("open: %q, %v", got, err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what    string
		timeout time.Duration
		want    error
	}{
		{"allocate", 0, ErrMemory}, {"spin", 100 * time.Millisecond, ErrTime},
	} {
		if _, err := order(t.Context(), New(Options{}), test.timeout, test.what); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.what, err)
		}
	}
	if _, err := order(t.Context(), New(Options{}), 0, "panic"); store.CodeOf(err) != store.Unavailable {
		t.Errorf("panic: %v", err)
	}
}

func TestCPUTimeIsLimitedBySystem(t *testing.T) {
	t.Parallel()
	c, err := start()
	if err != nil {
		t.Fatal(err)
	}
	err = c.conn.send(limits{Memory: 64 << 20, CPU: time.Nanosecond})
	if err == nil {
		err = c.conn.Send('O', []byte("spin"))
	}
	if err == nil {
		err = c.conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.conn.Next(); !errors.As(err, new(lost)) {
		t.Fatal(err)
	}
	if used, err := c.end(); !errors.Is(err, ErrTime) {
		t.Errorf("ended after %v: %v", used, err)
	}
}

func TestAChildEndsWithItsParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command("/proc/self/exe")
	parent.Env = append(os.Environ(), "BLQ_TEST_PARENT=yes")
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Fscanf(out, "%d <nil>\n", &child); err != nil {
		t.Error(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // another process has killed it
	for name := fmt.Sprintf("/proc/%d/cmdline", child); t.Context().Err() == nil; {
		if line, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(line), role) {
			return
		}
	}
}

func TestEnvironmentIsEmpty(t *testing.T) {
	t.Setenv("BLQ_SECRET", "x")
	t.Setenv("TZ", "Asia/Tokyo")
	if got, err := order(t.Context(), New(Options{}), 0, "environment"); got != "TZ=Asia/Tokyo\n/" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAChildIsReadyAhead(t *testing.T) {
	t.Parallel()
	c := New(Options{Ahead: true})
	c.prepare()
	ready := c.ahead.command.Process.Pid
	if taken, err := c.take(); err != nil || taken.command.Process.Pid != ready {
		t.Errorf("took another one: %v", err)
	} else {
		taken.end()
	}
	c.prepare()
	pid := c.ahead.command.Process.Pid
	c.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the child is left: %v", err)
	}
	c.prepare()
	if c.ahead != nil {
		t.Error("a closed cage starts children")
	}
}

// The session of a child gets a lower priority. The system may refuse the change for a while, so the test waits.
func TestASessionOfAChildYields(t *testing.T) {
	t.Parallel()
	own, err := os.OpenFile("/proc/self/autogroup", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system does not share processors by session: %v", err)
	}
	own.Close()
	c := New(Options{Tenant: func(context.Context) string { return "a" }})
	child, err := c.take()
	if err != nil {
		t.Fatal(err)
	}
	defer child.end()
	for t.Context().Err() == nil {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", child.command.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(string(text), " nice 5\n") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestACallIsLongWork(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(2, 1).Spare(1, 0)
	for _, caller := range []string{"a", "b"} { // a gets the general slot, b would need the slot for brief requests
		ctx, cancel := context.WithCancel(fair.Request(t.Context()))
		defer cancel()
		if _, err := order(ctx, New(Options{}), 0, "environment"); err != nil {
			t.Fatal(err)
		}
		if caller == "b" {
			cancel()
		}
		if _, err := q.Enter(ctx, caller); (err == nil) != (caller == "a") {
			t.Errorf("%s: %v", caller, err)
		}
	}
}

func TestTenantsHaveABudget(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	b := newBudget(30*time.Second, func() time.Time { return now })
	for range 3 {
		if err := b.allow("a"); err != nil {
			t.Fatal(err)
		}
		b.charge("a", 12*time.Second)
	}
	err := b.allow("a")
	after, ok := store.RetryAfter(err)
	if store.CodeOf(err) != store.RateLimited || !ok || after != 14*time.Second {
		t.Errorf("36 of 30 s are used: %v, again after %v", err, after)
	}
	b.charge("", time.Hour)
	if b.allow("b") != nil || b.allow("") != nil {
		t.Error("others have no time")
	}
	now = now.Add(after)
	if err := b.allow("a"); err != nil {
		t.Errorf("after %v: %v", after, err)
	}
	now = now.Add(time.Minute)
	for i := range 2000 {
		b.charge(strconv.Itoa(i), 1)
		now = now.Add(time.Millisecond)
	}
	if len(b.used) > 1001 {
		t.Errorf("%d tenants are remembered", len(b.used))
	}
}

func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	c := New(Options{Slots: 1, Waiting: 1, Wait: time.Nanosecond, Tenant: func(context.Context) string { return "a" }})
	working, done := make(chan bool), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		done <- c.Run(ctx, 0, func(ctx context.Context, _ *Conn) error {
			working <- true
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-working
	_, err := order(t.Context(), c, 0, "environment")
	if _, later := store.RetryAfter(err); store.CodeOf(err) != store.RateLimited || !later {
		t.Errorf("waited too long: %v", err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if c.Working() != 0 {
		t.Error("the slot is not free")
	}
}

func TestAnswersShareMemory(t *testing.T) {
	t.Parallel()
	c := New(Options{Answers: 100, Tenant: func(ctx context.Context) string { return ctx.Value(tenant{}).(string) }})
	a, answered := context.WithCancel(context.WithValue(t.Context(), tenant{}, "a"))
	b := context.WithValue(t.Context(), tenant{}, "b")
	if err := errors.Join(c.Hold(a, 30), c.Hold(a, 20)); err != nil {
		t.Fatal(err)
	}
	if err := c.Hold(a, 1); store.CodeOf(err) != store.RateLimited {
		t.Errorf("more than half: %v", err)
	}
	if err := c.Hold(b, 20); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	answered()
	for c.answers.Used() != 20 && t.Context().Err() == nil {
		runtime.Gosched()
	}
}

type tenant struct{}
