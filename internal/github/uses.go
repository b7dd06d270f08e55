package github

import (
	"context"
	"io"
)

// Commenter reads and writes the comments of an issue or pull request.
type Commenter interface {
	Comments(ctx context.Context, repo string, number int) ([]Comment, error)
	CreateComment(ctx context.Context, repo string, number int, body string) (Comment, error)
	EditComment(ctx context.Context, repo string, id int64, body string) (Comment, error)
	DeleteComment(ctx context.Context, repo string, id int64) error
}

// PullReader reads pull requests and the files they change.
type PullReader interface {
	Pull(ctx context.Context, repo string, number int) (Pull, error)
	PullOf(ctx context.Context, repo string, head Head) (Pull, error)
	PullFiles(ctx context.Context, repo string, number int) ([]File, error)
}

// RunReader reads workflow runs, their jobs and artifacts.
type RunReader interface {
	Run(ctx context.Context, repo string, id int64) (Run, error)
	Jobs(ctx context.Context, repo string, run int64) ([]Job, error)
	JobsOfAttempt(ctx context.Context, repo string, run int64, attempt int) ([]Job, error)
	Artifacts(ctx context.Context, repo string, run int64) ([]Artifact, error)
	Download(ctx context.Context, repo string, artifact int64, to io.Writer, maxBytes int64) error
}

// Dispatcher starts workflows.
type Dispatcher interface {
	Dispatch(ctx context.Context, d Dispatch) (Dispatched, error)
}

// Checker writes check runs.
type Checker interface {
	CreateCheckRun(ctx context.Context, repo string, c CheckRun) (CheckRun, error)
	UpdateCheckRun(ctx context.Context, repo string, c CheckRun) (CheckRun, error)
}

var _ interface {
	Commenter
	PullReader
	RunReader
	Dispatcher
	Checker
} = (*Client)(nil)
