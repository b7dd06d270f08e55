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

// artifactPage is the file name of the HTML page of a run that was not sent. The page is for people without a server.
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
		page := s.state.page(dir.Name())
		if _, err := os.Stat(page); err == nil || strings.HasPrefix(dir.Name(), ".") {
			continue
		}
		r, err := s.w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: dir.Name()})
		if err == nil {
			err = s.writePage(ctx, r)
		}
		if err != nil {
			s.lost = append(s.lost, "no page in "+filepath.Dir(page)+": "+err.Error())
		}
	}
}

// page returns the path of the page in the artifact of a run.
func (s jobFolder) page(attempt string) string {
	return filepath.Join(s.artifacts(), attempt, artifactPage)
}

// writePage writes the page of a run. The page appears only when it is complete.
func (s *wrapped) writePage(ctx context.Context, r store.Run) error {
	known := s.Redactor.Values()
	part := s.state.path("page-" + r.Attempt + "-" + strconv.Itoa(os.Getpid()))
	defer os.Remove(part)
	by := questions.Local{Asker: s.asker(r), Line: cmdline.Words}
	p := web.FileParams{Ref: r.Attempt, WholeLog: "zstd -d " + ArtifactLog}
	err := writeFile(part, func(out *bufio.Writer) error { return web.WriteFile(ctx, by, p, out) })
	if err != nil {
		return err
	}
	unlock, err := s.state.lockArtifact(ctx, r.Attempt)
	if err != nil {
		return err
	}
	defer unlock()
	if hidden := s.state.hiddenIn(r.Attempt); hidden < 0 || hidden > known {
		return nil // the run has been sent, or a parallel step that knows further secrets writes the page
	}
	return os.Rename(part, s.state.page(r.Attempt))
}
