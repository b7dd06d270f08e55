package githubtest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// fault makes matching requests fail.
type fault struct {
	begin string
	left  int
	with  http.Handler
}

// Fault answers the next n matching requests with a handler. A request matches if its method and path begin with begin,
// such as "POST /repos/acme/shop/issues".
func (g *GitHub) Fault(begin string, n int, with http.Handler) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.faults = append(g.faults, &fault{begin, n, with})
}

func (g *GitHub) faultOf(request string) http.Handler {
	for _, f := range g.faults {
		if f.left > 0 && strings.HasPrefix(request, f.begin) {
			f.left--
			return f.with
		}
	}
	return nil
}

func failing(status int, message string, header ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := refuse(status, message)
		a.header = http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			a.header.Set(header[i], header[i+1])
		}
		a.write(w)
	})
}

// TooMany answers 429 with the number of seconds to wait.
func TooMany(seconds int) http.Handler {
	return failing(http.StatusTooManyRequests, "API rate limit exceeded", "Retry-After", fmt.Sprint(seconds))
}

// Exhausted answers 403, as GitHub does when the rate limit is exhausted. The limit is reset at the given time.
func Exhausted(reset time.Time) http.Handler {
	return failing(http.StatusForbidden, "API rate limit exceeded for installation ID 1.", "X-RateLimit-Limit",
		"1000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(reset.Unix()))
}

// Secondary answers 403, as GitHub does for a secondary rate limit. No header of the response says how long to wait.
func Secondary() http.Handler {
	return failing(http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before "+
		"you try again.", "X-RateLimit-Remaining", "900")
}

// Broken answers with a status and an HTML page.
func Broken(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		// An error means that the client has disconnected.
		_, _ = w.Write([]byte("<html><title>Unicorn! &middot; GitHub</title></html>"))
	})
}

// Hang does not answer until the client gives up or the server closes.
func Hang() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// Trickle sends one byte of a response. It then waits until the client gives up or the server closes.
func Trickle() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte("[")) // fails only if the client is gone
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// CutOff closes the connection in the middle of a response.
func CutOff() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("[")) // fails only if the client is gone
	})
}
