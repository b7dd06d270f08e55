package formats

import (
	"bytes"
	"encoding/json"

	"github.com/blq-ci/blq/ingest/parse"
)

// search finds the lines of values in a document. It reads the document only once, so callers must ask for values in
// the order of the document.
type search struct {
	text *parse.Text
	from int
	vain int // number of bytes that were searched without a result
}

func newSearch(t *parse.Text) *search { return &search{text: t} }

// line returns the log line of the next occurrence of value as a JSON string. If there is none, it returns the line of
// the last occurrence found.
func (s *search) line(value string) int {
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) == nil {
		s.find(bytes.TrimSpace(quoted.Bytes()))
	}
	return s.text.Line(max(s.from-1, 0))
}

// find moves to the next occurrence of the literal, if there is one. After many bytes without an occurrence it does
// nothing, because the document probably writes values in another form.
func (s *search) find(literal []byte) {
	rest := s.text.Data[s.from:]
	if s.vain > 2*parse.MaxDocument {
		return
	}
	if i := bytes.Index(rest, literal); i >= 0 {
		s.from += i + 1
	} else {
		s.vain += len(rest)
	}
}

// hasAll reports whether head contains all words.
func hasAll(head []byte, words ...string) bool {
	for _, w := range words {
		if !bytes.Contains(head, []byte(w)) {
			return false
		}
	}
	return true
}
