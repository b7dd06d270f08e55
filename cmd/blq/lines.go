package main

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// lineWriter writes events as JSON lines and keeps the first error.
type lineWriter struct {
	buf *bufio.Writer
	enc *json.Encoder
	err error
}

func newLineWriter(w io.Writer) *lineWriter {
	buf := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return &lineWriter{buf: buf, enc: enc}
}

func (l *lineWriter) event(e store.Event) {
	e.Message, e.Test, e.File = query.Clean(e.Message), query.Clean(e.Test), query.Clean(e.File)
	if l.err == nil {
		l.err = l.enc.Encode(e)
	}
}

func (l *lineWriter) close() error {
	if l.err != nil {
		return l.err
	}
	return l.buf.Flush()
}
