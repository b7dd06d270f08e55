package docindex_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/internal/docindex"
)

// one is a set with one document.
type one struct {
	text string
	read func() // called before the document is read
}

func (s *one) hash() string {
	sum := sha256.Sum256([]byte(s.text))
	return hex.EncodeToString(sum[:])
}

func (s *one) Digest() string { return s.hash() }

func (s *one) Files() []facts.File {
	return []facts.File{{Path: "a.md", Size: int64(len(s.text)), Digest: s.hash()}}
}

func (s *one) Read(context.Context, facts.File) ([]byte, error) {
	if s.read != nil {
		s.read()
	}
	return []byte(s.text), nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnIndexIsBuiltOnceForAllThatAsk(t *testing.T) {
	t.Parallel()
	var reads, built int
	c := docindex.New(1<<20, func(context.Context, int64) (func(), error) { return func() { built++ }, nil })
	set := &one{text: "# Title\n\nwords\n", read: func() { reads++ }}
	var wg sync.WaitGroup
	all := make([]*docs.Index, 20)
	for i := range all {
		wg.Go(func() {
			var err error
			all[i], err = c.Index(t.Context(), "", "o/r", set)
			check(t, err)
		})
	}
	wg.Wait()
	for _, x := range all {
		if x == nil || x != all[0] {
			t.Fatalf("two indexes of the same documents")
		}
	}
	if reads != 1 || built != 1 {
		t.Errorf("read %d times, built %d times", reads, built)
	}
	other, err := c.Index(t.Context(), "", "o/other", set)
	check(t, err)
	if other == all[0] || built != 2 {
		t.Errorf("repositories share an index: what is indexed shows in the time of an answer")
	}
}

func TestTheGateRefusesAndIsAskedAgain(t *testing.T) {
	t.Parallel()
	refused := errors.New("no room")
	asked := int64(0)
	answer := refused
	c := docindex.New(1<<20, func(_ context.Context, text int64) (func(), error) {
		asked = text
		return func() {}, answer
	})
	set := &one{text: "# A\n"}
	if _, err := c.Index(t.Context(), "", "o/r", set); !errors.Is(err, refused) || asked != int64(len(set.text)) {
		t.Fatalf("%v for %d bytes", err, asked)
	}
	answer = nil
	if x, err := c.Index(t.Context(), "", "o/r", set); err != nil || x == nil {
		t.Fatal(x, err)
	}
}

func TestAPanicHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	c := docindex.New(1<<20, nil)
	set := &one{text: "# A\n", read: func() { panic("read") }}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is hidden")
			}
		}()
		_, _ = c.Index(t.Context(), "", "o/r", set)
	}()
	set.read = nil
	if x, err := c.Index(t.Context(), "", "o/r", set); err != nil || x == nil {
		t.Fatal(x, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const bytes = 200_000 // size of a document, and of its text in memory
	built := map[string]int{}
	asked := ""
	c := docindex.New(5*bytes, func(context.Context, int64) (func(), error) { built[asked]++; return func() {}, nil })
	ask := func(repo string, n int) {
		asked = repo
		_, err := c.Index(t.Context(), "", repo, &one{text: fmt.Sprintf("# %d\n\n", n) + strings.Repeat("word\n", bytes/5)})
		check(t, err)
	}
	ask("small", 0)
	for i := range 10 {
		ask("large", i)
	}
	ask("small", 0)
	if built["small"] != 1 {
		t.Errorf("the index of a small repository is dropped for those of a large one")
	}
	ask("large", 0)
	if built["large"] != 11 {
		t.Errorf("all indexes stay in memory, although they take more than the limit: built %d times", built["large"])
	}
}

func TestFilesAreUsedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "indexes")
	set := &one{text: "# A\n"}
	built := 0
	gate := func(context.Context, int64) (func(), error) { built++; return func() {}, nil }
	ask := func(set facts.Set) {
		t.Helper()
		x, err := docindex.New(1<<20, gate).Index(t.Context(), dir, "", set) // as in another program
		check(t, err)
		if x.Set() != set.Digest() {
			t.Error("the index of other documents")
		}
	}
	ask(set)
	ask(set)
	if built != 1 {
		t.Errorf("built %d times", built)
	}
	check(t, os.WriteFile(filepath.Join(dir, set.Digest()+".index"), []byte("damaged"), 0o600))
	ask(set)
	if built != 2 {
		t.Errorf("a damaged file is not built again")
	}
	for i := range 40 {
		ask(&one{text: fmt.Sprintf("# %d\n", i)})
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 30 {
		t.Errorf("%d files stay, %v", len(names), err)
	}
}

func TestWhoWaitsMayLeave(t *testing.T) {
	t.Parallel()
	reading, release := make(chan struct{}), make(chan struct{})
	c := docindex.New(1<<20, nil)
	set := &one{text: "# A\n", read: func() { close(reading); <-release }}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := c.Index(t.Context(), "", "o/r", set)
		check(t, err)
	})
	<-reading
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Index(gone, "", "o/r", set); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	wg.Wait()
}
