package facts

import (
	"bytes"
	"context"
)

// Hidden returns a copy of the set that may leave the machine, or the set itself if it has no secrets. The contents of
// the files in the copy have no secrets, and files with secrets in their names are left out. hide returns a text
// without its secrets. The result of hide must be as long as the text, so that cited lines stay in place. The result
// changed has the paths of the files that were edited or left out, without secrets.
func (l *Listed) Hidden(ctx context.Context, hide func(text []byte) []byte) (
	hidden *Listed, changed []string, err error) {
	m, err := parseManifest(l.Text)
	if err != nil {
		return nil, nil, err
	}
	edited := map[string][]byte{} // new contents of changed files, by their new digests
	entries := make([]Entry, 0, len(m.Entries))
	for _, e := range m.Entries {
		if path := []byte(e.Path); !bytes.Equal(hide(path), path) {
			changed = append(changed, string(hide(path)))
			continue
		}
		content, err := l.Read(ctx, e.File)
		if err != nil {
			return nil, nil, err
		}
		if text := hide(content); !bytes.Equal(text, content) {
			changed = append(changed, e.Path)
			e.Digest, e.Size = Digest(text), int64(len(text))
			edited[e.Digest] = text
		}
		entries = append(entries, e)
	}
	if len(changed) == 0 {
		return l, nil, nil
	}
	m, text, err := NewManifest(m.Kind, entries)
	if err != nil {
		return nil, nil, err
	}
	return NewListed(m, text, func(ctx context.Context, f File) ([]byte, error) {
		if text, ok := edited[f.Digest]; ok {
			return text, nil
		}
		return l.Read(ctx, f)
	}), changed, nil
}
