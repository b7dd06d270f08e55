package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"
)

// Stdio serves one client. The client's messages come from the reader in, and the answers go to the writer out, one
// message per line. Stdio returns when the messages have ended, when the client no longer reads, or when ctx ends.
// In the first and the last case, Stdio waits for open requests up to a time limit.
func Stdio(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := newStream(c.withDefaults(), requests, ctx.Done(), func(message []byte) error {
		_, err := out.Write(append(bytes.TrimRight(message, "\n"), '\n'))
		return err
	})
	quit := make(chan struct{})
	defer close(quit)
	lines, ended := make(chan line), make(chan error, 1)
	go func() { ended <- readLines(in, s.MaxBytes, lines, quit) }()
	for {
		select {
		case l := <-lines:
			s.takeLine(requests, l)
		case err := <-ended:
			s.finish(ctx, s.Timeout)
			return err
		case <-s.lost:
			return nil
		case <-ctx.Done():
			cancel()
			s.finish(context.WithoutCancel(ctx), 5*time.Second)
			return nil
		}
	}
}

// takeLine handles a line of input.
func (s *stream) takeLine(ctx context.Context, l line) {
	if l.long {
		s.write(refuse(nil, s.tooLarge()))
		return
	}
	m, bad := read(l.text)
	switch {
	case bad != nil && m.isNotification() && json.Valid(l.text):
		s.Log.WarnContext(ctx, "bad notification", "error", bad.Message)
	case bad != nil:
		s.write(refuse(m.ID, bad))
	default:
		s.take(ctx, m)
	}
}
