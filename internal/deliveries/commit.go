package deliveries

import (
	"context"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/workflowfile"
	"github.com/blq-ci/blq/store"
)

// commit caches the files of a commit, as far as the app may read them. Files are read when they are first needed.
// All jobs of the commit share the files.
type commit struct {
	repo string
	sha  string

	asked singleflight.Group // merges concurrent requests for the same file

	mu     sync.Mutex
	files  []string // names of all files; valid if listed is set
	listed bool
	texts  map[string]string
}

// files reads the files of a commit.
type files struct {
	*commit
	client *github.Client
	keep   func(bytes int) // gets the number of bytes by which the cache has grown
}

// maxTexts is the max number of files that are read from a commit.
const maxTexts = 50

// isUnknown reports whether an error means that GitHub will never send the data, for example because the app may not
// read contents, or because the file does not exist or is too large.
func isUnknown(err error) bool {
	switch store.CodeOf(err) {
	case store.NotFound, store.Forbidden, store.Invalid, store.TooLarge, store.Conflict:
		return true
	}
	return false
}

// list returns the names of all files, or none if GitHub does not send all names. After an error, the caller may try
// again.
func (f files) list(ctx context.Context) ([]string, error) {
	_, err, _ := f.asked.Do("", func() (any, error) {
		f.mu.Lock()
		listed := f.listed
		f.mu.Unlock()
		if listed {
			return nil, nil
		}
		names, whole, err := f.client.Tree(ctx, f.repo, f.sha)
		if err != nil && !isUnknown(err) {
			return nil, err
		}
		if !whole {
			names = nil
		}
		f.mu.Lock()
		f.files, f.listed = names, true
		f.mu.Unlock()
		f.keep(sizeOf(names...))
		return nil, nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files, err
}

// text returns the text of a file, or "" if GitHub does not send it. After an error another try may succeed.
func (f files) text(ctx context.Context, file string) (string, error) {
	if text, known := f.known(file); known {
		return text, nil
	}
	text, err, _ := f.asked.Do(file, func() (any, error) {
		if text, known := f.known(file); known {
			return text, nil
		}
		read, err := f.client.File(ctx, f.repo, file, f.sha)
		if err != nil && !isUnknown(err) {
			return "", err
		}
		f.mu.Lock()
		f.texts[file] = string(read)
		f.mu.Unlock()
		f.keep(sizeOf(file, string(read)))
		return string(read), nil
	})
	return text.(string), err
}

// known returns the text of a file that has been read. After maxTexts files it reports true for every file, so that
// further files are not read.
func (c *commit) known(file string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, known := c.texts[file]
	return text, known || len(c.texts) >= maxTexts
}

// sizeOf returns the approximate memory of texts in bytes.
func sizeOf(texts ...string) (n int) {
	const header = 16
	for _, t := range texts {
		n += header + len(t)
	}
	return n
}

// workflows is the folder of workflow files.
const workflows = ".github/workflows/"

// maxCalls is GitHub's max depth of workflow calls.
const maxCalls = 10

// jobOf returns the job of a workflow file with the name that GitHub shows. A name such as "call / test (1.26)" means
// the job test of the workflow that the job call uses. jobOf reports false if the files do not have the job.
func (f files) jobOf(ctx context.Context, path, name string) (workflowfile.Job, bool, error) {
	for range maxCalls {
		if !strings.HasPrefix(path, workflows) {
			break // the workflow is in another repository
		}
		text, err := f.text(ctx, path)
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

// stepsOf returns the steps of a job by their numbers. It leaves out steps that the runner adds. It returns no steps if
// the list does not match the workflow file.
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
