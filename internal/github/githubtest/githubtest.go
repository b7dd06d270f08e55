// Package githubtest is a fake GitHub for tests. It is a server on loopback with repositories, pull requests, comments,
// workflow runs and people. It checks requests and responses against GitHub's published OpenAPI description (see
// script/githubspec). It also implements behaviour that the description does not cover: permissions, limits of size and
// rate, and failures of GitHub.
package githubtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// GitHub is the server. Its API is at URL, and at URL/api/v3 as on a GitHub Enterprise Server. A request that GitHub
// would not understand fails the test.
type GitHub struct {
	*httptest.Server

	t       testing.TB
	spec    *spec
	storage *httptest.Server // serves artifacts, from another host
	mux     *http.ServeMux

	lock     sync.Mutex
	accounts map[string]*account    // by token
	repos    map[string]*repository // by owner/name
	apps     map[int64]*app
	moved    map[string]string // new names by old names
	fails    http.Handler      // answers all requests when set
	faults   []*fault
	asked    map[string]int // number of requests by path
	requests []Request
	lastID   int64
	oauth    *oauth // nil for none

	onDispatch func(repo string, d Dispatch)
	old        bool // behave like a server that does not return the run of a dispatch
}

// Request is a received request.
type Request struct {
	Method, Path, Query, Token, Body string
	Header                           http.Header
}

// New starts a GitHub without accounts and repositories.
func New(t testing.TB) *GitHub {
	g := &GitHub{
		t: t, spec: load(t), mux: http.NewServeMux(), accounts: map[string]*account{}, repos: map[string]*repository{},
		apps: map[int64]*app{}, moved: map[string]string{}, asked: map[string]int{}, lastID: 1000,
	}
	g.storage = httptest.NewServer(http.HandlerFunc(g.stored))
	t.Cleanup(g.storage.Close)
	g.routes()
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.close)
	return g
}

// close stops the server and ends hanging requests.
func (g *GitHub) close() {
	g.CloseClientConnections()
	g.Server.Close()
}

// Fail makes the handler answer every request. A nil handler restores the usual answers.
func (g *GitHub) Fail(h http.Handler) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.fails = h
}

// Asked returns the number of requests by path since the last call.
func (g *GitHub) Asked() map[string]int {
	g.lock.Lock()
	defer g.lock.Unlock()
	asked := g.asked
	g.asked = map[string]int{}
	return asked
}

// Requests returns all requests so far.
func (g *GitHub) Requests() []Request {
	g.lock.Lock()
	defer g.lock.Unlock()
	return append([]Request(nil), g.requests...)
}

// OldServer makes the server behave like an older GitHub Enterprise Server: it does not return the run that a
// dispatch has started.
func (g *GitHub) OldServer() {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.old = true
}

func (g *GitHub) nextID() int64 {
	g.lastID++
	return g.lastID
}

func (g *GitHub) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	r.URL.Path = strings.TrimPrefix(r.URL.Path, "/api/v3")
	r.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, "/api/v3")
	if failure := g.arrived(r, string(body)); failure != nil {
		failure.ServeHTTP(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/login/oauth/") {
		g.signIn(r, body).write(w)
		return
	}
	g.answer(r, body).write(w)
}

// arrived records a request. It returns the handler with which the request fails, or nil.
func (g *GitHub) arrived(r *http.Request, body string) http.Handler {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.asked[r.URL.Path]++
	g.requests = append(g.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, bearer(r), body, r.Header.Clone()})
	if g.fails != nil {
		return g.fails
	}
	return g.faultOf(r.Method + " " + r.URL.Path)
}

func (g *GitHub) answer(r *http.Request, body []byte) answer {
	g.lock.Lock()
	defer g.lock.Unlock()
	who, known := g.accounts[bearer(r)]
	if !known {
		who, known = g.byJWT(bearer(r))
	}
	if !known && bearer(r) != "" {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if r.URL.Path == "/" {
		return answer{status: http.StatusOK, body: map[string]any{}}
	}
	if to := g.renamed(r); to != "" {
		status := http.StatusMovedPermanently
		if r.Method != http.MethodGet {
			status = http.StatusTemporaryRedirect
		}
		return answer{status: status, header: http.Header{"Location": {to}}}
	}
	route, err := g.spec.understands(r, body)
	if err != nil {
		g.t.Errorf("GitHub does not understand %s %s %s: %v", r.Method, r.URL, body, err)
		return refuse(http.StatusUnprocessableEntity, "Invalid request")
	}
	c := &call{g: g, who: who, sent: body}
	g.mux.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	if c.Request == nil {
		g.t.Errorf("githubtest has no %s %s", r.Method, r.URL.Path)
		return refuse(http.StatusNotFound, "Not Found")
	}
	if err := g.spec.fits(route, &c.answer); err != nil {
		g.t.Errorf("githubtest's answer to %s %s is not as GitHub's: %v", r.Method, r.URL, err)
	}
	return c.answer
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (g *GitHub) address(format string, args ...any) string {
	return "https://github.example.com" + fmt.Sprintf(format, args...)
}
