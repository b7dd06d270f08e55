package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// These are the sizes of the large store that the benchmark asks.
const (
	askBranches = 60 // branches in addition to main; five sixths of them are merged and deleted
	askCommits  = 3  // commits on each branch
	askRuns     = 10_000
	askNewest   = 10    // runs in the small store
	askLast     = 2_000 // runs in the middle store
	askEvents   = 700   // events of a failed run; one run in seven fails
)

// ask measures questions to a large store, relative to the same questions to two stores that have only the newest runs.
// All stores belong to the same repository. The small store has no baselines, and no failures on other branches. The
// middle store has enough runs for about the same answers as the large one.
func (b bench) ask() {
	repo := filepath.Join(b.dir, "repo")
	commits := askRepository(repo)
	small, middle, large := filepath.Join(b.dir, "small"), filepath.Join(b.dir, "middle"), filepath.Join(b.dir, "large")
	steps := b.record(repo)
	fill(small, steps, commits, askRuns-askNewest)
	fill(middle, steps, commits, askRuns-askLast)
	fill(large, steps, commits, 0)
	fmt.Printf("### Asking\n\n| question | %[1]d runs | %[2]d runs | %[3]d runs, %[4]d events "+
		"| processor time, ratio to %[1]d runs | to %[2]d runs |\n| --- | --- | --- | --- | --- | --- |\n",
		askNewest, askLast, askRuns, askRuns/7*askEvents)
	for _, question := range [][]string{
		{"status"}, {"errors"}, {"triage"}, {"diff"}, {"history"}, {"ci", "check"}, {"report"},
		{"query", "--filter", "severity=error"},
	} {
		args := append([]string{b.blq}, question...)
		t := b.inTurns(command{args: args, dir: repo, store: small}, command{args: args, dir: repo, store: middle},
			command{args: args, dir: repo, store: large})
		fmt.Printf("| `blq %s` | %v | %v | %v | %.1f | %.1f |\n", strings.Join(question, " "), t[0], t[1], t[2],
			ratio(t[2].cpu, t[0].cpu), ratio(t[2].cpu, t[1].cpu))
	}
	fmt.Println()
}

// askRepository makes a git repository. It returns the commits, oldest first, with the branch on which each was made.
func askRepository(dir string) []store.Git {
	git(".", nil, "init", "-q", "-b", "main", dir)
	var in bytes.Buffer
	mark, clock := 0, time.Now().Add(-90*24*time.Hour).Unix()
	commit := func(branch, from, merged string) {
		mark++
		clock += 30_000
		fmt.Fprintf(&in, "commit refs/heads/%s\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n", branch, mark,
			clock)
		if from != "" {
			fmt.Fprintf(&in, "from %s\n", from)
		}
		if merged != "" {
			fmt.Fprintf(&in, "merge %s\n", merged)
		}
		fmt.Fprintf(&in, "M 644 inline src/file_%d.c\ndata %d\n%s\n", mark%50, len(fmt.Sprint(mark)), fmt.Sprint(mark))
	}
	var branches []string // branches, by index of the commit
	commit("main", "", "")
	branches = append(branches, "main")
	base := ":1"
	for i := range askBranches {
		branch := fmt.Sprintf("feature/%d", i)
		for j := range askCommits {
			from := ""
			if j == 0 {
				from = base
			}
			commit(branch, from, "")
			branches = append(branches, branch)
		}
		if i < askBranches*5/6 {
			head := fmt.Sprintf(":%d", mark)
			commit("main", base, head)
			branches = append(branches, "main")
			base = fmt.Sprintf(":%d", mark)
			fmt.Fprintf(&in, "reset refs/heads/%s\nfrom 0000000000000000000000000000000000000000\n\n", branch)
		}
	}
	marks := filepath.Join(dir, ".git", "marks")
	git(dir, &in, "fast-import", "--quiet", "--export-marks="+marks)
	git(dir, nil, "reset", "-q", "--hard", "main")
	text, err := os.ReadFile(marks)
	if err != nil {
		log.Fatal(err)
	}
	list := make([]store.Git, len(branches))
	for line := range bytes.Lines(text) {
		var i int
		var hash string
		if _, err := fmt.Sscanf(string(line), ":%d %s", &i, &hash); err != nil {
			log.Fatal(err)
		}
		list[i-1] = store.Git{Commit: hash, Branch: branches[i-1], Root: dir}
	}
	return list
}

// record records one run of each step with blq, and returns these runs.
func (b bench) record(repo string) []store.Run {
	dir := filepath.Join(b.dir, "steps")
	for i := range 5 {
		script := "echo 'src/file_1.c:10:5: error: no'; exit 1"
		if i > 0 {
			script = "echo fine"
		}
		b.once(command{args: []string{b.blq, "run", "-q", "--name", fmt.Sprintf("step%d", i), "--", "sh", "-c", script},
			dir: repo, store: dir})
	}
	s, err := sqlite.Open(context.Background(), filepath.Join(dir, "blq.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(context.Background(), store.Everything(), store.RunFilter{})
	if err != nil {
		log.Fatal(err)
	}
	return runs
}

// fill fills a store with runs of the given steps on the given commits, oldest first. from is the number of the first
// run to store; the runs before it are left out.
func fill(dir string, steps []store.Run, commits []store.Git, from int) {
	if _, err := project.Create(dir); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	s, err := sqlite.Open(ctx, filepath.Join(dir, "blq.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	begun := time.Now().Add(-80 * 24 * time.Hour)
	for i := from; i < askRuns; i++ {
		r := steps[i%len(steps)]
		r.Attempt = uuid.Must(uuid.NewV7()).String()
		r.Git = commits[i*len(commits)/askRuns]
		r.StartedAt = begun.Add(time.Duration(i) * 10 * time.Minute)
		r.HeartbeatAt, r.Serial = r.StartedAt, 0 // OpenedAt becomes the time of the heartbeat
		if err := recordOne(ctx, s, r, i); err != nil {
			log.Fatal(err)
		}
	}
}

// recordOne records run number i, with events if it failed.
func recordOne(ctx context.Context, s *sqlite.Store, r store.Run, i int) error {
	code, batches := 0, 0
	if _, err := s.StartRun(ctx, r); err != nil {
		return err
	}
	if i%7 == 3 {
		code, batches = 1, 1
		events := make([]store.Event, askEvents)
		for j := range events {
			e := store.Event{ID: j + 1, Severity: store.SeverityError, File: fmt.Sprintf("src/file_%d.c", (i+j)%97),
				Line: j + 1, Column: 5, Message: fmt.Sprintf("'value_%d' was not declared in this scope", (i/50+j)%5000),
				Tool: "gcc", LogLine: j + 1, LogLineEnd: j + 1}
			e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
			events[j] = e
		}
		if err := s.AddEvents(ctx, r.Attempt, 0, events); err != nil {
			return err
		}
	}
	_, err := s.FinishRun(ctx, r.Attempt, store.Finish{Chunks: 0, Batches: batches, Lines: askEvents,
		Ending: store.Ending{FinishedAt: r.StartedAt.Add(time.Minute), ExitCode: &code}})
	return err
}

func git(dir string, in *bytes.Buffer, args ...string) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	if in != nil {
		cmd.Stdin = in
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("git %v: %v: %s", args, err, out)
	}
}
