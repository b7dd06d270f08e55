package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// answerWriter sends what the library writes. An answer without notifications is
// plain JSON, which any client reads, rather than a stream of one event. Errors
// in plain text become errors of JSON-RPC. It relies on the library writing each
// event in one piece, which the tests would notice.
type answerWriter struct {
	http.ResponseWriter
	request *http.Request
	caller  *caller
	began   bool
	plain   bool // an error in words, without JSON
	whole   bool // an answer that came alone
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	if w.began {
		return
	}
	w.began = true
	letRead(w.ResponseWriter, w.request)
	h := w.Header()
	if status >= 400 && !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		w.plain = true
		h.Set("Content-Type", "application/json")
		h.Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(text []byte) (int, error) {
	out := text
	if answer := alone(text); answer != nil && !w.began {
		out, w.whole = answer, true
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Del("Connection")
		if w.caller.panicked.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
	w.WriteHeader(http.StatusOK)
	if w.plain {
		out = refuse(nil, invalid("%s", bytes.TrimSpace(text)))
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// alone returns the answer to a request that an event of the library carries,
// nil for any other event.
func alone(event []byte) json.RawMessage {
	data, ok := bytes.CutPrefix(event, []byte("event: message\ndata: "))
	if !ok || !bytes.HasPrefix(data, []byte(`{"jsonrpc":"2.0","id":`)) {
		return nil
	}
	return bytes.TrimSuffix(data, []byte("\n"))
}

// Flush sends what was written.
func (w *answerWriter) Flush() {
	if w.whole {
		return // it is sent with its length
	}
	w.began = true
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write reports the error
}

// Unwrap lets http.ResponseController set deadlines.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
