package action

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/web"
)

// artifactPage is the HTML page of a run that was not sent. It is for people without a server.
const artifactPage = "report.html"

// pagesOf returns a function that makes the URL of a page on the server from a ref. It derives the server's address
// from the URL of the run's page. pagesOf returns nil if the server has no pages.
func pagesOf(sent client.Pushed) func(store.Ref) string {
	run, err := store.ParseRef(sent.Ref)
	if err != nil {
		return nil
	}
	base, ok := strings.CutSuffix(sent.URL, web.PathOf(run, ""))
	if !ok || !strings.HasPrefix(base, "http") || strings.ContainsAny(base, " ()<>[]\"\n") {
		return nil
	}
	return func(ref store.Ref) string { return base + web.PathOf(ref, "") }
}

// writePages writes the pages that artifacts still lack. It reads the job's store, so the caller must have removed
// secrets from the store.
func (s *wrapped) writePages(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	list, _ := os.ReadDir(s.state.artifacts()) // if the folder is missing, all runs were sent
	for _, dir := range list {
		page := s.state.path("artifacts", dir.Name(), artifactPage)
		if _, err := os.Stat(page); err == nil || strings.HasPrefix(dir.Name(), ".") {
			continue
		}
		r, err := s.w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: dir.Name()})
		if err == nil {
			err = s.writePage(ctx, r, page)
		}
		if err != nil {
			s.lost = append(s.lost, "no page in "+filepath.Dir(page)+": "+err.Error())
		}
	}
}

// writePage writes the page of a run. The file appears only when it is complete.
func (s *wrapped) writePage(ctx context.Context, r store.Run, file string) error {
	part := s.state.path("page-" + r.Attempt + "-" + strconv.Itoa(os.Getpid()))
	defer os.Remove(part)
	by := questions.Local{Asker: s.asker(r), Line: cmdline.Words}
	p := web.FileParams{Ref: r.Attempt, WholeLog: "zstd -d " + ArtifactLog}
	err := writeFile(part, func(out *bufio.Writer) error { return web.WriteFile(ctx, by, p, out) })
	if err != nil {
		return err
	}
	return os.Rename(part, file)
}
