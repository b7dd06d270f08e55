// Package cage runs untrusted work in child processes, one process for each piece of work. A child is this program,
// started again in another role. The limits of memory and CPU time are set before the child gets the work. The child is
// killed when the work is done, when its time is over, when the caller is gone, and when this process ends. The package
// may import store and internal/fair.
//
// Operating systems differ in what they enforce:
//
//   - Linux limits memory, CPU time, files and their sizes, and allows only listed system calls. It sends the child
//     SIGKILL when its parent ends.
//   - Other Unix systems limit CPU time, files and their sizes, but have no list of system calls. The child watches
//     its memory itself, and ends when its input ends.
//   - Windows has a job object that limits memory, CPU time and processes, and ends the child together with its
//     parent.
package cage

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

// Options are the limits of a Cage. Zero fields mean the defaults.
type Options struct {
	Slots   int           // max children that work at the same time, default 3
	Waiting int           // max waiting calls of a tenant, default 32; unlimited without Tenant
	Wait    time.Duration // max wait for a slot, default 30 s
	Memory  int64         // max memory of a child in bytes, beyond that of an idle child, default 64 MiB
	Answer  int64         // max bytes of an answer in this process, default 16 MiB
	// CPU is the CPU time that a tenant may use per minute, default 60 s. A call without a tenant has no such limit.
	CPU time.Duration
	// Ahead starts one child in advance for the next call.
	Ahead bool
	// Tenant returns the tenant of a call. Tenants share the slots. The limits Waiting and CPU are for all calls of a
	// tenant together. nil means one tenant, without a limit of CPU time.
	Tenant func(context.Context) string
	// Answers is the max number of bytes in memory for the answers of all tenants together, default 64 MiB.
	Answers int64
}

func (o Options) complete() Options {
	o.Slots = cmp.Or(o.Slots, 3)
	if o.Waiting == 0 && o.Tenant == nil {
		o.Waiting = math.MaxInt
	}
	o.Waiting = cmp.Or(o.Waiting, 32)
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	o.Memory = cmp.Or(o.Memory, 64<<20)
	o.Answer = cmp.Or(o.Answer, 16<<20)
	o.Answers = cmp.Or(o.Answers, 64<<20)
	o.CPU = cmp.Or(o.CPU, time.Minute)
	if o.Tenant == nil {
		o.Tenant = func(context.Context) string { return "" }
	}
	return o
}

// Cage runs work in child processes, within its limits. Several goroutines may call its methods.
type Cage struct {
	Options
	queue   *fair.Queue
	budget  *budget
	answers *fair.Share
	yield   bool // children work for tenants, so they have a lower priority than the service
	working atomic.Int64

	mu     sync.Mutex
	ahead  *child // child that was started for the next call, or nil
	closed bool
}

// New returns a Cage.
func New(o Options) *Cage {
	yield := o.Tenant != nil
	o = o.complete()
	return &Cage{Options: o, queue: fair.NewQueue(o.Slots, o.Waiting), budget: newBudget(o.CPU, time.Now),
		answers: fair.NewShare(o.Answers), yield: yield}
}

// Run returns one of these errors if the work reaches a limit.
var (
	ErrTime   = errors.New("the time is over")
	ErrMemory = errors.New("the memory is used up")
)

// Run calls f with a connection to a new child. The child runs the function that was given to Serve. timeout limits the
// time of f and the child, but not the wait for a slot; 0 means no limit. Run returns ErrTime, ErrMemory, the error of
// ctx, or an error of f. RateLimited: no slot was free in time, or the tenant has too many calls or has used its CPU
// time. Unavailable: the child cannot be started, or another program has killed it.
func (c *Cage) Run(ctx context.Context, timeout time.Duration, f func(context.Context, *Conn) error) error {
	tenant := c.Tenant(ctx)
	if err := c.budget.allow(tenant); err != nil {
		return err
	}
	fair.Long(ctx) // the work and its reads count as long
	leave, err := c.enter(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	c.working.Add(1)
	defer c.working.Add(-1)
	child, err := c.take()
	if err != nil {
		return store.Hint(store.Errorf(store.Unavailable, "no process can be started: %w", err), "try again")
	}
	inner, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		inner, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	stop := context.AfterFunc(inner, child.kill)
	err = child.conn.send(limits{c.Memory, timeout, c.yield})
	if err == nil {
		err = f(inner, child.conn)
	}
	if !stop() {
		child.kill() // f returns when the child is killed
	}
	used, ended := child.end()
	c.budget.charge(tenant, used)
	go c.prepare()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case inner.Err() != nil:
		return ErrTime
	case errors.As(err, new(lost)) && ended != nil:
		return ended
	}
	return err
}

// enter waits for a slot. The caller must call leave to free the slot.
func (c *Cage) enter(ctx context.Context, tenant string) (leave func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, c.Wait, errBusy)
	defer cancel()
	return c.queue.Enter(waiting, tenant)
}

var errBusy = store.Later(store.Hint(store.Errorf(store.RateLimited, "too many statements run at the moment"),
	"try again"), 5*time.Second)

// Hold reserves memory for n more bytes of an answer. The reservation ends with ctx. RateLimited: the tenant's other
// answers leave no room for these bytes. Calls without a tenant have no such limit.
func (c *Cage) Hold(ctx context.Context, n int64) error {
	tenant := c.Tenant(ctx)
	if tenant == "" || n <= 0 {
		return nil
	}
	if !c.answers.Take(tenant, n) {
		err := store.Errorf(store.RateLimited, "too many large answers are being sent at the moment")
		return store.Later(store.Hint(err, "try again, or ask for fewer rows"), time.Second)
	}
	context.AfterFunc(ctx, func() { c.answers.Give(tenant, n) })
	return nil
}

// Working returns the number of calls that have a slot.
func (c *Cage) Working() int { return int(c.working.Load()) }

// idle is the max time that a child waits for a call if it was started in advance.
const idle = time.Minute

// take returns a child that has not worked yet.
func (c *Cage) take() (*child, error) {
	c.mu.Lock()
	ready := c.ahead
	c.ahead = nil
	c.mu.Unlock()
	if ready != nil && ready.retire.Stop() {
		return ready, nil
	}
	return c.start()
}

// start starts a child process for statements.
func (c *Cage) start() (*child, error) {
	child, err := start()
	if err == nil && c.yield {
		yieldSession(child.command.Process.Pid)
	}
	return child, err
}

// prepare starts a child for the next call if none is prepared.
func (c *Cage) prepare() {
	if !c.Ahead {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.ahead != nil {
		return
	}
	ready, err := c.start()
	if err != nil {
		return // if this fails, the next call returns the error
	}
	ready.retire = time.AfterFunc(idle, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ahead == ready {
			c.ahead = nil
		}
		_, _ = ready.end()
	})
	c.ahead = ready
}

// Close ends the child that was started in advance.
func (c *Cage) Close() {
	c.mu.Lock()
	ready := c.ahead
	c.ahead, c.closed = nil, true
	c.mu.Unlock()
	if ready != nil && ready.retire.Stop() {
		_, _ = ready.end()
	}
}
