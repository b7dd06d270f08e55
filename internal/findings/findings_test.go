package findings_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/store"
)

const rules = "version: 3\nrules:\n- {name: no-db, description: ask core, deny: {from: {ref_id: web}, to: " +
	"{ref_id: db}}}\n"

// shop is a project that breaks its rule once.
var shop = map[string]string{
	".beadloom/_graph/graph.yml": "nodes:\n- {ref_id: web, source: web/}\n- {ref_id: db, source: db/}\n",
	".beadloom/_graph/rules.yml": rules,
	"web/page.ts":                "import { table } from '../db/table'\n",
	"db/table.ts":                "export const table = {}\n",
}

// repository is a git repository with commits of files.
type repository struct {
	*testing.T
	dir string
}

func newRepository(t *testing.T, files map[string]string) (r repository, commit string) {
	t.Helper()
	r = repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r, r.commit(files)
}

func (r repository) git(args ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=A",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write replaces all files of the work tree.
func (r repository) write(files map[string]string) {
	r.Helper()
	entries, err := os.ReadDir(r.dir)
	check(r.T, err)
	for _, e := range entries {
		if e.Name() != ".git" {
			check(r.T, os.RemoveAll(filepath.Join(r.dir, e.Name())))
		}
	}
	for name, text := range files {
		path := filepath.Join(r.dir, name)
		check(r.T, os.MkdirAll(filepath.Dir(path), 0o755))
		check(r.T, os.WriteFile(path, []byte(text), 0o644))
	}
}

func (r repository) commit(files map[string]string) string {
	r.Helper()
	r.write(files)
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "c")
	return r.git("rev-parse", "HEAD")
}

func (r repository) check(base string) findings.Report {
	r.Helper()
	report, err := findings.Check{Source: &worktree.Source{Root: r.dir}, Base: base}.Run(r.Context())
	check(r.T, err)
	return report
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// prints returns the places of findings by fingerprint, in the order of the log.
func prints(r *findings.Result) map[string][]string {
	by := map[string][]string{}
	for _, f := range r.Findings {
		print := store.Fingerprint(f.Event)
		by[print] = append(by[print], fmt.Sprintf("%s:%d", f.File, f.Event.Line))
	}
	return by
}

func with(files map[string]string, change ...string) map[string]string {
	files = maps.Clone(files)
	for i := 0; i < len(change); i += 2 {
		if files[change[i]] = change[i+1]; change[i+1] == "" {
			delete(files, change[i])
		}
	}
	return files
}

func TestOldViolationsStayOld(t *testing.T) {
	t.Parallel()
	r, base := newRepository(t, shop)
	was := slices.Collect(maps.Keys(prints(r.check(base).Lint)))
	for name, files := range map[string]map[string]string{
		"the file is renamed": with(shop, "web/page.ts", "", "web/other.ts", shop["web/page.ts"]),
		"it goes to a folder": with(shop, "web/page.ts", "", "web/a/b/c.ts",
			"import { table } from '../../../db/table'\n"),
		"the import moves": with(shop, "web/page.ts", "// a\n\n\nimport { table } from '../db/table'\n"),
		"the rule has other words": with(shop, ".beadloom/_graph/rules.yml",
			strings.Replace(rules, "ask core", "'never: do that'", 1)),
		"the rule has no words": with(shop, ".beadloom/_graph/rules.yml",
			strings.Replace(rules, "description: ask core, ", "", 1)),
		"a name with blanks": with(shop, "web/page.ts", "", "web/a b c.ts", shop["web/page.ts"]),
		"another file of YAML": with(shop, ".beadloom/_graph/graph.yml", "", ".beadloom/_graph/z.yml",
			shop[".beadloom/_graph/graph.yml"]),
		"the summary of a node": with(shop, ".beadloom/_graph/graph.yml",
			strings.Replace(shop[".beadloom/_graph/graph.yml"], "web,", "web, summary: x,", 1)),
		"a rule that nobody breaks": with(shop, ".beadloom/_graph/rules.yml",
			rules+"- {name: x, forbid_cycles: {edge_kind: uses}}\n"),
		"a line end of another kind": with(shop, "web/page.ts", "import { table } from '../db/table'\r\n"),
	} {
		r.write(files)
		now := r.check(base).Lint
		if diff := cmp.Diff(was, slices.Collect(maps.Keys(prints(now)))); diff != "" || now.Errors != 1 {
			t.Errorf("%s: %s\n%+v", name, diff, now.Findings)
		}
	}
	r.write(with(shop, "db/table.ts", "", "db/rows.ts", "export const table = {}\n", "web/page.ts",
		"import { table } from '../db/rows'\n"))
	if now := prints(r.check(base).Lint); now[was[0]] != nil || len(now) != 1 {
		t.Errorf("an import of something else is not new: %v", now)
	}
}

// Of violations that differ only in their files, violations in old files come first, because a comparison counts the
// first violations as old.
func TestOldViolationsComeFirst(t *testing.T) {
	t.Parallel()
	r, base := newRepository(t, shop)
	line := shop["web/page.ts"]
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a new file": {with(shop, "web/a.ts", line, "web/z.ts", line),
			"web/page.ts:1 web/a.ts:1 web/z.ts:1"},
		"a file that had no import":   {with(shop, "web/a.ts", line), "web/page.ts:1 web/a.ts:1"},
		"a second one in the file":    {with(shop, "web/page.ts", "\n"+line+line), "web/page.ts:2 web/page.ts:3"},
		"the old file is altered too": {with(shop, "web/a.ts", line, "web/page.ts", "//\n"+line), "web/page.ts:2 web/a.ts:1"},
	} {
		r.write(tt.files)
		for _, at := range []string{"the work tree", "a commit"} {
			c := findings.Check{Source: &worktree.Source{Root: r.dir}, Base: base}
			if at == "a commit" {
				r.git("add", "-A")
				r.git("commit", "-q", "--allow-empty", "-m", name)
				c.At = r.git("rev-parse", "HEAD")
			}
			report, err := c.Run(t.Context())
			check(t, err)
			for _, places := range prints(report.Lint) {
				if got := strings.Join(places, " "); got != tt.want {
					t.Errorf("%s of %s: %s, want %s", name, at, got, tt.want)
				}
			}
		}
		r.git("reset", "-q", "--hard", base)
	}
}

