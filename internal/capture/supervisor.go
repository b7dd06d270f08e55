package capture

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/blq-ci/blq/store"
)

// ended is a child's wait status.
type ended struct {
	code   int
	signal string
	number int
}

// supervisor forwards signals, timeouts and cancellation to the child.
type supervisor struct {
	cmd     *Command
	proc    *process
	signals chan os.Signal
	reason  store.Reason
	killAt  time.Time // zero until we ask the child to end
}

// watch forwards signals and enforces the timeout until the child has ended.
func (s *supervisor) watch(ctx context.Context) ended {
	cancelled := ctx.Done()
	var timeout, grace <-chan time.Time
	if s.cmd.Timeout > 0 {
		timeout = time.After(s.cmd.Timeout)
	}
	for {
		select {
		case end := <-s.proc.exited:
			return end
		case sig := <-s.proc.stopped:
			s.proc.onStop(sig)
		case sig := <-s.signals:
			s.forward(sig)
		case <-cancelled:
			cancelled = nil
			grace = s.stop(store.ReasonCancelled, s.cmd.Hurry)
		case <-timeout:
			if s.killAt.IsZero() {
				grace = s.stop(store.ReasonTimeout, s.cmd.Grace)
			}
		case <-grace:
			s.proc.kill()
		}
	}
}

func (s *supervisor) forward(sig os.Signal) {
	if s.proc.jobControl(sig) {
		return
	}
	if s.reason == store.ReasonExit {
		s.reason = store.ReasonCancelled
	}
	s.proc.signal(sig)
}

// stop asks the child's process group to end. The returned channel receives a value when the group has to be killed. A
// second call may set an earlier time for the kill, but not a later time.
func (s *supervisor) stop(why store.Reason, grace time.Duration) <-chan time.Time {
	if s.reason == store.ReasonExit {
		s.reason = why
	}
	if at := time.Now().Add(grace); s.killAt.IsZero() || at.Before(s.killAt) {
		s.killAt = at
	}
	s.proc.terminate()
	return time.After(time.Until(s.killAt))
}

// finish waits for the remaining output. A signal ends the wait. If stop was called, the remaining processes of the
// child's group first get the rest of the grace period, and are then killed.
func (s *supervisor) finish(readers []*reader) {
	if !s.killAt.IsZero() {
		for s.proc.groupAlive() && time.Now().Before(s.killAt) {
			time.Sleep(10 * time.Millisecond)
		}
		s.proc.kill()
	}
	for _, r := range readers {
		for open := true; open; {
			select {
			case <-r.done:
				open = false
			case sig := <-s.signals:
				// The child has ended, so nobody gets the signal. Without blq, processes that the child left behind
				// would not get it, either.
				if !s.proc.jobControl(sig) {
					r.stop()
				}
			}
		}
	}
}

// awaitSink waits until the sink has everything or makes no progress for too long. A first signal shortens the wait,
// and a second signal ends the wait. If the user was told about the wait, the first signal ends the wait.
func (s *supervisor) awaitSink(q *queue, recorded <-chan struct{}) {
	stall := s.cmd.Stall
	if stall == 0 {
		stall = 30 * time.Second
		if s.reason == store.ReasonCancelled {
			stall = 5 * time.Second // CI systems kill a cancelled job within ten seconds
		}
	}
	impatient, why := false, errStalled
	report := time.NewTicker(s.cmd.Patience)
	defer report.Stop()
	seen, since := q.progress(), time.Now()
	tick := time.NewTicker(max(stall/20, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-recorded:
			return
		case sig := <-s.signals:
			if s.proc.jobControl(sig) {
				continue
			}
			if impatient {
				q.giveUp(why)
				lastCall(recorded)
				return
			}
			impatient, stall = true, min(stall, 5*time.Second)
		case <-report.C:
			if s.cmd.Waiting != nil {
				s.cmd.Waiting(q.delivered.Load(), q.read.Load())
				report.Reset(tellEvery)
				impatient, why = true, errInterrupted
			}
		case <-tick.C:
			if now := q.progress(); now != seen {
				seen, since = now, time.Now()
			} else if time.Since(since) > stall {
				q.giveUp(errStalled)
				return
			}
		}
	}
}

// Interrupts returns a channel of the signals that ask this process to end, except ignored signals. Until stop is
// called, these signals do not end the process.
func Interrupts() (c <-chan os.Signal, stop func()) {
	signals := make(chan os.Signal, 4)
	for _, s := range endings() {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals, func() { signal.Stop(signals) }
}

// tellEvery is the interval between calls of Command.Waiting.
const tellEvery = 500 * time.Millisecond

// lastCall waits a short time for the sink to return, and then gives up.
func lastCall(recorded <-chan struct{}) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-recorded:
	case <-timer.C:
	}
}

// reasonOf returns the reason why the child ended. Sometimes only the wait status shows the reason. For example, Ctrl-C
// in a terminal goes to the child's group and not to this process.
func (s *supervisor) reasonOf(end ended) store.Reason {
	interrupted := end.signal == "SIGINT" || s.proc.interactive() &&
		(end.code == 130 || end.signal == "SIGQUIT" || end.signal == "SIGHUP")
	if s.reason == store.ReasonExit && interrupted {
		return store.ReasonCancelled
	}
	return s.reason
}
