// Package web shows runs, their errors and their logs as pages. The pages are made on the server, and are complete
// without JavaScript. They ask the same questions as the command line and the MCP tools, so they show the same facts.
// It may import query, query/questions, internal/httpserver, ingest/parse's text functions and store.
package web

import (
	"context"
	"embed"
	"io"
	"net/http"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// Source answers the questions of pages: a project's folder, or a server.
type Source interface {
	questions.Answerer
	Output(ctx context.Context, p query.OutputParams) (query.Output, error)
	RawOutput(ctx context.Context, ref, stream string, w io.Writer) error
}

// Site is a set of pages.
type Site struct {
	// Enter lets a request in, with its caller in its context. It refuses those who may not look; nil lets all in.
	Enter func(*http.Request) (*http.Request, error)
	// Source returns the source that answers the questions of a request.
	Source func(*http.Request) (Source, error)
	// Name stands in the title of each page.
	Name string
	// Base is the path below which browsers see the pages, "" for /. Whoever mounts the handler strips it from
	// requests.
	Base string
	// Repos returns the repositories that a request may look at; nil for a site about one project.
	Repos func(*http.Request) ([]Repo, error)
	// Visitor returns who looks; nil where that makes no difference.
	Visitor func(*http.Request) Visitor
}

//go:embed static
var static embed.FS

// Handler returns the handler of the site's pages.
func (s *Site) Handler() http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", http.FileServerFS(static))
	for path, page := range map[string]func(*request) error{
		"/{$}": home, "/runs": runs, "/run/{ref...}": showRun, "/errors/{ref...}": errorsOf, "/log/{ref...}": showLog,
		"/search/{ref...}": search, "/raw/{ref...}": raw, "/event/{ref...}": event, "/compare/{ref...}": compare,
		"/after/{ref...}": after, "/repo/{owner}/{name}": repository,
		"/tests": tests, "/find": find, "/fingerprint/{ref...}": fingerprint,
		"/uploads": uploads, "/upload/{ref...}": upload, "/sources": sources,
	} {
		m.Handle("GET "+path, httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
			by, err := s.Source(r)
			if err != nil {
				return err
			}
			q := &request{w, r, s, by}
			err = page(q)
			if gone, pruned := store.PrunedRun(err); pruned {
				return q.pruned(gone)
			}
			return err
		}).Render(s.Problem))
	}
	m.Handle("/", httpserver.Handler(notFound).Render(s.Problem))
	return Guarded(s.entered(m))
}

// entered serves requests of those who may look at pages, and refuses others.
func (s *Site) entered(next http.Handler) http.Handler {
	if s.Enter == nil {
		return next
	}
	return httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if strings.HasPrefix(r.URL.Path, "/static/") {
			next.ServeHTTP(w, r)
			return nil
		}
		in, err := s.Enter(r)
		if err == nil {
			next.ServeHTTP(w, in)
		}
		return err
	}).Render(s.Problem)
}

// Guarded sets the headers of every answer. Nothing is loaded from another host, no script stands in a page, and no
// other site shows a page in a frame or learns its address.
func Guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "+
			"require-trusted-types-for 'script'; trusted-types 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-store")
		if strings.HasPrefix(r.URL.Path, "/static/") {
			h.Set("Cache-Control", "private, max-age=3600")
		}
		next.ServeHTTP(w, r)
	})
}

// request is a request for a page, with the source that answers its questions.
type request struct {
	w    http.ResponseWriter
	r    *http.Request
	site *Site
	by   Source
}

func (q *request) context() context.Context { return q.r.Context() }

// ref returns the run or event of the address.
func (q *request) ref() string { return q.r.PathValue("ref") }

// page is what every page shows.
type page struct {
	Site  string
	Title string
	// Ref is the run that the page is about, "" for none.
	Ref string
	// Status is how the run went. Only the page about the run has it, and shows it in its title and icon.
	Status store.Status
	Live   bool // the run is going on
	Visitor
	// Heading stands at the top in place of the title; nil for the title.
	Heading g.Node
}

func (q *request) page(title, ref string) page {
	return q.site.page(q.r, title, ref)
}

func (s *Site) page(r *http.Request, title, ref string) page {
	p := page{Site: s.Name, Title: title, Ref: ref}
	if s.Visitor != nil {
		p.Visitor = s.Visitor(r)
	}
	return p
}

// show writes a page.
func (q *request) show(view g.Node) error { return q.site.write(q.w, http.StatusOK, view) }

func (s *Site) write(w http.ResponseWriter, status int, view g.Node) error {
	b := pageWriter{base: s.Base}
	if err := view.Render(&b); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, b.String()) // the client may have gone away
	return nil
}