func TestFindingsNameTheReason(t *testing.T) {
	t.Parallel()
	r, base := newRepository(t, shop)
	f := r.check(base).Lint.Findings
	if want := "web/page.ts:1: error: web/page.ts imports ../db/table of db, which web must not [no-db] ask core"; len(
		f) != 1 ||
		f[0].Line != want || strings.Contains(f[0].Message, "ask core") {
		t.Errorf("%+v", f)
	}
}

// hostile returns projects with malicious or invalid files, by their descriptions.
func hostile() map[string]map[string]string {
	bomb := "a: &a [x, x, x]\n"
	for i := range 30 {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c, *%c]\n", 'b'+i%20, 'b'+i, 'a'+i, 'a'+i, 'a'+i)
	}
	deep := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
	var many strings.Builder
	many.WriteString("nodes:\n")
	for i := range 100_000 {
		fmt.Fprintf(&many, "- {ref_id: n%d}\n", i)
	}
	many.WriteString("edges:\n")
	for i := range 100_000 {
		fmt.Fprintf(&many, "- {src: n%d, dst: n%d, kind: depends_on}\n", i, i-i%4+(i+1)%4)
	}
	cycles := ".beadloom/_graph/rules.yml"
	noCycles := "version: 1\nrules:\n- {name: c, forbid_cycles: {edge_kind: depends_on}}\n"
	graph := ".beadloom/_graph/graph.yml"
	return map[string]map[string]string{
		"a bomb":           with(shop, graph, bomb),
		"deep lists":       with(shop, graph, "nodes: "+deep+"\n"),
		"many cycles":      with(shop, graph, many.String(), cycles, noCycles),
		"a file of 10 MB":  with(shop, graph, "nodes:\n"+strings.Repeat("# x\n", 10<<20/4)),
		"no YAML":          with(shop, graph, "\x00\xff\xfe{{{"),
		"an empty file":    with(shop, graph, ""),
		"empty nodes":      with(shop, graph, "nodes: []\n"),
		"nodes of no kind": with(shop, graph, "nodes: [1, null, [], {ref_id: []}, {ref_id: ''}]\nedges: {a: b}\n"),
		"paths to outside": with(shop, graph, "nodes:\n- {ref_id: web, source: ../../../etc}\n- {ref_id: db, source: "+
			"/etc/passwd, docs: [../../etc/passwd, /etc/passwd]}\n"),
		"names with escape": with(
			shop, graph, "nodes:\n- {ref_id: \"web\\e[31m\\u202e<img src=x>\", source: web/}\n- {ref_id: db, source: db/}\n"),
		"rules of nonsense": with(shop, cycles, "version: 99\nrules: {a: 1}\n"),
		"a rule of a bomb": with(shop, cycles, "version: 1\nrules:\n- {name: x, forbid_import: {from: \""+
			strings.Repeat("*a", 2000)+"\", to: \""+strings.Repeat("*b", 2000)+"\"}}\n"),
	}
}

