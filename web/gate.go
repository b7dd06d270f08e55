package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"sync"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// OneLink returns a handler that serves pages to a single browser: the first browser that opens link. link is the URL
// that the user must open. base is the URL of the pages on this machine, such as http://127.0.0.1:8080.
func OneLink(pages http.Handler, base string) (gate http.Handler, link string) {
	g := &oneLink{key: rand.Text(), cookie: rand.Text()}
	if u, err := url.Parse(base); err == nil {
		g.host, g.name = u.Host, "blq_ui_"+u.Port()
	}
	m := http.NewServeMux()
	m.Handle("GET /open", httpserver.Handler(g.open).Render((&Site{Name: "blq"}).Problem))
	m.Handle("GET /static/", pages)
	m.Handle("/", httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if err := g.allow(r); err != nil {
			return err
		}
		pages.ServeHTTP(w, r)
		return nil
	}).Render((&Site{Name: "blq"}).Problem))
	return Guarded(g.here(m)), base + "/open?key=" + g.key
}

type oneLink struct {
	host   string
	name   string // name of the cookie; it contains the port, because all ports of a host share cookies
	cookie string

	mu  sync.Mutex
	key string // key in the link, "" after its first use
}

// here refuses requests with other host names. Otherwise another site could let its own host name point to this
// machine, and read the pages.
func (g *oneLink) here(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != g.host {
			http.Error(w, "this is "+g.host, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *oneLink) open(w http.ResponseWriter, r *http.Request) error {
	if g.allow(r) == nil { // the same browser has opened the link again
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	g.mu.Lock()
	ok := g.key != "" && same(r.FormValue("key"), g.key)
	if ok {
		g.key = ""
	}
	g.mu.Unlock()
	if !ok {
		return refused()
	}
	http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.cookie, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

func (g *oneLink) allow(r *http.Request) error {
	if c, err := r.Cookie(g.name); err == nil && same(c.Value, g.cookie) {
		return nil
	}
	return refused()
}

func refused() error {
	return store.Hint(store.Errorf(store.Unauthorized, "this browser has not opened the link, or another one has"),
		"end blq ui, start it again, and open the link that it prints")
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
