// Package ingest is the HTTP API of the hosted service. It receives runs with their logs and events, answers the
// questions of the MCP tools, and takes the webhooks of GitHub. Package internal/auth identifies the callers. The
// API uses store.Store and store.Blobs, never an engine.
package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Config holds what the API needs.
type Config struct {
	Store Store
	Blobs Blobs
	// Ask returns the asker of the caller in the context. If it is nil, the service answers no questions.
	Ask func(context.Context) (*query.Asker, error)
	// Tools answers the questions of agents' tools; nil if Ask is nil.
	Tools Tools
	// Questions is the table of questions; nil means questions.All.
	Questions questions.Table
	// Directory gets the new names of renamed repositories from webhooks; it may be nil.
	Directory Directory
	// WebhookSecrets are the secrets of webhooks; without one the service accepts no webhook.
	WebhookSecrets []WebhookSecret
	// Confirm returns a repository as its forge has it, by its name. Without it no webhook renames a repository.
	Confirm func(ctx context.Context, host, name string) (payload.Repository, error)
	// Deliver queues a delivery of GitHub that needs work, durably, once by its ID. Its worker calls TakeDelivery first.
	// Nil means that deliveries are taken at once.
	Deliver func(context.Context, payload.Delivery) error
	// Gate decides who may use a route. It is asked once for each request.
	Gate Gate
	// Ended is called after a run was completed; it may be nil.
	Ended func(context.Context, store.Run)
	// Told is called after a snapshot was stored; it may be nil.
	Told func(context.Context, store.Snapshot)
	// RunURL returns the address of a run's page; it may be nil.
	RunURL func(store.Run) string

	// Work gives tenants turns for work that needs much CPU time; nil means turns of this service alone.
	Work *fair.Queue
	// Memory is how many bytes bodies may take in memory; nil means Limits.Uploads.
	Memory *fair.Share
	// Address returns where a request comes from; it may be nil.
	Address func(*http.Request) string
	// Brake slows down answers that cost their sender nothing, see httpserver.Watch; it may be nil.
	Brake func(ctx context.Context, of string)

	// Quotas bound what repositories and owners store.
	Quotas   store.Quotas
	Limits   Limits
	Observer Observer         // may be nil
	Log      *slog.Logger     // nil logs nothing
	Now      func() time.Time // nil means time.Now
}

// Store is the part of store.Store that the service needs.
type Store interface {
	store.Recorder
	store.RunReader
	Running(ctx context.Context, sc store.Scope, repo string) (store.Running, error)
	Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error)
	OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error)
	Objects(ctx context.Context, sc store.Scope, repo string, digests []string) ([]store.Object, error)
	Usage(ctx context.Context, repo string) (of, owner store.Usage, err error)
	Crowded(ctx context.Context, repo string, max int) (bool, error)
}

// Blobs is the part of store.Blobs that the service needs.
type Blobs interface {
	Put(ctx context.Context, key string, data []byte) error
	Get(ctx context.Context, key string) ([]byte, error)
	Delete(ctx context.Context, key string) error
}

// Directory is the part of store.Directory that webhooks need.
type Directory interface {
	EnrolledRepo(ctx context.Context, host string, id int64) (store.EnrolledRepo, error)
	EnrolRepo(ctx context.Context, r store.EnrolledRepo) (store.EnrolledRepo, error)
	UseOnce(ctx context.Context, value string, until time.Time) error
}

// Gate decides who may do what. An auth.Authenticator implements it.
type Gate interface {
	// Authorize returns the caller of a request if it may do the action. Otherwise it also sets the header of the
	// answer that names what is missing. Unauthorized: there is no valid token. Forbidden: the token does not allow
	// the action, or nobody may do it.
	Authorize(header http.Header, r *http.Request, action auth.Action) (auth.Principal, error)
	// Exchange gives a CI job a token of the service for its OIDC token.
	Exchange(w http.ResponseWriter, r *http.Request) error
}

// Tools are the tools of agents that ask questions.
type Tools interface {
	// Answer returns the JSON of the tool with that name. NotFound: there is no such tool. Forbidden: it is not
	// offered, or is not a question.
	Answer(ctx context.Context, tool string, arguments map[string]any) (json.RawMessage, error)
	// Questions returns the names of the offered tools that are questions.
	Questions() []string
	// Offers reports whether a tool is offered.
	Offers(tool string) bool
}

// Service serves the API.
type Service struct {
	Config
	rates *rates
	open  *claims // of requests that are at work

	receiving atomic.Int64 // number of bodies
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
	if c.Memory == nil {
		c.Memory = fair.NewShare(int64(c.Limits.Uploads) << 20)
	}
	if c.Work == nil {
		c.Work = fair.NewProcessors()
	}
	return &Service{Config: c, rates: newRates(c.Limits, c.Now), open: newClaims()}
}

// longBody is the length of a body from which on its turn is long, in bytes.
const longBody = 32 << 10

// bodyTurn waits until the tenant of a request may work on a body.
func (s *Service) bodyTurn(ctx context.Context, body []byte) (leave func(), err error) {
	if len(body) >= longBody {
		fair.Long(ctx)
	}
	return s.turn(ctx)
}

// turn waits until the tenant of a request may begin work that needs much CPU time.
func (s *Service) turn(ctx context.Context) (leave func(), err error) {
	return s.Work.Enter(ctx, httpserver.Tenant(ctx))
}

// caller returns the caller of a request.
func caller(ctx context.Context) auth.Principal { return auth.From(ctx) }

func (s *Service) runURL(r store.Run) string {
	if s.RunURL == nil {
		return ""
	}
	return s.RunURL(r)
}