func TestHostileGraphsAreSurvived(t *testing.T) {
	t.Parallel()
	for name, files := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, base := newRepository(t, shop)
			r.write(files)
			report := r.check(base)
			for _, result := range report.Results() {
				for _, f := range result.Findings {
					if strings.ContainsAny(f.Line, "\n\r") || strings.Contains(f.Line, "root:") || len(f.Line) > 64<<10 {
						t.Errorf("%.300q", f.Line)
					}
				}
			}
			switch name {
			case "a bomb", "no YAML", "nodes of no kind", "rules of nonsense", "deep lists", "a file of 10 MB":
				if report.Lint == nil || report.Lint.Errors == 0 {
					t.Errorf("no error: %+v", report.Lint)
				}
			case "many cycles":
				if report.Lint == nil || report.Lint.Errors == 0 || report.Lint.Errors > 1000 {
					t.Errorf("%d errors", report.Lint.Errors)
				}
			}
		})
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	r, base := newRepository(t, shop)
	secret := filepath.Join(t.TempDir(), "secret.yml")
	check(t, os.WriteFile(secret, []byte("nodes:\n- {ref_id: stolen, source: web/}\n"), 0o644))
	check(t, os.Remove(filepath.Join(r.dir, ".beadloom/_graph/graph.yml")))
	check(t, os.Symlink(secret, filepath.Join(r.dir, ".beadloom/_graph/graph.yml")))
	report := r.check(base)
	for _, result := range report.Results() {
		for _, f := range result.Findings {
			if strings.Contains(f.Line, "stolen") {
				t.Errorf("%s", f.Line)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (findings.Check{Source: &worktree.Source{Root: r.dir}}).Run(ended); err == nil {
		t.Error("a check that was cancelled succeeds")
	}
}

// If a violation is older than its rule, its message says so. The fingerprint does not contain this remark, so a
// comparison does not count the violation as new. A violation that the change itself adds is new.
func TestViolationsThatAreOlderThanTheirRule(t *testing.T) {
	t.Parallel()
	line := shop["web/page.ts"]
	lone := "version: 3\nrules:\n- {name: other, forbid_cycles: {edge_kind: uses}}\n"
	added := lone + strings.SplitAfterN(rules, "\n", 3)[2]
	tagged := "version: 3\ntags: {ui: [%s]}\nrules:\n- {name: no-db, deny: {from: {tag: ui}, to: {ref_id: db}}}\n"
	warn := strings.Replace(rules, "{name", "{severity: warn, name", 1)
	for name, tt := range map[string]struct {
		before, after map[string]string
		older, fresh  int // violations
	}{
		"the same rules": {shop, with(shop, "web/b.ts", line), 0, 1},
		"an added rule":  {with(shop, graph.RulesFile, lone), with(shop, graph.RulesFile, added), 1, 0},
		"an added rule and a violation": {with(shop, graph.RulesFile, lone),
			with(shop, graph.RulesFile, added, "web/b.ts", line), 1, 1},
		"the first rules": {with(shop, graph.RulesFile, ""), with(shop, "web/b.ts", line), 1, 1},
		"the first rules and nodes": {with(shop, graph.RulesFile, "", graph.Folder+"graph.yml", ""),
			with(shop, "web/b.ts", line), 1, 1},
		"a tag of more nodes": {with(shop, graph.RulesFile, fmt.Sprintf(tagged, "db")),
			with(shop, graph.RulesFile, fmt.Sprintf(tagged, "db, web"), "web/b.ts", line), 1, 1},
		"a higher severity": {with(shop, graph.RulesFile, warn), with(shop, "web/b.ts", line), 1, 1},
		"an edge that the change forbids and adds": {with(shop, graph.RulesFile, lone),
			with(shop, graph.Folder+"graph.yml", shop[graph.Folder+"graph.yml"]+"edges:\n- {src: db, dst: web, kind: uses}\n",
				graph.RulesFile, lone+"- {name: no-edge, forbid: {from: {ref_id: db}, to: {ref_id: web}, edge_kind: uses}}\n"), 0, 1},
		"a node with a new source": {with(shop, graph.Folder+"graph.yml", "nodes:\n- {ref_id: web, source: app/}\n"+
			"- {ref_id: db, source: db/}\n"), shop, 0, 1},
		"a name that ends with the words": {with(shop, graph.RulesFile, lone), with(shop, graph.Folder+"graph.yml",
			"nodes: [{ref_id: 'a (older than the rule)'}]\nedges: [{src: x, dst: 'a (older than the rule)', kind: uses}]\n"),
			0, 0},
	} {
		r, base := newRepository(t, tt.before)
		was := r.checkAt(base).Lint
		r.write(tt.after)
		older, fresh := 0, 0
		c, err := store.Compare(each(was), each(r.check(base).Lint), 0)
		check(t, err)
		for _, e := range c.Unchanged {
			if strings.HasSuffix(e.Message, store.OlderThanRule) {
				older++
			}
		}
		for _, e := range c.New {
			if e.Code != "unreadable" {
				fresh++
			}
		}
		if older != tt.older || fresh != tt.fresh {
			t.Errorf("%s: %d older, %d new; want %d, %d\n%+v", name, older, fresh, tt.older, tt.fresh, c)
		}
	}
}

// checkAt checks a commit, as a job on the default branch does.
func (r repository) checkAt(commit string) findings.Report {
	r.Helper()
	report, err := findings.Check{Source: &worktree.Source{Root: r.dir}, At: commit}.Run(r.Context())
	check(r.T, err)
	return report
}

// each returns the findings of a result as events of a run.
func each(r *findings.Result) iter.Seq2[store.RunEvent, error] {
	return func(yield func(store.RunEvent, error) bool) {
		if r == nil {
			return
		}
		for _, f := range r.Findings {
			f.Fingerprint = store.Fingerprint(f.Event)
			if !yield(store.RunEvent{Event: f.Event}, nil) {
				return
			}
		}
	}
}
