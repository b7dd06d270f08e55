// Package ingest is the HTTP API of the hosted service. It receives runs with their logs and events, answers questions,
// and takes GitHub's webhooks. Package internal/auth identifies the callers. The API uses only parts of the interfaces
// store.Store and store.Blobs, and does not know which database implements them.
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
	// Ask returns the asker of the caller in the context. If Ask is nil, the service answers no questions.
	Ask func(context.Context) (*query.Asker, error)
	// Tools answers the questions that agents ask with tools. Tools must be nil if Ask is nil.
	Tools Tools
	// Questions is the table of questions; nil means questions.All.
	Questions questions.Table
	// Directory has the enrolled repositories. A webhook changes their names, default branches and visibility there. If
	// Directory is nil, webhooks change no enrolled repository.
	Directory Directory
	// WebhookSecrets are the secrets of webhooks. Without secrets the service accepts no webhook.
	WebhookSecrets []WebhookSecret
	// Confirm returns the repository that now has the given name on the forge at the given host. If Confirm is nil, no
	// webhook renames a repository.
	Confirm func(ctx context.Context, host, name string) (payload.Repository, error)
	// Deliver puts a delivery of GitHub into a durable queue. A delivery with a known ID is not queued again. The
	// worker of the queue calls TakeDelivery. If Deliver is nil, deliveries are taken at once.
	Deliver func(context.Context, payload.Delivery) error
	// Gate decides who may use a route. The service calls it once per request.
	Gate Gate
	// Ended is called when a run has been completed. It may be nil.
	Ended func(context.Context, store.Run)
	// Told is called when a snapshot has been stored. It may be nil.
	Told func(context.Context, store.Snapshot)
	// RunURL returns the URL of a run's page. It may be nil.
	RunURL func(store.Run) string

	// Work gives tenants turns for work that needs much CPU time. If Work is nil, the service makes its own queue.
	Work *fair.Queue
	// Memory limits the memory for bodies of requests. If Memory is nil, Limits.Uploads is the limit.
	Memory *fair.Share
	// Address returns the address that a request comes from. It may be nil.
	Address func(*http.Request) string
	// Brake delays responses that clients can cause without effort, such as 429 (see httpserver.Watch). It may be nil.
	Brake func(ctx context.Context, from string)
	// Open is the number of requests that may be open at a time, shared by tenant. Nil means no limit.
	Open *fair.Share
	// Known is called when the caller of a request becomes known (see httpserver.Watch). It may be nil.
	Known func(ctx context.Context)

	// Quotas limit what repositories and owners store.
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
	Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error)
	FileDigests(ctx context.Context, sc store.Scope, attempt string) (store.FileDigests, error)
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
	// Authorize returns the caller of a request if the caller may do the action. Otherwise it returns an error, and
	// sets a header of the answer that says what is missing. The error is Unauthorized if the request has no valid
	// token. It is Forbidden if the token does not allow the action, or if nobody may do it.
	Authorize(header http.Header, r *http.Request, action auth.Action) (auth.Principal, error)
	// Exchange takes the OIDC token of a CI job, and answers with a token of the service.
	Exchange(w http.ResponseWriter, r *http.Request) error
}

// Tools are the tools with which agents ask questions.
type Tools interface {
	// Answer returns the JSON that a tool answers. The error is NotFound if there is no tool with this name. It is
	// Forbidden if the tool is not offered, or is not a question.
	Answer(ctx context.Context, tool string, arguments map[string]any) (json.RawMessage, error)
	// Questions returns the names of the offered tools that are questions.
	Questions() []string
	// Offers reports whether a tool exists and the configuration offers it.
	Offers(tool string) bool
}

// Service serves the API.
type Service struct {
	Config
	rates *rates
	open  *claims // claims of open requests

	receiving atomic.Int64 // number of bodies that are being received
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

// longBody is the size in bytes from which the turn for a body counts as long.
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

func caller(ctx context.Context) auth.Principal { return auth.From(ctx) }

func (s *Service) runURL(r store.Run) string {
	if s.RunURL == nil {
		return ""
	}
	return s.RunURL(r)
}
