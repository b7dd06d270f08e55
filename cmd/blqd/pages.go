package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/web"
)

// pagesPath is the path of the pages for people.
const pagesPath = "/ui"

// These are the names of cookies. They begin with __Host-, because other hosts cannot set cookies with such names.
const (
	cookieSignedIn = "__Host-blq"
	cookieSigning  = "__Host-blq-signing" // exists until the person returns from GitHub
)

// These limits bound the exchange of sign-in codes from one address: how many at once, and how many
// per second. Each exchange needs a request to GitHub.
const (
	codesAtOnce = 30
	codesAgain  = 0.5
)

// pages serves pages for people. A person who signed in with GitHub sees the repositories that the person may read
// at GitHub.
type pages struct {
	*service
	site   *web.Site
	base   string         // path of the pages as browsers see it
	client *github.Client // client for signing in, nil if nobody can sign in
	app    github.SignIn
	codes  *httpserver.Rate // rate of code exchanges by address
}

func newPages(s *service) (*pages, error) {
	public, err := url.Parse(strings.TrimRight(s.config.PublicURL, "/"))
	if err != nil {
		return nil, err
	}
	p := &pages{service: s, base: public.Path + pagesPath, codes: httpserver.NewRate(codesAgain, codesAtOnce, time.Now)}
	p.site = &web.Site{Name: "blq", Base: p.base, Remote: s.config.remoteFlag(), Enter: p.enter,
		Source: p.source, Repos: p.repos, Visitor: p.visitor}
	if s.config.Client == "" || s.config.open() {
		return p, nil
	}
	p.app = github.SignIn{Client: s.config.Client, Secret: s.config.ClientSecret,
		Redirect: public.String() + pagesPath + "/signed-in"}
	p.client, err = github.New(github.Config{API: s.config.GitHubAPI, Agent: "blqd", Patience: -1})
	return p, err
}

// routes adds the routes of pages.
func (p *pages) routes(mux *httpserver.Mux) {
	mux.Handle(http.MethodGet, pagesPath, http.RedirectHandler(p.base+"/", http.StatusSeeOther))
	mux.Handle(http.MethodGet, pagesPath+"/", http.StripPrefix(pagesPath, p.site.Handler()))
	own := func(method, path string, h httpserver.Handler) {
		mux.Handle(method, pagesPath+path, h.Render(p.site.Problem))
	}
	own(http.MethodGet, "/sign-in", p.signIn)
	own(http.MethodGet, "/signed-in", p.signedIn)
	own(http.MethodPost, "/sign-out", p.signOut)
}

// guard sets the security headers of pages on every response below the path of the pages. If no page
// has the requested path or method, the response is an error page, because people may have typed the
// path.
func (p *pages) guard(mux *httpserver.Mux) http.Handler {
	guarded, none := web.Guarded(mux), web.Guarded(p.site.NotFound())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != pagesPath && !strings.HasPrefix(r.URL.Path, pagesPath+"/"):
			mux.ServeHTTP(w, r)
		case mux.Route(r) == "":
			none.ServeHTTP(w, r)
		case mux.Refused(r) != "":
			web.Guarded(p.site.NotAllowed(mux.Refused(r))).ServeHTTP(w, r)
		default:
			guarded.ServeHTTP(w, r)
		}
	})
}

// toPages redirects browsers from the service's root path to the pages.
func (s *service) toPages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, s.pages.base+"/", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// enter authenticates the visitor of a page. A request for a page counts in the same rate limit as API requests of the
// visitor.
func (p *pages) enter(r *http.Request) (*http.Request, error) {
	caller, err := p.auth.Viewer(r, valueOf(r, cookieSignedIn), "GET /ui/{page...}")
	if err != nil {
		return nil, err
	}
	httpserver.SetCaller(r.Context(), caller.ID, caller.Tenant())
	r = r.WithContext(auth.With(r.Context(), caller))
	return r, p.ingest.LimitRequest(r.Context())
}

func (p *pages) source(r *http.Request) (web.Source, error) {
	asker, err := p.asker(r.Context())
	return questions.Local{Asker: asker, Line: cmdline.Words}, err
}

// repos returns the enrolled repositories that the caller may read.
func (p *pages) repos(r *http.Request) ([]web.Repo, error) {
	all, err := p.places.store.EnrolledRepos(r.Context())
	if err != nil {
		return nil, err
	}
	caller := auth.From(r.Context())
	list := make([]web.Repo, 0, len(all))
	for _, repo := range all {
		if caller.MayRead(repo.Name) {
			list = append(list, web.Repo{Name: repo.Name, Branch: repo.DefaultBranch, Public: repo.Public})
		}
	}
	return slices.Clip(list), nil
}

// visitor returns the visitor of a page: the person who is signed in, or the URL for signing in. After signing in, the
// visitor comes back to the page, or to the site's first page if the page itself is for signing in or out.
func (p *pages) visitor(r *http.Request) web.Visitor {
	caller := auth.From(r.Context())
	if caller.Kind == auth.KindUser {
		_, person, _ := strings.Cut(caller.ID, ":")
		return web.Visitor{Person: person, FormKey: auth.FormKey(valueOf(r, cookieSignedIn))}
	}
	if p.client == nil {
		return web.Visitor{}
	}
	to := url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	if strings.HasPrefix(r.URL.Path, pagesPath+"/") { // the paths for signing in and out do not belong to the site
		to = url.URL{Path: "/"}
	}
	return web.Visitor{SignIn: "/sign-in?" + url.Values{"to": {to.String()}}.Encode()}
}

// valueOf returns the value of a cookie, or "" if the request has no such cookie.
func valueOf(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}
