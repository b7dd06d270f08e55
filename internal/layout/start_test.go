package layout

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// At its start a command initialises every package that the binary links, used or not. The allocated bytes measure the
// cost of this, and do not depend on the speed of the machine.
var maxStart = struct {
	ours, others int            // max bytes of a package
	more         map[string]int // max bytes of packages with a reason for more
}{
	ours: 4 << 10, others: 24 << 10,
	more: map[string]int{
		module + "ingest/parse/formats":              20 << 10, // computed words and literals
		module + "mcp":                               32 << 10, // tool definitions
		module + "query/questions":                   6 << 10,  // flags of the table
		"github.com/google/jsonschema-go/jsonschema": 96 << 10, // tool schemas
		"encoding/gob":                               32 << 10, // cursors of the MCP library
		"go.yaml.in/yaml/v3":                         28 << 10, // YAML keywords and their values
	},
}

func TestWhatACommandDoesNotUseCostsItLittle(t *testing.T) {
	t.Parallel()
	blq := filepath.Join(t.TempDir(), "blq")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", blq,
		module+"cmd/blq").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	seen := startOf(t, blq, "version")
	if len(seen) < 50 {
		t.Fatalf("the trace names only %d packages: %v", len(seen), seen)
	}
	if early := startOf(t, blq, "--version"); len(early) > 40 || early["os"] == 0 {
		t.Errorf("blq --version initialises %d packages first, want only os and what os needs: %v", len(early), early)
	}
	for name, bytes := range seen {
		max := maxStart.others
		if name == "main" || strings.HasPrefix(name, module) {
			max = maxStart.ours
		}
		if m, ok := maxStart.more[name]; ok {
			max = m
		}
		if bytes > max {
			t.Errorf("%s allocates %d bytes before main begins, more than %d: make its tables when they are first used "+
				"(sync.OnceValue, internal/lazyregexp)", name, bytes, max)
		}
	}
	for name := range maxStart.more {
		if seen[name] == 0 {
			t.Errorf("%s allocates nothing any more: it needs no bound of its own", name)
		}
	}
}

// startOf runs blq, and returns how many bytes the initialisation of each package allocated.
func startOf(t *testing.T, blq string, args ...string) map[string]int {
	t.Helper()
	cmd := exec.Command(blq, args...)
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	seen := map[string]int{}
	for line := range strings.Lines(trace.String()) {
		// The format is: init NAME @0.1 ms, 0.2 ms clock, 300 bytes, 4 allocs
		words := strings.Fields(line)
		if len(words) != 11 || words[0] != "init" {
			continue
		}
		bytes, err := strconv.Atoi(words[7])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		seen[words[1]] = bytes
	}
	return seen
}
