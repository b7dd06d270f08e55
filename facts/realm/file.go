package realm

import (
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/blq-ci/blq/internal/yamlfile"
)

// File is a file in the repository of a realm or of a member.
type File struct {
	Path string // relative to the repository, with slashes
	Text []byte

	kept *kept                  // nil if the file is parsed on each read
	load func() ([]byte, error) // reads the text when a contract names the file; nil if Text is set
}

// kept is the result of parsing a file.
type kept struct {
	once  sync.Once
	done  atomic.Bool // whether the file has been parsed
	value yamlfile.Value
	err   error

	mu    sync.Mutex
	parts map[string]jsonPart // values of the file as JSON, by key

	check sync.Once
	fault error // error of the contract in the file
}

// jsonPart is the value of a key as JSON.
type jsonPart struct {
	text json.RawMessage
	hash string // SHA-256 of its canonical form
	err  error
}

// Keep returns a file that is parsed only once, although the realm, its members and the baseline all read the file.
// The parsed file takes about ten times the memory of the text.
func Keep(path string, text []byte) File { return File{Path: path, Text: text, kept: &kept{}} }

// Later returns a file without text. The function load reads the text when a contract names the file.
func Later(path string, load func() ([]byte, error)) File { return File{Path: path, load: load} }

// value returns the value of the file. If f.kept is set, the file is parsed only once.
func (f File) value() (yamlfile.Value, error) {
	if f.kept == nil {
		return yamlfile.Parse(f.Text)
	}
	f.kept.once.Do(func() {
		f.kept.value, f.kept.err = yamlfile.Parse(f.Text)
		f.kept.done.Store(true)
	})
	return f.kept.value, f.kept.err
}

// parseAll parses the YAML files of Keep in parallel, on all processors. It does nothing if they are fewer than
// minParallel. Parsing takes most of the time of the first question about a realm.
func parseAll(lists ...[]File) {
	var todo []File
	for _, files := range lists {
		for _, f := range files {
			if f.kept != nil && !f.kept.done.Load() && isYAML(f.Path) {
				todo = append(todo, f)
			}
		}
	}
	if len(todo) < minParallel {
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(todo)); i = next.Add(1) - 1 {
				_, _ = todo[i].value() // the value and the error are kept
			}
		})
	}
	all.Wait()
}

// minParallel is the min number of files that are parsed in parallel.
const minParallel = 32

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// checked returns the result of the first call of check. Later calls do not run check again. If k is nil, each
// call runs check.
func (k *kept) checked(check func() error) error {
	if k == nil {
		return check()
	}
	k.check.Do(func() { k.fault = check() })
	return k.fault
}

// json returns the value of a key of the file as JSON. If hashed is set, the result has the hash of the value.
func (f File) json(key string, v yamlfile.Value, hashed bool) (p jsonPart) {
	if f.kept != nil {
		f.kept.mu.Lock()
		defer f.kept.mu.Unlock()
		if p, known := f.kept.parts[key]; known {
			return p
		}
		if f.kept.parts == nil {
			f.kept.parts = map[string]jsonPart{}
		}
		defer func() { f.kept.parts[key] = p }()
	}
	if p.text, p.err = v.JSON(); p.err == nil && hashed {
		p.hash, p.err = hash(p.text)
	}
	return p
}
