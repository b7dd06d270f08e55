package httpserver

import (
	"net/http"
)

// Handler serves a request or returns an error. As an http.Handler it sends the error as JSON.
type Handler func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP implements http.Handler.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Render(writeProblem).ServeHTTP(w, r)
}

// Renderer sends an error in some form: as JSON, as a page, or in the form of a protocol.
type Renderer func(w http.ResponseWriter, r *http.Request, status int, p Problem)

// Render returns the handler with another Renderer for errors.
func (h Handler) Render(render Renderer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			refuse(w, r, err, render)
		}
	})
}

// Refuse sends an error as JSON.
func Refuse(w http.ResponseWriter, r *http.Request, err error) { refuse(w, r, err, writeProblem) }

// refuse sends an error, unless the response has already begun. In both cases, the log line of the request has the
// whole error.
func refuse(w http.ResponseWriter, r *http.Request, err error, render Renderer) {
	x := exchangeOf(r.Context())
	x.err = err
	if x.status != 0 {
		return
	}
	p := explain(err)
	p.Message = x.clean(p.Message)
	for i, step := range p.NextSteps {
		p.NextSteps[i] = x.clean(step)
	}
	for i, c := range p.Calls {
		p.Calls[i] = c.Map(x.clean)
	}
	status := statusOf(p.Code)
	setRetryAfter(w.Header(), status, err)
	render(w, r, status, p)
}

func writeProblem(w http.ResponseWriter, _ *http.Request, status int, p Problem) {
	WriteJSON(w, status, Error{p})
}
