// Package jobtoken gets a CI job of GitHub Actions the token with which it
// sends its runs to a service: without a secret, in exchange for the OIDC token
// that the job's runner gives it. It may import store and ingest/api.
package jobtoken

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// Config says for whom a token is, and how to come by it.
type Config struct {
	Service  string // its URL
	Audience string // of the OIDC token, "" for the service's URL
	// Getenv is the job's environment. What the runner sets in it is used for
	// nothing but asking the runner.
	Getenv func(string) string
	HTTP   *http.Client // nil for one with a timeout
	// Sleep waits between tries, nil for the clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Source gives tokens. It is safe for use by many at once.
type Source struct {
	Config
	lock  sync.Mutex
	token string
	until time.Time // when to get another, by this machine's clock
}

const (
	urlVariable   = "ACTIONS_ID_TOKEN_REQUEST_URL"
	tokenVariable = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
	tries         = 3
	early         = 5 * time.Minute // before the end of a token
	maxAnswer     = 1 << 20         // bytes
)

// New returns a source, nil where the environment is none of a job that may
// ask for OIDC tokens: a job has to have the permission id-token: write, and
// those of pull requests from forks never do.
func New(c Config) *Source {
	if c.Getenv(urlVariable) == "" || c.Getenv(tokenVariable) == "" {
		return nil
	}
	c.Service = strings.TrimRight(c.Service, "/")
	c.Audience = cmp.Or(c.Audience, c.Service)
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	client := *c.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // tokens go nowhere else
	c.HTTP = &client
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return &Source{Config: c}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Token returns a token that is good for a while. Unauthorized, Forbidden: the
// service refuses the job, and says why. Unavailable: the runner or the service
// does not answer.
func (s *Source) Token(ctx context.Context) (string, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.token != "" && time.Now().Before(s.until) {
		return s.token, nil
	}
	var err error
	for try := range tries {
		if try > 0 && s.Sleep(ctx, time.Duration(2*try-1)*time.Second) != nil {
			break
		}
		// Each try needs an OIDC token of its own: one that was on its way may
		// have been used up.
		if err = s.exchange(ctx); store.CodeOf(err) != store.Unavailable {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("get a token for %s: %w", s.Service, err)
	}
	return s.token, nil
}

// exchange asks the runner for an OIDC token, and the service for one of its own.
func (s *Source) exchange(ctx context.Context) error {
	asked := s.Getenv(urlVariable)
	u, err := url.Parse(asked)
	if err != nil || u.Host == "" {
		return store.Errorf(store.Invalid, "%s holds no URL", urlVariable)
	}
	q := u.Query()
	q.Set("audience", s.Audience)
	u.RawQuery = q.Encode()
	var oidc struct {
		Value string `json:"value"`
	}
	if _, err := s.ask(ctx, http.MethodGet, u.String(), s.Getenv(tokenVariable), &oidc); err != nil {
		return fmt.Errorf("ask the runner: %w", err)
	}
	var given api.UploadToken
	date, err := s.ask(ctx, http.MethodPost, s.Service+"/v1/token", oidc.Value, &given)
	if err != nil {
		return err
	}
	if given.Token == "" {
		return store.Errorf(store.Unavailable, "%s answers without a token", s.Service)
	}
	lasts := given.ExpiresAt.Sub(date) // by the service's clock
	s.token, s.until = given.Token, time.Now().Add(lasts-min(early, lasts/2))
	return nil
}

// ask sends a request with a bearer token and decodes the answer. It returns
// the time at the other side.
func (s *Source) ask(ctx context.Context, method, to, bearer string, v any) (time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, method, to, nil)
	if err != nil {
		return time.Time{}, store.Errorf(store.Invalid, "%q is no URL of a service", s.Service)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Accept", "application/json")
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return time.Time{}, store.Errorf(store.Unavailable, "%w", err)
	}
	defer resp.Body.Close()
	body := io.LimitReader(resp.Body, maxAnswer)
	if resp.StatusCode != http.StatusOK {
		return time.Time{}, refusal(resp, body)
	}
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return time.Time{}, store.Errorf(store.Unavailable, "the answer cannot be read: %w", err)
	}
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		date = time.Now()
	}
	return date, nil
}

func refusal(resp *http.Response, body io.Reader) error {
	var e api.Error
	if json.NewDecoder(body).Decode(&e) != nil || e.Error.Message == "" {
		e.Error.Message = "the answer is " + resp.Status
	}
	code := store.Unavailable
	switch {
	case resp.StatusCode == http.StatusForbidden:
		code = store.Forbidden
	case resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests:
		code = store.Unauthorized
	}
	err := store.Errorf(code, "%s", e.Error.Message)
	if len(e.Error.NextSteps) > 0 {
		return store.Hint(err, "%s", e.Error.NextSteps[0])
	}
	return err
}
