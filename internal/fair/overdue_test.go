package fair_test

import (
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/fair"
)

// Many long requests that have waited for a long time must not fill the slots for brief requests.
func TestAnOverdueRequestGetsNoSpareSlot(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(3, 100).Spare(2, 0)
	c.set(q)
	general := fair.Request(t.Context())
	fair.Long(general)
	leave, err := q.Enter(general, "x")
	if err != nil {
		t.Fatal(err)
	}
	turns := make(chan string)
	for i, caller := range []string{"a", "b"} {
		long := fair.Request(t.Context())
		fair.Long(long)
		go func() {
			if _, err := q.Enter(long, caller); err == nil {
				turns <- caller
			}
		}()
		for waiting := i; waiting == i; {
			_, waiting = q.Used()
		}
	}
	c.pass(time.Second)
	for range 2 {
		enter(t, q, "brief")() // whoever may begin is called when this turn ends
		if working, waiting := q.Used(); working != 1 || waiting != 2 {
			t.Fatalf("%d work, %d wait", working, waiting)
		}
	}
	leave()
	<-turns
	if working, waiting := q.Used(); working != 1 || waiting != 1 {
		t.Errorf("with a free slot, %d work, %d wait", working, waiting)
	}
}
