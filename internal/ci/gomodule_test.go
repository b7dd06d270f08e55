package ci_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/internal/ci"
)

func TestGoModuleIsTheNearest(t *testing.T) {
	top := t.TempDir()
	inner := filepath.Join(top, "tools", "gen")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"go.mod":       "// comment\nmodule example.com/top // why\n\ngo 1.24\n",
		"tools/go.mod": "module \"example.com/tools\"\n",
	} {
		if err := os.WriteFile(filepath.Join(top, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if path, dir := ci.GoModule(top); path != "example.com/top" || dir != top {
		t.Errorf("at the top: %q in %q", path, dir)
	}
	if path, dir := ci.GoModule(inner); path != "example.com/tools" || dir != filepath.Join(top, "tools") {
		t.Errorf("below tools: %q in %q", path, dir)
	}
}
