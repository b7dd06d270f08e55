package httpserver

import "net/http"

// writer records the status and the size of a response.
type writer struct {
	http.ResponseWriter
	x *exchange
}

func (w *writer) WriteHeader(status int) {
	if w.x.status == 0 && status >= http.StatusOK {
		w.x.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(text []byte) (int, error) {
	if w.x.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(text)
	w.x.out += int64(n)
	return n, err
}

// Flush implements http.Flusher for streaming handlers. It drops an error, because the next write returns it.
func (w *writer) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap gives http.ResponseController access to the deadlines.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
