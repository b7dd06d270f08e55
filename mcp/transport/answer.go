package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// answerWriter writes an answer without notifications as plain JSON, because every client can read plain JSON. The
// library itself would write a stream with one event. answerWriter also replaces plain-text errors by JSON-RPC errors.
// It requires that the library writes each event in a single call of Write. A test checks this.
type answerWriter struct {
	http.ResponseWriter
	request *http.Request
	caller  *caller
	timeout time.Duration // max time until the next part or the end of a stream
	began   bool
	plain   bool // the answer is an error in plain text
	whole   bool // the answer has no notifications
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
	if !w.whole && !w.plain { // a call with progress reports may take long
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.timeout))
	}
	return len(text), nil
}

// alone returns the JSON-RPC response in a server-sent event that the library has written. It returns nil if the event
// holds a notification.
func alone(event []byte) json.RawMessage {
	data, ok := bytes.CutPrefix(event, []byte("event: message\ndata: "))
	if !ok || !bytes.HasPrefix(data, []byte(`{"jsonrpc":"2.0","id":`)) {
		return nil
	}
	return bytes.TrimSuffix(data, []byte("\n"))
}

// Flush sends the text that has been written so far.
func (w *answerWriter) Flush() {
	if w.whole {
		return // the server sends the answer with its length
	}
	w.began = true
	_ = http.NewResponseController(w.ResponseWriter).Flush() // if this fails, the next write returns the error
}

// Unwrap lets http.ResponseController set deadlines.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
