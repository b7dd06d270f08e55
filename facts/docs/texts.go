package docs

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs/markup"
)

// maxTexts is the max number of bytes of documents that an index keeps in memory. A single larger document is kept,
// too.
const maxTexts = 8 << 20

// maxReads is the max number of documents that a search reads at a time.
const maxReads = 8

// texts keeps recently read documents. Its zero value is empty.
type texts struct {
	mu    sync.Mutex
	bytes int64
	kept  map[string]*markup.Lines
}

// lines returns the lines of a document.
func (t *texts) lines(ctx context.Context, set facts.Set, d *document) (*markup.Lines, error) {
	t.mu.Lock()
	l := t.kept[d.Path]
	t.mu.Unlock()
	if l != nil {
		return l, nil
	}
	text, err := set.Read(ctx, d.File)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.Path, err)
	}
	l = markup.Split(text)
	if l.Len() != d.lines {
		return nil, broken(d.Path + " has other lines")
	}
	t.keep(d, l)
	return l, nil
}

// all reads documents concurrently, and keeps them.
func (t *texts) all(ctx context.Context, set facts.Set, documents []*document) (map[*document]*markup.Lines, error) {
	read := map[*document]*markup.Lines{}
	errs := make(chan error, len(documents))
	free := make(chan struct{}, maxReads)
	var mu sync.Mutex
	for _, d := range documents {
		go func() {
			free <- struct{}{}
			defer func() { <-free }()
			l, err := t.lines(ctx, set, d)
			mu.Lock()
			read[d] = l
			mu.Unlock()
			errs <- err
		}()
	}
	var first error
	for range documents {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return read, first
}

func (t *texts) keep(d *document, l *markup.Lines) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept[d.Path] != nil {
		return
	}
	if t.bytes+d.Size > maxTexts {
		t.kept, t.bytes = nil, 0
	}
	if t.kept == nil {
		t.kept = map[string]*markup.Lines{}
	}
	t.kept[d.Path] = l
	t.bytes += d.Size
}

// lines are the lines of a document in a source.
type lines struct {
	source   *Source
	document *document
}

func (l lines) Len(context.Context) (int, error) { return l.document.lines, nil }

func (l lines) Section(_ context.Context, r Range) (Range, error) {
	return l.document.outline().section(r), nil
}

func (l lines) Lines(ctx context.Context, from, to int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		all, err := l.source.index.texts.lines(ctx, l.source.set, l.document)
		if err != nil {
			yield("", err)
			return
		}
		text{all}.Lines(ctx, from, to)(yield)
	}
}

// text implements Lines in memory.
type text struct{ lines *markup.Lines }

// NewText returns the lines of a text, such as a source file. The text has no sections.
func NewText(b []byte) Lines { return text{markup.Split(b)} }

func (t text) Len(context.Context) (int, error) { return t.lines.Len(), nil }

func (t text) Lines(_ context.Context, from, to int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for n := from; n <= to; n++ {
			if !yield(string(t.lines.Line(n)), nil) {
				return
			}
		}
	}
}
