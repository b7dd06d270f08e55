// Package ingest is the HTTP API of the hosted service: it receives runs with
// their logs and events, answers what the MCP tools answer, and listens to the
// forge's webhooks. Who calls was found out by internal/auth before. It knows
// store.Store and store.Blobs, never an engine.
package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Config says what the API stands on.
type Config struct {
	Store Store
	Blobs Blobs
	// Ask returns the asker of the caller that the context belongs to, nil where
	// no questions are answered.
	Ask func(context.Context) (*query.Asker, error)
	// Tools answers what agents' tools answer, nil where Ask is.
	Tools Tools
	// Questions is the table of what can be asked, nil for questions.All.
	Questions questions.Table
	// Directory learns new names of enrolled repositories from webhooks, nil for
	// not.
	Directory Directory
	// WebhookSecret is what webhooks are signed with, empty for no webhooks.
	WebhookSecret []byte
	// Gate decides who may use a route. It is asked once for each request.
	Gate Gate
	// RunURL returns the address at which people see a run, nil for none.
	RunURL func(store.Run) string

	Limits   Limits
	Observer Observer         // told what happens, nil for nobody
	Log      *slog.Logger     // nil for none
	Now      func() time.Time // nil for time.Now
}

// Store is the part of store.Store that the service needs.
type Store interface {
	store.Recorder
	store.RunReader
	Running(ctx context.Context, sc store.Scope, repo string) (store.Running, error)
	Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error)
	OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error)
}

// Blobs is the part of store.Blobs that the service needs.
type Blobs interface {
	Put(ctx context.Context, key string, data []byte) error
	Delete(ctx context.Context, key string) error
}

// Directory is the part of store.Directory that webhooks need.
type Directory interface {
	EnrolledRepo(ctx context.Context, host string, id int64) (store.EnrolledRepo, error)
	EnrolRepo(ctx context.Context, r store.EnrolledRepo) (store.EnrolledRepo, error)
	UseOnce(ctx context.Context, value string, until time.Time) error
}

// Gate decides who may do what; an auth.Authenticator is one.
type Gate interface {
	// Authorize returns the caller of a request, who may do the action. What is
	// missing it also says in the header of the answer. Unauthorized: there is no
	// good token. Forbidden: the token does not allow the action, or nobody may.
	Authorize(header http.Header, r *http.Request, action auth.Action) (auth.Principal, error)
	// Exchange gives a CI job a token of ours for its OIDC token.
	Exchange(w http.ResponseWriter, r *http.Request) error
}

// Tools are the tools of agents, as far as they ask questions.
type Tools interface {
	// Answer answers as the tool of that name does, with the same JSON. NotFound:
	// there is no such tool. Forbidden: it is not offered, or is no question.
	Answer(ctx context.Context, tool string, arguments map[string]any) (json.RawMessage, error)
	// Questions returns the names of the tools that only ask and are offered.
	Questions() []string
}

// Service serves the API.
type Service struct {
	Config
	rates   *rates
	uploads *semaphore.Weighted // MiB of memory for bodies

	receiving atomic.Int64 // bodies
	held      atomic.Int64 // MiB of memory for them
}

// New returns the service.
func New(c Config) *Service {
	c.Limits = c.Limits.withDefaults()
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Questions == nil {
		c.Questions = questions.All()
	}
	if c.Observer == nil {
		c.Observer = nobody{}
	}
	return &Service{Config: c, rates: newRates(c.Limits, c.Now), uploads: semaphore.NewWeighted(int64(c.Limits.Uploads))}
}

// caller returns who calls.
func caller(ctx context.Context) auth.Principal { return auth.From(ctx) }

func (s *Service) runURL(r store.Run) string {
	if s.RunURL == nil {
		return ""
	}
	return s.RunURL(r)
}
