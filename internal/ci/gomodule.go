package ci

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/internal/regularfile"
)

// GoModule returns the path and the directory of the Go module that contains dir. It returns "" for both if there is
// none.
func GoModule(dir string) (path, root string) {
	for {
		if path := modulePath(filepath.Join(dir, "go.mod")); path != "" {
			return path, dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

// modulePath returns the module path in a go.mod file.
func modulePath(file string) string {
	f, err := regularfile.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return ""
	}
	return modulePathIn(string(text))
}

// modulePathIn returns the module path in the text of a go.mod file.
func modulePathIn(text string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			rest, _, _ = strings.Cut(rest, "//")
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}
