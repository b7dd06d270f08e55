package github

import (
	"context"
)

// Commenter reads and writes the comments of an issue or pull request.
type Commenter interface {
	Comments(ctx context.Context, repo string, number int) ([]Comment, error)
	CreateComment(ctx context.Context, repo string, number int, body string) (Comment, error)
	EditComment(ctx context.Context, repo string, id int64, body string) (Comment, error)
	DeleteComment(ctx context.Context, repo string, id int64) error
}

// Dispatcher starts workflows.
type Dispatcher interface {
	Dispatch(ctx context.Context, d Dispatch) (Dispatched, error)
}

// Proposer opens pull requests.
type Proposer interface {
	Propose(ctx context.Context, p Proposal) (Proposed, error)
}

var _ interface {
	Commenter
	Dispatcher
	Proposer
} = (*Client)(nil)
