package authtest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// GitHub knows users by their tokens, and repositories by who may read them.
type GitHub struct {
	*httptest.Server

	lock  sync.Mutex
	users map[string]string // names by token
	repos map[string]repo   // by owner/name
	moved map[string]string // new names by old
	fails http.Handler      // answers all requests, nil for none
	asked map[string]int    // requests by path
}

type repo struct {
	id      int64
	public  bool
	readers []string
	seers   []string // who are shown that it is there, and no more
}

// NewGitHub starts a GitHub that knows nobody.
func NewGitHub(t testing.TB) *GitHub {
	g := &GitHub{users: map[string]string{}, repos: map[string]repo{}, moved: map[string]string{}, asked: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /user", g.user)
	mux.HandleFunc("GET /user/repos", g.userRepos)
	mux.HandleFunc("GET /installation/repositories", g.userRepos)
	mux.HandleFunc("GET /repos/{owner}/{name}", g.repo)
	g.Server = httptest.NewServer(g.observed(mux))
	t.Cleanup(g.Close)
	return g
}

// Token makes a token of a user, which the user's name tells.
func (g *GitHub) Token(user string) string {
	g.lock.Lock()
	defer g.lock.Unlock()
	token := "ghp_" + user + strings.Repeat("0", max(0, 36-len(user)))
	g.users[token] = user
	return token
}

// Installation makes a token of an app's installation.
func (g *GitHub) Installation(app string) string {
	g.lock.Lock()
	defer g.lock.Unlock()
	token := "ghs_" + app + strings.Repeat("0", max(0, 36-len(app)))
	g.users[token] = app
	return token
}

// Revoke takes a token's good name.
func (g *GitHub) Revoke(token string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	delete(g.users, token)
}

// Repo makes a private repository that users may read, or changes who may.
func (g *GitHub) Repo(name string, id int64, readers ...string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.repos[name] = repo{id: id, readers: readers}
}

// Show shows a private repository to users who may not read it.
func (g *GitHub) Show(name string, users ...string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	r := g.repos[name]
	r.seers = users
	g.repos[name] = r
}

// Public makes a public repository.
func (g *GitHub) Public(name string, id int64) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.repos[name] = repo{id: id, public: true}
}

// Rename gives a repository another name; the old one leads to it.
func (g *GitHub) Rename(old, name string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.repos[name], g.moved[old] = g.repos[old], name
	delete(g.repos, old)
}

// Fail has every request answered by h, nil for the usual.
func (g *GitHub) Fail(h http.Handler) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.fails = h
}

// Asked returns how often each path was asked for, and forgets it.
func (g *GitHub) Asked() map[string]int {
	g.lock.Lock()
	defer g.lock.Unlock()
	asked := g.asked
	g.asked = map[string]int{}
	return asked
}

func (g *GitHub) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.lock.Lock()
		g.asked[r.URL.Path]++
		fails := g.fails
		_, known := g.users[bearer(r)]
		g.lock.Unlock()
		switch {
		case fails != nil:
			fails.ServeHTTP(w, r)
		case !known:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (g *GitHub) user(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if strings.HasPrefix(bearer(r), "ghs_") {
		w.WriteHeader(http.StatusForbidden) // resource not accessible by integration
		return
	}
	reply(w, map[string]any{"login": g.users[bearer(r)]})
}

// describe returns a repository as the owner of a token sees it.
func (g *GitHub) describe(name, token string) (map[string]any, bool) {
	r, ok := g.repos[name]
	reads, sees := slices.Contains(r.readers, g.users[token]), slices.Contains(r.seers, g.users[token])
	pull := (reads || r.public) && !strings.HasPrefix(token, "ghs_")
	return map[string]any{
		"id": r.id, "full_name": name, "private": !r.public, "permissions": map[string]bool{"pull": pull},
	}, ok && (reads || sees || r.public)
}

func (g *GitHub) repo(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	name := r.PathValue("owner") + "/" + r.PathValue("name")
	if to, ok := g.moved[name]; ok && g.repos[name].id == 0 {
		http.Redirect(w, r, "/repos/"+to, http.StatusMovedPermanently)
		return
	}
	found, ok := g.describe(name, bearer(r))
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	reply(w, found)
}

func (g *GitHub) userRepos(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	list := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(g.repos)) {
		if found, ok := g.describe(name, bearer(r)); ok && !g.repos[name].public {
			list = append(list, found)
		}
	}
	page := 0
	for _, c := range r.URL.Query().Get("page") {
		page = 10*page + int(c-'0')
	}
	from := min(len(list), 100*max(0, page-1))
	list = list[from:min(len(list), from+100)]
	if r.URL.Path == "/user/repos" {
		reply(w, list)
		return
	}
	reply(w, map[string]any{"total_count": len(list), "repositories": list})
}
