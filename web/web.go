// Package web shows runs, their errors and their logs as pages. The server makes the pages, which are complete without
// JavaScript. The pages ask the same questions as the command line and the MCP tools, so all three show the same
// facts. The package may import query, query/questions, internal/httpserver and store.
package web

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"

	g "maragu.dev/gomponents"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

var stamped struct {
	sync.Once
	text string
}

// stamp returns a text that changes with the static files. The addresses of these files in pages contain the text. So a
// browser never uses files of an earlier release with new pages.
func stamp() string {
	stamped.Do(func() {
		sum := sha256.New()
		for _, name := range []string{"static/blq.css", "static/blq.js"} {
			text, _ := static.ReadFile(name) // the file is part of the program
			sum.Write(text)
		}
		stamped.text = hex.EncodeToString(sum.Sum(nil)[:6])
	})
	return stamped.text
}

// Source answers the questions of pages. It asks a local project or a server.
type Source interface {
	questions.Answerer
	Output(ctx context.Context, p query.OutputParams) (query.Output, error)
	RawOutput(ctx context.Context, ref, stream string, w io.Writer) error
}

// Site is a set of pages.
type Site struct {
	// Enter admits a request, and stores the caller in the context of the request. It returns an error if the caller
	// may not see the pages. nil admits all requests.
	Enter func(*http.Request) (*http.Request, error)
	// Source returns the source that answers the questions of a request.
	Source func(*http.Request) (Source, error)
	// Name is part of the title of each page.
	Name string
	// Base is the path under which browsers see the pages; "" means /. The code that mounts the handler must remove
	// this path from requests.
	Base string
	// Remote is the flag --remote for commands in prompts for agents. With this flag, the commands ask the service
	// whose runs the pages show. It is "" for a project on this machine.
	Remote string
	// Repos returns the repositories that the sender of a request may see. It is nil if the site is about one project.
	Repos func(*http.Request) ([]Repo, error)
	// Visitor returns the visitor who sent a request. It is nil if all visitors have the same rights.
	Visitor func(*http.Request) Visitor
}

//go:embed static
var static embed.FS

// Handler returns the handler of the site's pages.
func (s *Site) Handler() http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", http.FileServerFS(static))
	m.Handle("GET /static/{$}", s.NotFound()) // no page lists the static files
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
			var to string
			if to, err = q.permanentPath(); err == nil && to != "" {
				http.Redirect(w, r, s.Base+to, http.StatusSeeOther)
				return nil
			}
			if err == nil {
				err = page(q)
			}
			if gone, pruned := store.PrunedRun(err); pruned {
				return q.pruned(gone)
			}
			return err
		}).Render(s.Problem))
	}
	m.Handle("/", s.other())
	return Guarded(s.entered(m))
}

// entered refuses requests for pages from callers who may not see pages. Static files are for everybody.
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

// Guarded sets security headers on every response. Pages load nothing from other hosts, and contain no inline scripts.
// Other sites cannot show a page in a frame, and cannot learn the URL of a page.
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

// request is a request for a page, and the source that answers its questions.
type request struct {
	w    http.ResponseWriter
	r    *http.Request
	site *Site
	by   Source
}

func (q *request) context() context.Context { return q.r.Context() }

// ref returns the run or event in the URL.
func (q *request) ref() string { return q.r.PathValue("ref") }

// page holds the data that every page shows.
type page struct {
	Site  string
	Title string
	// Ref is the run of the page, or "" if there is none.
	Ref string
	// Repo is the repository that the page is about. It is "" if the page is about all repositories, or if the site has
	// only one.
	Repo string
	// Status is the status of the run. It is set only for the page about the run, which shows it in the title and the
	// icon.
	Status store.Status
	Live   bool   // the run is running
	Remote string // see Site
	Visitor
	// Heading replaces the title at the top of the page; nil shows the title.
	Heading g.Node
}

// page returns the data of a page. If a request limits a list to one repository, the title of the page names the
// repository.
func (q *request) page(title, ref string) page {
	p := q.site.page(q.r, title, ref)
	if p.Repo != "" && ref == "" && q.r.FormValue("repo") != "" {
		p.Title += " in " + p.Repo
	}
	return p
}

func (s *Site) page(r *http.Request, title, ref string) page {
	p := page{Site: s.Name, Title: title, Ref: ref, Repo: s.named(repoOfPage(r, ref)), Remote: s.Remote}
	if s.Visitor != nil {
		p.Visitor = s.Visitor(r)
	}
	return p
}

// named returns the name of a repository, or "" if the site has no pages of single repositories.
func (s *Site) named(repo string) string {
	if s.Repos == nil {
		return ""
	}
	return repo
}

// repoOfPage returns the repository that a request for a page is about, or "".
func repoOfPage(r *http.Request, ref string) string {
	if repo := repoOf(ref); repo != "" {
		return repo
	}
	repo := r.FormValue("repo")
	if owner := r.PathValue("owner"); owner != "" {
		repo = owner + "/" + r.PathValue("name")
	}
	if strings.Count(repo, "/") != 1 {
		return ""
	}
	return query.Clean(repo)
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
