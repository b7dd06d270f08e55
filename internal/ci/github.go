package ci

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

// Step returns the ID of the present step of a GitHub Actions job. Different steps of a job have different IDs, except
// the steps of two uses of the same composite action.
func Step(getenv func(string) string) string {
	return cmp.Or(getenv(StepVariable), getenv("GITHUB_ACTION"))
}

// github returns the facts of GitHub Actions. See
// https://docs.github.com/actions/reference/workflows-and-actions/variables.
func github(e env, readFile func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:       e("GITHUB_REPOSITORY"),
		Workflow:   e("GITHUB_WORKFLOW"),
		Job:        e("GITHUB_JOB"),
		Step:       Step(e),
		RunID:      e("GITHUB_RUN_ID"),
		RunAttempt: e.number("GITHUB_RUN_ATTEMPT"),
		EventName:  e("GITHUB_EVENT_NAME"),
		Actor:      e("GITHUB_ACTOR"),
	}
	if ci.Repo != "" && ci.RunID != "" {
		ci.URL = fmt.Sprintf("%s/%s/actions/runs/%s", cmp.Or(e("GITHUB_SERVER_URL"), "https://github.com"), ci.Repo, ci.RunID)
		if ci.RunAttempt > 1 {
			ci.URL += fmt.Sprintf("/attempts/%d", ci.RunAttempt)
		}
	}
	job := event.Job{
		Event: ci.EventName, Repo: ci.Repo, Ref: e("GITHUB_REF"), SHA: e("GITHUB_SHA"), HeadRef: e("GITHUB_HEAD_REF"),
		BaseRef: e("GITHUB_BASE_REF"),
	}
	if path := e("GITHUB_EVENT_PATH"); path != "" && readFile != nil {
		var p payload.Event
		if b, err := readFile(path); err == nil && json.Unmarshal(b, &p) == nil {
			job.Payload = &p
		}
	}
	about := job.Facts()
	ci.PR, ci.Fork = about.PR, about.Fork
	ci.HeadSHA, ci.HeadRef = about.Commit, about.Branch
	ci.BaseSHA, ci.BaseRef = about.BaseSHA, about.BaseRef
	return ci
}
