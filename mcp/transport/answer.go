package transport

import (
	"bytes"
	"net/http"
	"strings"
)

// answerWriter replaces errors of the library with ours. It relies on the library writing each message in one
// call, and the tests of all errors would notice if it did not.
type answerWriter struct {
	http.ResponseWriter
	request   *http.Request
	explained func([]byte) []byte
	began     bool
	plain     bool // an error as plain text, without JSON
}

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

var eventStart = []byte("event: message\ndata:")

func (w *answerWriter) Write(text []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	out := text
	if data, ok := bytes.CutPrefix(text, eventStart); ok {
		if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte("{")) {
			out = append(append(bytes.Clone(eventStart), ' '), bytes.TrimSpace(w.explained(trimmed))...)
			out = append(out, "\n\n"...)
		}
	} else if w.plain {
		out = w.explained(refuse(nil, *invalid("%s", bytes.TrimSpace(text))))
	} else {
		out = w.explained(text)
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Flush sends the text that was written.
func (w *answerWriter) Flush() {
	w.began = true
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write reports the error
}

// Unwrap lets http.ResponseController set deadlines.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
