package remote

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/query/questions"
)

// Poster sends a body below a service's URL and decodes the answer into out.
type Poster interface {
	Post(ctx context.Context, path string, in, out any) error
}

// Client asks a service. The answers are equal to the answers of questions.Local.
type Client struct {
	Server Poster
	// Repo is the repository of all questions, owner/name. "" means all repositories that the caller may see. If a
	// reference in a question names a repository, the question is about that repository.
	Repo string
	// Hide removes secrets from the texts in answers. It is needed for secrets that became known only after the service
	// had received a run. If it is nil, nothing is removed.
	Hide func(text string) string
}

// Answer implements questions.Answerer.
func (c *Client) Answer(ctx context.Context, row questions.Row, params, answer any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	r := Request{Repo: c.repo(questions.References(params)), Params: text}
	if err := c.Server.Post(ctx, Path+"/"+row.Name, r, &reader{row, answer}); err != nil || c.Hide == nil {
		return err
	}
	questions.Hide(answer, c.Hide)
	return nil
}

// reader decodes the answer to the question of a row.
type reader struct {
	row    questions.Row
	answer any
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *reader) UnmarshalJSON(text []byte) error { return r.row.ReadJSON(text, r.answer) }

// repo returns the repository of a question with the given references.
func (c *Client) repo(refs []string) string {
	repo := c.Repo
	for _, ref := range refs {
		if named, _, ok := strings.Cut(ref, "@"); ok && named != repo {
			return "" // the reference names the repository
		}
	}
	return repo
}
