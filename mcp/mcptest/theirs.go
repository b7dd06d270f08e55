package mcptest

import (
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// Mine is the repository that all callers of Tenancy may see.
const Mine = "acme/shop"

// Theirs is the repository that only its owner may see.
const Theirs = theirRepo

// These names occur in the data of the repository Theirs. Only the owner of Theirs may read this data.
const (
	theirRepo   = "hidden/vault"
	theirSource = "hidden-step"
	theirRef    = theirRepo + "@" + theirSource + ":3"
	theirUUID   = "018d0c00-0000-7000-8000-000000000703"
	theirBranch = "hidden-branch"
	theirCommit = "7777777777777777777777777777777777777777"
	theirFile   = "src/hidden_file.c"
	theirTest   = "test_hidden_thing"
	theirPR     = 77
	theirDocs   = "hidden-docs"
)

// theirPrint is the fingerprint of an event in Theirs.
var theirPrint = store.Fingerprint(theirEvents()[0])

// secrets are words from Theirs. No answer to another caller may contain such a word, unless the caller's own question
// contains it.
var secrets = []string{theirRepo, theirSource, theirUUID, theirBranch, theirCommit, theirFile, "hidden message",
	"hidden log", "hidden command", "hidden-host",
	theirNode, "hidden-kind", "hidden-rule", "hidden_symbol", "HiddenSymbol"}

// SeedMine stores the runs of Mine.
func SeedMine(t *testing.T, f *querytest.Fixture) {
	t.Helper()
	for i := range 4 {
		events := querytest.BuildEvents()
		f.Add(t, querytest.Run{Repo: Mine, Source: "build", At: 10 * i, Exit: 1, Log: querytest.BuildLog,
			Events: events[:len(events)-i%2]})
	}
	f.Add(t, querytest.Run{Repo: Mine, Source: "lint", At: 50, Log: "fine\n"})
	seedDocs(t, f, Mine, "my-docs")
	myFiles.Save(t, f, Mine, myCommit)
}

// seedDocs adds documentation to a repository.
func seedDocs(t *testing.T, f *querytest.Fixture, repo, alias string) {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	_, err := f.Store.(store.Sources).AddSourceVersion(t.Context(), store.SourceVersion{
		Repo: repo, Alias: alias, Digest: strings.Repeat("ab", 32), Key: "sources/" + alias, Bytes: 10, Lines: 1,
		Title: alias, URL: "https://example.org/" + alias, FinalURL: "https://example.org/" + alias, FetchedAt: at}, true)
	querytest.Check(t, err)
}

// SeedTheirs stores the runs of Theirs. Some runs are newer, and some are older, than the runs of Mine. The source
// "build" and events of its runs also occur in Mine.
func SeedTheirs(t *testing.T, f *querytest.Fixture) {
	t.Helper()
	for i, at := range []int{701, 702, 703} {
		f.Add(t, querytest.Run{
			Repo: theirRepo, Source: theirSource, At: at, Exit: i % 2, Log: "hidden log\nhidden message 1\n",
			Events:  theirEvents(),
			Command: "hidden command", Git: &store.Git{Branch: theirBranch, Commit: theirCommit},
			CI: &store.CI{Provider: "github", Repo: theirRepo, PR: theirPR, Job: "hidden job"},
		})
	}
	f.Add(t, querytest.Run{Repo: theirRepo, Source: "build", At: 5, Exit: 1, Log: querytest.BuildLog,
		Events: querytest.BuildEvents()})
	f.Add(t, querytest.Run{Repo: theirRepo, Source: "build", At: 704, Exit: 0, Log: "hidden log\n"})
	f.Add(t, querytest.Run{Repo: theirRepo, Source: "build", At: 705, Exit: 1, Log: querytest.BuildLog,
		Events: append(querytest.BuildEvents(), theirEvents()...)})
	f.Add(t, querytest.Run{Repo: theirRepo, Source: "slow", At: 706, Running: true, Log: "hidden log\n"})
	seedDocs(t, f, theirRepo, theirDocs)
	theirEarlierFiles.Save(t, f, theirRepo, theirAncestor)
	theirFiles.Save(t, f, theirRepo, theirCommit, theirAncestor)
	seedNotice(t, f, theirRepo)
}

// noticed is the time at which the notifications were made. It is recent, and the same in all stores.
var noticed = time.Now()

// seedNotice adds a notification about a contract to a repository.
func seedNotice(t *testing.T, f *querytest.Fixture, repo string) {
	t.Helper()
	_, err := f.Store.(store.Notifications).Announce(t.Context(), store.Announcement{Realm: repo,
		Heads: map[string]string{},
		Told: []store.Told{{To: []string{repo}, Notification: store.Notification{ID: "notif-hidden", Key: "hidden",
			Realm: "hidden", Domain: "hidden", Contract: "hidden contract", From: "hidden", FromRepo: repo,
			Change: "VersionChanged", OldVersion: "1.0.0", NewVersion: "2.0.0", CreatedAt: noticed}}}})
	querytest.Check(t, err)
}

func theirEvents() []store.Event {
	e := querytest.Event(store.SeverityError, theirFile, 3, 1, "hidden message 1", 2, 2)
	failed := querytest.Event(store.SeverityError, "tests/test_hidden.py", 3, 1, "hidden message 2", 2, 2)
	failed.Tool, failed.Category, failed.Test = "pytest", store.CategoryTest, theirTest
	list := []store.Event{e, failed, querytest.Event(store.SeverityWarning, theirFile, 4, 1, "hidden message 3", 2, 2)}
	for i := range list {
		list[i].Fingerprint, list[i].Pattern = store.Fingerprint(list[i]), store.Pattern(list[i])
	}
	return list
}

// values returns the values that the test tries for an argument.
func values(name string) []any {
	switch name {
	case "command":
		return []any{"list", "stats"}
	case "sql":
		return statements
	case "filter":
		return []any{
			"repo=" + theirRepo, "repo!=" + Mine, "repo~hidden", "source_name=" + theirSource, "message~hidden",
			"ref_file~hidden", "git_branch=" + theirBranch,
			"run_ref=" + theirSource + ":3", "run_id=7", "test_name=" + theirTest, "fingerprint=" + theirPrint, "severity=error",
			"git_commit=" + theirCommit,
		}
	case "ref_id":
		return nodes
	case "since":
		return []any{"HEAD~1", theirCommit, theirCommit[:7], theirAncestor, theirBranch, "main", theirRef, "PR#77"}
	case "at":
		return []any{
			"HEAD~1", theirCommit, theirCommit[:7], theirAncestor, theirBranch, "main", theirRef, theirSource, theirUUID, "7",
			"PR#77",
		}
	case "cwd":
		return []any{".", "src", "/src", theirFile, theirRepo, "hidden"}
	case "source":
		return []any{
			theirSource, theirSource + ":3", theirRepo + "@" + theirSource, "hidden-ste", "build", "build:5", "slow",
			theirRepo, theirBranch, theirDocs, theirDocs + ",my-docs",
		}
	case "query":
		return []any{"hidden", "hidden message", "hidden_symbol", theirNode, "core", "HiddenSymbol OR core"}
	case "kind":
		return []any{"hidden-kind", "domain", "service"}
	case "if_none_match":
		return []any{"sha256:" + strings.Repeat("0", 64), "x"}
	case "summary":
		return []any{"hidden"}
	case "repo":
		return []any{theirRepo, "hidden/none", "hidden", Mine}
	case "branch":
		return []any{theirBranch, "hidden-branc", "main"}
	case "commit":
		return []any{theirCommit, theirCommit[:7], "abc1234"}
	case "pr", "limit", "offset", "head", "tail", "context", "lookback", "max_bytes", "limit_per_run":
		return []any{theirPR, 1, 5, 1000}
	case "citation", "snippets":
		return []any{theirDocs + ":1", theirDocs + "@" + strings.Repeat("ab", 5) + ":1",
			"docs@" + theirCommit[:10] + "/a.md:1",
			"docs/a.md:1", "code@" + theirCommit + "/" + theirFile + ":1", theirRef + ":L1-L2", "my-docs:1"}
	case "severity":
		return []any{"error", "warning", "error,warning,info"}
	case "status":
		return []any{"running", "completed", "RUNNING", "FAIL"}
	case "file_pattern", "file_path", "file", "test_pattern", "test", "grep":
		return []any{theirFile, "%hidden%", "hidden", "%", theirTest}
	case "ref_file":
		return []any{theirFile}
	case "run_ids", "refs":
		return []any{
			[]any{theirRef, "build:1"}, []any{theirUUID}, []any{7, 6, 5}, []any{theirRef + ":1"},
			[]any{theirRepo + "@build:4:1", theirRepo + "@5:1"},
		}
	case "wait":
		return []any{0.01}
	case "errors", "warnings", "include_log_context", "include_source_context", "include_git_context", "confirm":
		return []any{true, false}
	}
	return names
}

// names holds the values for all other parameters: references and other words. Some are valid, and some are nearly
// valid.
var names = []any{
	theirRef, theirRef + ":1", theirRef + ":L1-L2", theirRepo + "@3", theirRepo + "@latest", theirRepo + "@" + theirSource,
	theirRepo + "@~1", theirRepo + "@build:~1",
	theirUUID, "018d0c00-0000-7000-8000-000000000799", theirSource, theirSource + ":3", theirSource + ":3:1",
	theirSource + ":~1", theirSource + ":latest",
	"hidden-ste", "7", "3", "5:1", "7:1", "~1", "~4", "latest", "build", "build:5", "build:latest", "build:~3", "build:~4",
	"slow", "build:3", "build:3:1",
	theirBranch, theirCommit, theirCommit[:7], theirPrint, theirFile, "main", "hidden/none@build:1", theirRepo, "combined",
	"stdout", "pr-comment", "1-2", theirDocs, theirDocs + ",my-docs",
}

// statements are SQL queries that try to read rows of other callers.
var statements = []any{
	"SELECT * FROM blq_load_events()", "SELECT count(*) FROM blq_load_runs()",
	"SELECT * FROM lq_events WHERE message LIKE '%hidden%'",
	"SELECT max(run_id), min(run_id), count(DISTINCT run_ref) FROM blq_load_events()",
	"SELECT * FROM blq_load_runs() WHERE repo = '" + theirRepo + "'",
	"SELECT a.run_ref FROM blq_load_runs() a JOIN blq_load_events() b ON a.run_ref <> b.run_ref",
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT i, (SELECT count(*) FROM " +
		"blq_load_runs() WHERE run_id = i) FROM n",
	"SELECT rowid FROM blq_load_runs()", "SELECT * FROM runs", "SELECT * FROM main.runs", "SELECT * FROM temp.runs",
	"SELECT * FROM events WHERE run_id > 0",
	"SELECT * FROM sqlite_schema", "SELECT * FROM sqlite_temp_master", "SELECT * FROM pragma_table_info('runs')",
	"SELECT * FROM sqlite_sequence", "SELECT * FROM dbstat",
	"PRAGMA table_list", "PRAGMA database_list", "ATTACH 'blq.db' AS x", "SELECT * FROM tokens", "SELECT * FROM enrolled",
	"SELECT hash FROM tokens",
	"SELECT changes(), total_changes(), last_insert_rowid()", "SELECT 1; SELECT * FROM runs",
	"EXPLAIN SELECT * FROM blq_load_runs()", "EXPLAIN QUERY PLAN SELECT * FROM blq_load_runs()",
	"SELECT * FROM blq_load_runs() -- \n UNION SELECT * FROM runs", "SELECT randomblob(1) IS NULL", "VALUES (1)",
	"SELECT load_extension('x')",
}
