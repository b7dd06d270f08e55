package main

import (
	"io"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// lineWriter writes events as JSON lines and keeps the first error.
type lineWriter struct {
	out io.Writer
	buf []byte
	err error
}

func newLineWriter(w io.Writer) *lineWriter { return &lineWriter{out: w} }

// maxLines is the size in bytes above which the lines so far are written.
const maxLines = 64 << 10

func (l *lineWriter) event(e store.Event) {
	e.Message, e.Test, e.File = query.Clean(e.Message), query.Clean(e.Test), query.Clean(e.File)
	l.buf = appendEvent(l.buf, &e)
	if len(l.buf) >= maxLines {
		l.flush()
	}
}

// flush writes the lines so far. After an error it drops them.
func (l *lineWriter) flush() {
	if l.err == nil && len(l.buf) > 0 {
		_, l.err = l.out.Write(l.buf)
	}
	l.buf = l.buf[:0]
}

func (l *lineWriter) close() error {
	l.flush()
	return l.err
}
