package github_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

func TestJobsOfAllAttempts(t *testing.T) {
	p := newPlace(t, "actions: read")
	run := githubtest.Run{ID: 42, Event: "pull_request", HeadRepo: "eve/shop", HeadBranch: "fix", Conclusion: "failure"}
	for i := range 130 {
		run.Jobs = append(run.Jobs, githubtest.Job{ID: int64(i + 1), Name: fmt.Sprintf("test (%d)", i)})
	}
	run.Jobs[3].Conclusion = "failure"
	run.Jobs = append(run.Jobs, githubtest.Job{ID: 500, Attempt: 2, Name: "test (3)", Status: "in_progress"})
	p.github.SetRun(shop, run)
	all, err := p.Jobs(t.Context(), shop, 42)
	check(t, err)
	if len(all) != 131 || all[3].Conclusion != "failure" || all[3].Attempt != 1 || all[3].CheckRunID != 4 ||
		all[0].Completed.IsZero() ||
		all[130].Attempt != 2 || all[130].Status != "in_progress" || all[130].Conclusion != "" || all[130].RunID != 42 {
		t.Errorf("%d jobs, %+v", len(all), all[3])
	}
	_, err = p.Jobs(t.Context(), shop, 43)
	refused(t, err, store.NotFound)
	_, err = newPlace(t).Jobs(t.Context(), shop, 42)
	refused(t, err, store.Forbidden, "`permissions: actions: read`")
}

func TestArtifactIsDownloadedFromElsewhere(t *testing.T) {
	p := newPlace(t, "actions: read")
	file := githubtest.Zip(map[string]string{"runs.json": strings.Repeat(`{"x":1}`, 1000)})
	p.github.SetRun(shop, githubtest.Run{
		ID: 42, Artifacts: []githubtest.Artifact{{ID: 1, Name: "blq-test", Zip: file}, {ID: 2, Name: "old", Expired: true}}})
	list, err := p.Artifacts(t.Context(), shop, 42)
	check(t, err)
	if len(list) != 2 || list[0].Name != "blq-test" || list[0].Size != int64(len(file)) || !list[1].Expired ||
		list[0].Created.IsZero() {
		t.Fatalf("%+v", list)
	}
	var b bytes.Buffer
	check(t, p.Download(t.Context(), shop, 1, &b, int64(len(file))))
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check(t, err)
	if len(z.File) != 1 || z.File[0].UncompressedSize64 != 7000 {
		t.Errorf("%+v", z.File)
	}
	refused(t, p.Download(t.Context(), shop, 1, io.Discard, int64(len(file))-1), store.TooLarge)
	refused(t, p.Download(t.Context(), shop, 2, io.Discard, 1<<20), store.NotFound, "expired")
	refused(t, p.Download(t.Context(), shop, 3, io.Discard, 1<<20), store.NotFound)
}

func TestWorkflowIsStarted(t *testing.T) {
	p := newPlace(t, "actions: write")
	p.github.Workflow(shop, "ci.yml", "path")
	p.github.Branches(shop, "fix/this")
	got, err := p.Dispatch(t.Context(),
		github.Dispatch{Repo: shop, Workflow: "ci.yml", Ref: "fix/this", Inputs: map[string]string{"path": "a; b"}})
	check(t, err)
	want := []githubtest.Dispatch{{Workflow: "ci.yml", Ref: "fix/this", By: "github-actions[bot]",
		Inputs: map[string]string{"path": "a; b"}, RunID: got.RunID}}
	if diff := cmp.Diff(want, p.github.Dispatches(shop)); diff != "" ||
		!strings.HasSuffix(got.URL, fmt.Sprint("/acme/shop/actions/runs/", got.RunID)) {
		t.Errorf("%+v %s", got, diff)
	}
	for _, tt := range []struct {
		d     github.Dispatch
		code  store.Code
		words string
	}{
		{github.Dispatch{Repo: shop, Workflow: "ci.yml", Ref: "nowhere"}, store.Invalid, "No ref found for: nowhere"},
		{github.Dispatch{Repo: shop, Workflow: "ci.yml", Ref: "main", Inputs: map[string]string{"x": "1"}}, store.Invalid,
			"Unexpected inputs"},
		{github.Dispatch{Repo: shop, Workflow: "other.yml", Ref: "main"}, store.NotFound,
			"cannot start workflows of acme/shop"},
	} {
		_, err := p.Dispatch(t.Context(), tt.d)
		refused(t, err, tt.code, tt.words)
	}
	p.github.OldServer()
	got, err = p.Dispatch(t.Context(), github.Dispatch{Repo: shop, Workflow: "ci.yml", Ref: "main"})
	if check(t, err); got != (github.Dispatched{}) {
		t.Errorf("%+v", got)
	}
}
