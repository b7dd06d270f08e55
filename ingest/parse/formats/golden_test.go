package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/store"
)

var update = flag.Bool("update", false, "rewrite the want section of goldens")

// golden is a captured output with the expected events.
type golden struct {
	file   string
	ar     *txtar.Archive
	input  []byte
	exit   *int
	opts   parse.Options
	format string // name of the folder
}

// goldens reads all of testdata/FORMAT/*.txtar.
func goldens(t testing.TB) []golden {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens under testdata (error %v)", err)
	}
	var list []golden
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g := golden{file: file, ar: ar, opts: all, format: filepath.Base(filepath.Dir(file))}
		g.opts.Root = "/tmp/golden/" + g.format + "-" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range ar.Files {
			switch f.Name {
			case "input":
				g.input = f.Data
			case "exit":
				code, err := strconv.Atoi(strings.TrimSpace(string(f.Data)))
				if err != nil {
					t.Fatalf("%s: exit: %v", file, err)
				}
				g.exit = &code
			case "work": // the directory in which the command worked, in a tree of the sources
				g.opts.Tree, g.opts.WorkDirs = treeOf(t, ar), []string{strings.TrimSpace(string(f.Data))}
			case "matcher.json":
				g.opts.Matchers, err = parse.ReadMatchers(f.Data)
				if err != nil {
					t.Fatalf("%s: matcher.json: %v", file, err)
				}
			}
		}
		list = append(list, g)
	}
	return list
}

// treeOf returns a work tree with the sources of a golden.
func treeOf(t testing.TB, ar *txtar.Archive) parse.Tree {
	t.Helper()
	root := t.TempDir()
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "src/"); ok {
			name = filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return ci.NewTree(root)
}

func (g golden) want() (string, bool) {
	for _, f := range g.ar.Files {
		if f.Name == "want" {
			return string(f.Data), true
		}
	}
	return "", false
}

func (g golden) rewrite(t *testing.T, got string) {
	t.Helper()
	found := false
	for i := range g.ar.Files {
		if g.ar.Files[i].Name == "want" {
			g.ar.Files[i].Data = []byte(got)
			found = true
		}
	}
	if !found {
		g.ar.Files = append(g.ar.Files, txtar.File{Name: "want", Data: []byte(got)})
	}
	if err := os.WriteFile(g.file, txtar.Format(g.ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

func jsonLines(t testing.TB, events []store.Event) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		e.Fingerprint = "" // it has tests of its own, and goldens stay readable
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// Each golden is parsed with all formats, and must give exactly the events of its want section.
func TestGoldens(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(strings.TrimPrefix(g.file, "testdata/"), func(t *testing.T) {
			got := jsonLines(t, parse.Bytes(g.input, g.exit, g.opts))
			if *update {
				g.rewrite(t, got)
				return
			}
			want, ok := g.want()
			if !ok {
				t.Fatal("no want section: run with -update and read what it wrote")
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

// A golden names the tool that printed it, and the command.
func TestGoldensNameTheirTool(t *testing.T) {
	for _, g := range goldens(t) {
		for _, key := range []string{"tool:", "command:"} {
			if !bytes.Contains(append([]byte("\n"), g.ar.Comment...), []byte("\n"+key+" ")) {
				t.Errorf("%s: no %s line in the comment", g.file, key)
			}
		}
	}
}

// If the command of a golden is a script, cat or echo, the golden must not look like the output of a tool. It must have
// a line "version:", or its line "tool:" must begin with "shape of", or must have no digits.
func TestGoldensSayWhatNoToolPrinted(t *testing.T) {
	printed := regexp.MustCompile(`(?m)^command: (sh \S+\.sh|cat |echo )`)
	invented := regexp.MustCompile(`(?m)^tool: (shape of .|\D*$)`)
	for _, g := range goldens(t) {
		comment := g.ar.Comment
		if printed.Match(comment) && !bytes.Contains(comment, []byte("version: ")) && !invented.Match(comment) {
			t.Errorf("%s: what a script prints is \"shape of TOOL VERSION\", not a tool's output", g.file)
		}
	}
}

// Each format has a golden, so that each format is tested with the output of its tool.
func TestFormatsHaveGoldens(t *testing.T) {
	for _, f := range All().Formats() {
		files, _ := filepath.Glob("testdata/" + f.Name + "/*.txtar")
		if len(files) == 0 {
			t.Errorf("format %s has no golden in testdata/%s", f.Name, f.Name)
		}
	}
}

// The result of the parser does not depend on how the bytes arrive.
func TestWriteSizesDoNotMatter(t *testing.T) {
	for _, g := range goldens(t) {
		want := jsonLines(t, parse.Bytes(g.input, g.exit, g.opts))
		for _, size := range []int{1, 7, 4096} {
			var events []store.Event
			p := parse.New(g.opts, func(e store.Event) { events = append(events, e) })
			for rest := g.input; len(rest) > 0; {
				n := min(size, len(rest))
				p.Write(rest[:n])
				rest = rest[n:]
			}
			p.Finish(g.exit)
			if diff := cmp.Diff(want, jsonLines(t, events)); diff != "" {
				t.Errorf("%s: writes of %d bytes change the events:\n%s", g.file, size, diff)
			}
		}
	}
}

// Read gives the same events as a Parser.
func TestReadGivesTheSame(t *testing.T) {
	for _, g := range goldens(t) {
		var events []store.Event
		in := iotest.OneByteReader(bytes.NewReader(g.input))
		if err := parse.Read(in, g.exit, g.opts, func(e store.Event) { events = append(events, e) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(jsonLines(t, parse.Bytes(g.input, g.exit, g.opts)), jsonLines(t, events)); diff != "" {
			t.Errorf("%s: Read gives other events:\n%s", g.file, diff)
		}
	}
}

func TestReadTellsWhatFailed(t *testing.T) {
	log := "a.c:1:1: error: no end"
	in := io.MultiReader(strings.NewReader(log), iotest.ErrReader(io.ErrClosedPipe))
	n := 0
	err := parse.Read(in, nil, all, func(store.Event) { n++ })
	if !errors.Is(err, io.ErrClosedPipe) || n != 1 {
		t.Errorf("%d events and error %v, want 1 and %v", n, err, io.ErrClosedPipe)
	}
}
