package parse

import (
	"bytes"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Plain parses a log without the optimizations of a Parser, so that tests can compare the events of both. It copies
// each line, and searches the line for each literal of each format.
func Plain(log []byte, exitCode *int, opts Options, emit func(store.Event)) {
	p := plainParser{s: newScan(opts, emit)}
	lines := bytes.Split(log, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	var narrow narrower
	for i, raw := range lines {
		raw = narrow.append(nil, raw)
		if i == 0 {
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		}
		shown := bytes.Split(bytes.TrimRight(raw, "\r"), []byte("\r"))
		for j, piece := range shown {
			if j == len(shown)-1 || len(bytes.TrimSpace(piece)) > 0 {
				p.line(stripEscapes(nil, piece), i+1)
			}
		}
	}
	p.s.finish(exitCode)
}

type plainParser struct {
	s   *Scan
	env envelope
}

func (p *plainParser) line(raw []byte, n int) {
	l := ready{enveloped: p.env.strip(raw), n: n}
	text := string(clip(l.text))
	for i := range p.s.formats {
		if offered(&p.s.formats[i], text) {
			l.formats.add(i)
		}
	}
	p.s.line(&l)
	p.s.step.said.keep()
}

// offered reports whether a line is offered to a format.
func offered(f *Format, text string) bool {
	if f.every {
		return true
	}
	for _, literal := range f.Triggers {
		if literal != "" && strings.Contains(text, literal) {
			return true
		}
	}
	for _, start := range f.Starts {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
