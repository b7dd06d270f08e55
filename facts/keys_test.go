package facts_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// slowKeys answers lookups of keys when the test allows it. It records the number of digests in each lookup.
type slowKeys struct {
	asked chan int
	let   chan struct{}
}

func (s *slowKeys) Objects(_ context.Context, _ store.Scope, _ string, digests []string) ([]store.Object, error) {
	s.asked <- len(digests)
	<-s.let
	var list []store.Object
	for _, d := range digests {
		list = append(list, store.Object{Digest: d, Key: "key of " + d})
	}
	return list, nil
}

func TestFilesThatAreReadTogetherAskForKeysTogether(t *testing.T) {
	t.Parallel()
	const files = 20
	s := &slowKeys{asked: make(chan int, files), let: make(chan struct{})}
	r := facts.NewObjectReader(s)
	var group sync.WaitGroup
	ask := func(digest string) {
		group.Go(func() {
			if key, err := r.Key(t.Context(), digest); err != nil || key != "key of "+digest {
				t.Errorf("%s has %q, %v", digest, key, err)
			}
		})
	}
	ask("first")
	if n := <-s.asked; n != 1 {
		t.Errorf("the first asks for %d keys", n)
	}
	for i := range files { // the readers wait during a lookup
		ask(fmt.Sprint(i))
	}
	for r.Waiting() < files {
		runtime.Gosched()
	}
	close(s.let)
	group.Wait()
	if n := <-s.asked; n != files || len(s.asked) > 0 {
		t.Errorf("the next asks for %d keys of %d, and %d follow", n, files, len(s.asked))
	}
}
