//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/query/remote"
)

// linesOfDocs are numbers of lines of the documentation that is searched.
var linesOfDocs = []int{43_150, 400_000}

// docs measures questions about documentation over HTTP, with and without an index in memory.
func (b *bench) docs() (err error) {
	server, err := b.durable()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	fmt.Printf("### Documentation\n\nOver HTTP, milliseconds.\n\n| lines | question | p50 | p99 | CPU |\n" +
		"| --- | --- | --- | --- | --- |\n")
	for _, lines := range linesOfDocs {
		if err := b.docsOf(server, lines); err != nil {
			return err
		}
	}
	return nil
}

// docsServer is a service with documentation.
type docsServer struct {
	*child
	b     *bench
	token string
	lines int
	repo  string // repository with the documentation
	start func() (*child, error)
}

func (b *bench) docsOf(server *pgtest.Server, lines int) (err error) {
	database := server.URL("postgres")
	engine, err := prepared(b.ctx, database)
	if err != nil {
		return err
	}
	d := &docsServer{b: b, lines: lines, repo: fmt.Sprint("bench/docs", lines), start: func() (*child, error) {
		return b.startService(database, "file://"+filepath.Join(b.dir, "docs"))
	}}
	d.token, err = newToken(b.ctx, engine)
	if err = errors.Join(err, engine.Close()); err != nil {
		return err
	}
	if d.child, err = d.start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	if err := d.push(); err != nil {
		return err
	}
	return errors.Join(d.searches(), d.lookups(), d.joins())
}

// push sends a project's documents with many pages. It also sends a run of the same commit, with an error that the
// documents mention.
func (d *docsServer) push() error {
	dir, err := os.MkdirTemp(d.b.dir, "project")
	if err != nil {
		return err
	}
	const page = 500 // lines
	random := rand.New(rand.NewPCG(1, 2))
	for i := range d.lines / page {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page%d.md", i)), pageOf(random, i, page), 0o600); err != nil {
			return err
		}
	}
	script := `git init -q && git add . && git -c user.name=b -c user.email=b@example.com commit -qm docs &&
		"$BLQ" init >/dev/null && "$BLQ" facts push docs >/dev/null &&
		{ "$BLQ" run --remote --name build -- sh -c 'echo "main.c:3:1: error: use of option12_of_page1 [E1042]"; exit 1' \
			>/dev/null 2>&1 || true; }`
	c := exec.CommandContext(d.b.ctx, "sh", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), "BLQ="+d.b.blq, "BLQ_SERVER="+d.url, "BLQ_TOKEN="+d.token, "BLQ_REPO="+d.repo)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("push: %w\n%s", err, out)
	}
	return nil
}

// pageOf returns a page of Markdown. Few of its words are frequent, and most are rare.
func pageOf(random *rand.Rand, number, lines int) []byte {
	common := strings.Fields("the cache option server request value returns error config file set run test retry timeout")
	var b bytes.Buffer
	for n := range lines {
		if n%22 == 0 {
			fmt.Fprintf(&b, "## %s option%d_of_page%d\n", common[random.IntN(len(common))], n/22, number)
			continue
		}
		for range 6 {
			if random.IntN(2) == 0 {
				b.WriteString(common[random.IntN(1+random.IntN(len(common)))] + " ")
				continue
			}
			fmt.Fprintf(&b, "term%d ", random.IntN(1+random.IntN(1+random.IntN(30_000))))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// ask asks the question with the given name, and returns the time until the answer. If the parameter docs is true, the
// answer must contain documentation.
func (d *docsServer) ask(name string, params map[string]any) (time.Duration, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(remote.Request{Repo: d.repo, Params: text})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	answer, err := d.call(d.b.ctx, d.token, "POST", remote.Path+"/"+name, body, "Content-Type", "application/json")
	took := time.Since(began)
	if err == nil && params["docs"] == true && !bytes.Contains(answer, []byte("option12_of_page1\"")) {
		err = fmt.Errorf("the answer names no documentation: %.2000s", answer)
	}
	return took, err
}

// row asks a question several times, and prints a row of the table with the times. The function params returns the
// parameters of a call.
func (d *docsServer) row(about, name string, params func(i int) map[string]any) error {
	var took []time.Duration
	busy := d.processor()
	for i := range d.b.calls {
		t, err := d.ask(name, params(i))
		if err != nil {
			return fmt.Errorf("%s: %w", about, err)
		}
		took = append(took, t)
	}
	fmt.Printf("| %d | %s | %s | %s | %s |\n", d.lines, about, ms(quantile(took, 0.5)), ms(quantile(took, 0.99)),
		ms((d.processor()-busy)/time.Duration(len(took))))
	return nil
}

// searches measures the first search, which builds the index, the first search after a restart, and later searches.
func (d *docsServer) searches() error {
	query := func(i int) map[string]any {
		words := []string{"retry timeout term%d", "option%d_of_page1", "how do I set the cache option of the server term%d",
			"# config term%d"}
		return map[string]any{"query": fmt.Sprintf(words[i%len(words)], i), "source": "docs"}
	}
	first, err := d.ask("find", query(0))
	if err != nil {
		return err
	}
	if err := d.restart(); err != nil {
		return err
	}
	again, err := d.ask("find", query(0))
	if err != nil {
		return err
	}
	fmt.Printf("| %d | find, first of all | %s | | |\n| %d | find, first after a start | %s | | |\n", d.lines, ms(first),
		d.lines, ms(again))
	return d.row("find", "find", query)
}

// lookups measures reading the lines of citations.
func (d *docsServer) lookups() error {
	return d.row("find, lines of a citation", "find", func(i int) map[string]any {
		return map[string]any{"snippets": []string{fmt.Sprintf("docs/page%d.md:%d-%d", i%80, 1+i, 20+i)}}
	})
}

// joins measures triage with and without documentation, with everything in memory and after a restart.
func (d *docsServer) joins() error {
	triage := func(docs bool) func(int) map[string]any {
		return func(int) map[string]any { return map[string]any{"ref": "build:1", "docs": docs} }
	}
	for _, docs := range []bool{false, true} {
		if err := d.row(fmt.Sprintf("triage, docs %t", docs), "triage", triage(docs)); err != nil {
			return err
		}
	}
	var cold [2][]time.Duration
	for i := range 2 * d.b.rounds {
		if err := d.restart(); err != nil {
			return err
		}
		if _, err := d.ask("status", map[string]any{}); err != nil { // opens the connections
			return err
		}
		took, err := d.ask("triage", triage(i%2 == 1)(i))
		if err != nil {
			return err
		}
		cold[i%2] = append(cold[i%2], took)
	}
	for i, what := range []string{"false", "true"} {
		fmt.Printf("| %d | triage after a start, docs %s | %s | %s | |\n", d.lines, what, ms(quantile(cold[i], 0.5)),
			ms(quantile(cold[i], 0.99)))
	}
	return nil
}

// restart restarts the service, so that its memory is empty.
func (d *docsServer) restart() error {
	if err := d.stop(); err != nil {
		return err
	}
	var err error
	d.child, err = d.start()
	return err
}
