package deliveries

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/internal/github"
)

// slowFiles serves files and counts the requests. It serves the file "slow" only after the test sends a value to the
// channel may.
func slowFiles(t *testing.T) (client *github.Client, may chan struct{}, asked *atomic.Int64) {
	t.Helper()
	may, asked = make(chan struct{}), new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if strings.HasSuffix(r.URL.Path, "/slow") {
			<-may
		}
		if strings.Contains(r.URL.Path, "/git/trees/") {
			fmt.Fprint(w, `{"tree": [{"type": "blob", "path": "go.mod"}]}`)
			return
		}
		text := base64.StdEncoding.EncodeToString([]byte(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]))
		fmt.Fprintf(w, `{"type": "file", "encoding": "base64", "content": %q}`, text)
	}))
	t.Cleanup(server.Close)
	client, err := github.New(github.Config{API: server.URL, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client, may, asked
}

func TestASlowFileHoldsBackWhoNeedsItOnly(t *testing.T) {
	client, may, asked := slowFiles(t)
	var kept commits
	ask := func(file string) {
		f := kept.of(client, place{RepoID: 1}, "o/r", strings.Repeat("a", 40))
		if text, err := f.text(t.Context(), file); text != file || err != nil {
			t.Errorf("%s is %q, %v", file, text, err)
		}
	}
	var slow sync.WaitGroup
	for range 5 {
		slow.Go(func() { ask("slow") })
	}
	for range 2 { // these calls return while the others wait
		ask("go.mod")
		f := kept.of(client, place{RepoID: 1}, "o/r", strings.Repeat("a", 40))
		if names, err := f.list(t.Context()); len(names) != 1 || err != nil {
			t.Errorf("%v, %v", names, err)
		}
	}
	close(may)
	slow.Wait()
	ask("slow")
	if n := asked.Load(); n != 3 {
		t.Errorf("GitHub was asked %d times for three things", n)
	}
}

func TestAnOwnerWithManyCommitsForgetsItsOwn(t *testing.T) {
	var kept commits
	of := func(owner string, n int) files {
		return kept.of(nil, place{RepoID: 1}, owner+"/r", fmt.Sprint(n))
	}
	for n := range 17 { // one request of each tenant
		f := of(fmt.Sprint("quiet", n), n)
		f.texts["go.mod"] = "module m"
		f.keep(100)
	}
	for n := range 3000 {
		of("busy", n).keep(n % 2 * 1 << 20)
	}
	for n := range 17 {
		if text, known := of(fmt.Sprint("quiet", n), n).known("go.mod"); !known || text != "module m" {
			t.Errorf("the file of owner %d is forgotten", n)
		}
	}
	sum := 0
	for _, k := range kept.kept {
		sum += k.bytes
	}
	if sum != kept.bytes || sum > maxCommitBytes || sum < maxCommitBytes/2 || len(kept.kept) > 1000 {
		t.Errorf("%d bytes of %d commits are kept, %d are counted", sum, len(kept.kept), kept.bytes)
	}
	if kept.kept[commitKey{place{RepoID: 1}.String(), "busy/r", "2999"}] == nil {
		t.Error("the newest commit is forgotten")
	}
}
