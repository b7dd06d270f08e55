package deliveries

import (
	"context"
	"strings"
	"sync"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/workflowfile"
	"github.com/blq-ci/blq/store"
)

// commit has the files of a commit, as far as the app may read them. They are asked for when they are first needed, and
// jobs of the commit share them.
type commit struct {
	client *github.Client
	repo   string
	sha    string

	mu     sync.Mutex
	files  []string // names of all; valid if listed is set
	listed bool
	texts  map[string]string
}

// These bound what is kept of commits, and the files that are read of one.
const (
	maxCommits = 16
	maxTexts   = 50
)

// commitOf returns the files of a commit.
func (d *Deliveries) commitOf(client *github.Client, at place, repo, sha string) *commit {
	type key = struct{ repo, sha string }
	k := key{at.String() + " " + repo, sha}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.commits[k]
	if c == nil {
		if len(d.commits) >= maxCommits {
			clear(d.commits)
		}
		c = &commit{repo: repo, sha: sha, texts: map[string]string{}}
		d.commits[k] = c
	}
	c.mu.Lock()
	c.client = client
	c.mu.Unlock()
	return c
}

// isUnknown reports whether GitHub does not tell, and would not tell later: the app may not read contents, or there is
// no such file.
func isUnknown(err error) bool {
	switch store.CodeOf(err) {
	case store.NotFound, store.Forbidden, store.Invalid, store.TooLarge, store.Conflict:
		return true
	}
	return false
}

// list returns the names of all files, none where GitHub does not tell all. The error is one that another try may mend.
func (c *commit) list(ctx context.Context) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.listed {
		files, whole, err := c.client.Tree(ctx, c.repo, c.sha)
		if err != nil && !isUnknown(err) {
			return nil, err
		}
		if c.listed = true; whole {
			c.files = files
		}
	}
	return c.files, nil
}

// text returns the text of a file, "" where GitHub does not tell. The error is one that another try may mend.
func (c *commit) text(ctx context.Context, file string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, known := c.texts[file]
	if known || len(c.texts) >= maxTexts {
		return text, nil
	}
	read, err := c.client.File(ctx, c.repo, file, c.sha)
	if err != nil && !isUnknown(err) {
		return "", err
	}
	c.texts[file] = string(read)
	return string(read), nil
}

// workflows is the folder of workflow files.
const workflows = ".github/workflows/"

// maxCalls is how deep GitHub lets workflows call each other.
const maxCalls = 10

// jobOf returns a job of a workflow file by the name that GitHub shows: "call / test (1.26)" is a job of the workflow
// that call names. It reports false where the files do not tell.
func (c *commit) jobOf(ctx context.Context, path, name string) (workflowfile.Job, bool, error) {
	for range maxCalls {
		if !strings.HasPrefix(path, workflows) {
			break // it is another repository's
		}
		text, err := c.text(ctx, path)
		if err != nil {
			return workflowfile.Job{}, false, err
		}
		file, err := workflowfile.Read([]byte(text))
		if err != nil {
			break
		}
		if job, ok := file.Job(name); ok && job.Uses == "" {
			return job, true, nil
		}
		caller, rest, ok := strings.Cut(name, " / ")
		job, known := file.Job(caller)
		if !ok || !known {
			break
		}
		path, name = strings.TrimPrefix(job.Uses, "./"), rest
	}
	return workflowfile.Job{}, false, nil
}

// stepsOf returns the steps of a job by their numbers, as far as its workflow file tells.
func stepsOf(job workflowfile.Job, steps []payload.Step) map[int]workflowfile.Step {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = s.Name
	}
	of := map[int]workflowfile.Step{}
	if known, ok := job.Steps(names); ok {
		for i, s := range known {
			of[steps[i].Number] = s
		}
	}
	return of
}
