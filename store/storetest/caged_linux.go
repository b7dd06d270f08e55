package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

type tenantKey struct{}

// As returns a context for calls of a tenant.
func As(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// Tenant returns the tenant of a context from As.
func Tenant(ctx context.Context) string {
	name, _ := ctx.Value(tenantKey{}).(string)
	return name
}

// Caged tests that no statement takes more than its share of memory, slots and time. The function open opens an empty
// store that shares slots by Tenant. lasts is the max time of each attack on memory. During the test, nothing else may
// run in the process.
func Caged(t *testing.T, lasts time.Duration, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(f fixture){
		"memory is bounded":                   func(f fixture) { f.testMemory(lasts) },
		"commands of any length":              fixture.testLongCommands,
		"neighbours are answered":             fixture.testNeighbours,
		"a process that is killed":            fixture.testKilled,
		"a process ends when its caller goes": fixture.testCallerLeaves,
	} {
		t.Run(name, func(t *testing.T) { test(fixture{T: t, s: open(t), n: new(int)}) })
	}
}

// allowedMemory is the max memory of a statement in bytes, beyond the memory of an idle process. It applies to this
// process, and to the process of the statement.
const allowedMemory = 64 << 20

func (f fixture) testMemory(lasts time.Duration) {
	// With the default setting, garbage of this process may become as large as its live data, and would count as memory
	// of the statement. So the garbage collector runs more often here.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	f.many()
	f.query("SELECT 1") // allocates memory that is allocated only once
	idle := f.measure("SELECT count(*) FROM blq_load_runs()", lasts).process
	for name, q := range Attacks() {
		f.Run(name, func(t *testing.T) {
			used := fixture{T: t, s: f.s, n: f.n}.measure(q, lasts)
			t.Logf("%3d MB there, %3d MB here: %v", (used.process-idle)>>20, used.here>>20, used.err)
			if over := used.process - idle; over > allowedMemory {
				t.Errorf("the process of the statement took %d MB", over>>20)
			}
			if used.here > allowedMemory {
				t.Errorf("this process took %d MB", used.here>>20)
			}
			if left := processes(); len(left) > 0 {
				t.Errorf("processes that are left: %v", left)
			}
		})
	}
}

func (f fixture) testLongCommands() {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	for i := range 150 {
		f.start("", "build", func(r *store.Run) {
			r.Command, r.Shape = fmt.Sprint(i, strings.Repeat(" long", 200_000)), "known"
		})
	}
	idle := f.measure("SELECT 1", time.Second).process
	for _, q := range []string{
		"SELECT count(*), max(run_id) FROM blq_load_runs()", "SELECT max(command) FROM blq_load_runs()",
		"SELECT group_concat(command) FROM blq_load_runs()", "SELECT * FROM blq_load_runs()",
	} {
		used := f.measure(q, time.Second)
		f.Logf("%s: %d MB there, %d MB here: %v", q, (used.process-idle)>>20, used.here>>20, used.err)
		if used.process-idle > allowedMemory || used.here > allowedMemory {
			f.Errorf("%s took %d MB there and %d MB here", q, (used.process-idle)>>20, used.here>>20)
		}
	}
	f.equal(f.query("SELECT count(*) FROM blq_load_runs()").Rows, [][]any{{int64(150)}})
}

// many adds many events. Some have long messages.
func (f fixture) many() {
	f.Helper()
	r := f.start("", "build")
	list := make([]store.Event, 5000)
	for i := range list {
		list[i] = event(i+1, fmt.Sprintf("%d %s", i, strings.Repeat("m", i%1000)))
	}
	f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, list))
	f.finish(r, 1)
}

type usage struct {
	process, here int64
	err           error
}

// measure runs a statement and stops it after the given time. It returns the max memory that the statement used.
func (f fixture) measure(q string, timeout time.Duration) usage {
	f.Helper()
	debug.FreeOSMemory()
	before := resident(os.Getpid(), "VmRSS")
	f.ok(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // resets VmHWM
	ended := make(chan error)
	go func() {
		_, err := f.s.Query(f.Context(), everything, store.Query{SQL: q, MaxBytes: 64 << 20, Timeout: timeout})
		ended <- err
	}()
	var u usage
	var pids []int
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		if n == 400 { // the statement that still runs grows slowly
			tick.Reset(5 * time.Millisecond)
		}
		if len(pids) == 0 || n%20 == 0 { // searching for processes takes longer than reading their status
			pids = processes()
		}
		for _, pid := range pids {
			u.process = max(u.process, resident(pid, "VmHWM"))
		}
		select {
		case u.err = <-ended:
			u.here = resident(os.Getpid(), "VmHWM") - before
			return u
		case <-tick.C:
		}
	}
}

// processes returns the child processes that run statements.
func processes() []int {
	var list []int
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range tasks {
		b, _ := os.ReadFile(name)
		for _, field := range strings.Fields(string(b)) {
			pid, _ := strconv.Atoi(field)
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); strings.HasPrefix(string(name), "blq-statement") {
				list = append(list, pid)
			}
		}
	}
	return list
}

// resident returns a field of a process's status in bytes, or 0 if the process is gone.
func resident(pid int, field string) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), field+":")
	var kb int64
	_, _ = fmt.Sscanf(rest, "%d", &kb)
	return kb << 10
}

func (f fixture) testNeighbours() {
	ctx, cancel := context.WithCancel(f.Context())
	const callers = 30
	ended := make(chan error, callers)
	for range callers {
		go func() {
			_, err := f.s.Query(As(ctx, "greedy"), everything, store.Query{SQL: endless, Timeout: time.Hour})
			ended <- err
		}()
	}
	for len(processes()) == 0 {
		runtime.Gosched()
	}
	for i := range 5 {
		tenant := As(f.Context(), fmt.Sprint("neighbour ", i))
		if _, err := f.s.Query(tenant, everything, store.Query{SQL: "SELECT 1", Timeout: time.Minute}); err != nil {
			f.Errorf("a neighbour: %v", err)
		}
	}
	f.equal(len(ended), 0) // the statements still wait and work
	cancel()
	for range callers {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			f.Errorf("a greedy one: %v", err)
		}
	}
	f.equal(processes(), []int(nil))
}

func (f fixture) testKilled() {
	ended := make(chan error)
	go func() {
		_, err := f.s.Query(f.Context(), everything, store.Query{SQL: endless, Timeout: time.Hour})
		ended <- err
	}()
	pid := f.process()
	f.ok(syscall.Kill(pid, syscall.SIGKILL))
	f.refused(<-ended, store.Unavailable, "killed")
	f.query("SELECT 1")
}

func (f fixture) testCallerLeaves() {
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan error)
	go func() {
		_, err := f.s.Query(ctx, everything, store.Query{SQL: endless, Timeout: time.Hour})
		ended <- err
	}()
	f.process()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		f.Errorf("the caller has gone: %v", err)
	}
	f.equal(processes(), []int(nil))
}

// process waits for the process of a statement, and returns its ID.
func (f fixture) process() int {
	f.Helper()
	for f.Context().Err() == nil {
		if list := processes(); len(list) > 0 {
			return list[0]
		}
		runtime.Gosched()
	}
	return 0
}
