// Package redact replaces secrets in text by *** before the text is stored or leaves the machine. It finds given
// values in the forms in which programs print them. It finds values that a job masks while it runs, and tokens by
// their shape. The package may import internal/lazyregexp and internal/workflowcommand.
//
// No regular expression runs over a log. A value is encoded in some twenty ways. Each encoded form is a needle. The
// first four bytes of a needle are its gram. A Bloom filter of all grams quickly excludes nearly every position of a
// log. Where a needle may begin, a binary search in the sorted needles finds it. The shapes of tokens also begin with
// a gram, and are matched without backtracking.
//
// Escaped or otherwise changed text is decoded as a view of the text. In a view, only two kinds of positions are
// examined: those where bytes are adjacent that are not adjacent in the text, and those at which a secret may begin
// in the text.
//
// Text that may be the beginning of a secret is held back until the end of the secret. Each kind of secret has a limit,
// such as one kilobyte for a given value, eight for a token, and sixteen for a private key. A stream holds back at most
// 64 kilobytes. The text before the held-back text is settled: whatever text follows, the secrets in settled text
// remain the same.
//
// The names of files begin with their subject:
//
//	scan, stream   the search through a text and through a stream
//	needle, value  searched values and their encodings; which values of the environment are secret
//	shape          what a shape is, how a pattern is compiled, the table of all shapes
//	tokens, key    shapes of tokens and of keys with a known form
//	named          values after the name of a secret
//	command        passwords in command lines
//	data, url      secrets in documents, statements, forms and addresses
//	protocol       what clients send to servers
//	foreign        names in other languages, and other rare forms
//	mask           commands with which a job masks values
//	line           the last line and the last words of a text
//	view, dump     text that is displayed as other text; numbers and characters that represent bytes
package redact

import (
	"sync"
	"sync/atomic"
)

// Mask replaces a secret.
const Mask = "***"

// Options configures a Redactor.
type Options struct {
	// Values are secret in all their forms. Values and lines of less than four bytes are ignored, because such short
	// texts occur everywhere (see Redactor.Add).
	Values []string
	// Shapes turns on the search for tokens by shape.
	Shapes bool
}

// Redactor replaces secrets. It is safe for concurrent use.
type Redactor struct {
	set atomic.Pointer[set]

	mu     sync.Mutex
	known  map[needle]bool // needles in the set
	has    map[string]bool // values in the set
	values []string        // the same values in the order in which they were added
	added  int             // number of bytes of added values
	tell   func([]string)  // called with added values
}

// maxAdded is the max number of bytes of all values in a Redactor. More bytes are a sign of an attack. A Redactor with
// more bytes replaces all text.
const maxAdded = 4 << 20

// New returns a Redactor.
func New(o Options) *Redactor {
	r := &Redactor{known: map[needle]bool{}, has: map[string]bool{}}
	if o.Shapes {
		r.set.Store(newSet(allShapes()))
	} else {
		r.set.Store(newSet(commandShapes()))
	}
	r.add(false, o.Values)
	return r
}

// Add makes values secret from now on, also in open streams. Each line of a value is a separate secret. Values may be
// short, as in GitHub Actions.
func (r *Redactor) Add(values ...string) { r.add(true, values) }

// minDocumented is the min length in bytes of a value that is removed from documentation. A shorter value is removed
// only if isLearned returns true for it.
const minDocumented = 8

// ForDocuments returns a Redactor for documentation. It replaces the secret values that r has now, and tokens that are
// recognised by their form alone. It does not search for values after the name of a secret, because documentation is
// full of such examples. It does not replace short values that may be ordinary words either.
func (r *Redactor) ForDocuments() *Redactor {
	if r == nil {
		return nil
	}
	d := &Redactor{known: map[needle]bool{}, has: map[string]bool{}}
	d.set.Store(newSet(tokenShapes()))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.values {
		if len(v) >= minDocumented || isLearned(v) {
			d.add(false, []string{v})
		}
	}
	return d
}

// Learned calls the function with the present secret values, and again with each value that is added later. The calls
// are not concurrent. The function must not call methods of the Redactor. A later call of Learned replaces the
// function.
func (r *Redactor) Learned(tell func(values []string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell = tell
	tell(r.values)
}

func (r *Redactor) add(short bool, values []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []needle
	var added []string
	defer func() {
		r.values = append(r.values, added...)
		if r.tell != nil && len(added) > 0 {
			r.tell(added)
		}
	}()
	for _, v := range values {
		if r.added += len(v); r.added > maxAdded {
			r.set.Store(&set{closed: true})
			return
		}
		if r.has[v] {
			continue
		}
		r.has[v] = true
		added = append(added, v)
		for _, n := range forms(v, short) {
			if at := (needle{text: n.text, head: n.head}); !r.known[at] {
				r.known[at] = true
				fresh = append(fresh, n)
			}
		}
	}
	if s := r.set.Load(); len(fresh) > 0 && !s.closed {
		r.set.Store(s.with(fresh))
	}
}

// String returns a text with its secrets replaced. If r is nil, it returns the text unchanged.
func (r *Redactor) String(s string) string { return r.text(s, false, false) }

// Label is like String, but does not replace values of less than four bytes. It is for names, references and lines that
// blq itself prints, in which such short values occur by chance.
func (r *Redactor) Label(s string) string { return r.text(s, false, true) }

// Command returns a command line with its secrets replaced. The values of options such as --password are secrets,
// too.
func (r *Redactor) Command(s string) string { return r.text(s, true, false) }

// Blank returns the text with an asterisk in place of each byte of a secret, so that the text keeps its length.
func (r *Redactor) Blank(text []byte) []byte {
	if r == nil {
		return text
	}
	out := make([]byte, 0, len(text))
	st := r.Stream(func(text []byte) { out = append(out, text...) })
	st.deaf, st.sized = true, true
	_, _ = st.Write(text)
	st.Close()
	return out
}

// Values returns the number of secret values.
func (r *Redactor) Values() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.values)
}

func (r *Redactor) text(s string, command, label bool) string {
	if r == nil || s == "" {
		return s
	}
	out := make([]byte, 0, len(s))
	st := r.Stream(func(text []byte) { out = append(out, text...) })
	st.deaf, st.line, st.label = true, command, label // a mask command in a command line has not run yet
	_, _ = st.Write([]byte(s))
	st.Close()
	if string(out) == s { // without a copy, texts that are kept take no additional memory
		return s
	}
	return string(out)
}
