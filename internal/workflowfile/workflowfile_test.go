package workflowfile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/workflowfile"
)

const file = `
on: push
defaults: {run: {working-directory: all}}
jobs:
  build: {runs-on: ubuntu-latest, steps: [{run: make}]}
  test:
    strategy:
      matrix:
        os: [linux, mac]
        go: [1.25, "1.26"]
        exclude: [{os: mac, go: 1.25}]
        include:
          - {os: linux, fast: true}
          - {os: plan9, go: 1}
    defaults: {run: {working-directory: of-test}}
    steps:
      - uses: actions/checkout@v4
      - {name: "Test on ${{ matrix.os }}", run: go test, working-directory: "x/${{ matrix.os }}"}
      - {run: "make lint\nmake more"}
      - {id: last, name: "${{ github.ref }} ends", run: x, working-directory: "${{ env.HERE }}"}
  named:
    name: ${{ matrix.node.name }} of ${{ github.ref }}
    strategy: {matrix: {node: [{name: a, at: 1}, {name: b, at: 2}]}}
  counted:
    name: Node ${{ matrix.node.at }}
    strategy: {matrix: {node: [{name: c, at: 1.5}, {name: d, at: true}]}}
  open: {strategy: {matrix: "${{ fromJSON(needs.x.outputs.y) }}"}, container: golang}
  call: {uses: ./.github/workflows/other.yml}
  "twice": {name: same}
  "more": {name: same}
`

func TestJobsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	f, err := workflowfile.Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"build":                    "build true",
		"build (x)":                "",
		"test (linux, 1.25, true)": `test true {"os":"linux","go":1.25,"fast":true}`,
		"test (mac, 1.26)":         `test true {"os":"mac","go":"1.26"}`,
		"test (mac, 1.25)":         "",
		"test (plan9, 1)":          `test true {"os":"plan9","go":1}`,
		"b of refs/heads/main":     `named true {"node":{"name":"b","at":2}}`,
		"Node 1.5":                 `counted true {"node":{"name":"c","at":1.5}}`,
		"Node true":                `counted true {"node":{"name":"d","at":true}}`,
		"Node 1":                   "",
		"open (1, 2)":              "open false in a container",
		"call":                     "call true calls ./.github/workflows/other.yml",
		"same":                     "", // two jobs have this name
		"test":                     "",
		"":                         "",
	} {
		got := ""
		if job, ok := f.Job(name); ok {
			got = job.ID + map[bool]string{true: " true", false: " false"}[job.LegKnown]
			if job.Leg != "" {
				got += " " + job.Leg
			}
			if job.Uses != "" {
				got += " calls " + job.Uses
			}
			if job.InContainer {
				got += " in a container"
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestStepsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	f, err := workflowfile.Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	job, ok := f.Job("test (linux, 1.26, true)")
	if !ok {
		t.Fatal("no job")
	}
	names := []string{"Set up job", "Run actions/checkout@v4", "Test on linux", "Run make lint", "refs/heads/main ends",
		"Post Run actions/checkout@v4", "Complete job"}
	got, ok := job.Steps(names)
	want := map[int]workflowfile.Step{1: {Dir: "of-test", DirKnown: true}, 2: {Dir: "x/linux", DirKnown: true},
		3: {Dir: "of-test", DirKnown: true}, 4: {ID: "last"}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(diff, ok)
	}
	for _, wrong := range [][]string{names[:4], append([]string{"another"}, names...), {"Set up job"}, nil,
		{"Run actions/checkout@v4", "Test on mac", "Run make lint", "x ends"}} {
		if got, ok := job.Steps(wrong); ok {
			t.Errorf("%q are %v", wrong, got)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"jobs: [", "jobs: 3", "jobs: {a: 3}", "- a", "",
		"jobs: {a: {strategy: {matrix: {x: &a [*a]}}}}", "jobs: {a: {steps: {b: c}}}"} {
		f, err := workflowfile.Read([]byte(text))
		if err != nil {
			continue
		}
		if job, ok := f.Job("b"); ok {
			t.Errorf("%q has %v", text, job)
		}
		if job, ok := f.Job("a"); ok {
			if steps, ok := job.Steps([]string{"b"}); ok {
				t.Errorf("%q has %v", text, steps)
			}
		}
	}
}

// Job takes little time for a name that repeats a long value, and for many entries that add keys to all legs.
func TestHostileFilesCostLittle(t *testing.T) {
	long := "jobs:\n  a:\n    name: " + strings.Repeat("${{ matrix.a }}", 200) + "\n    strategy: {matrix: {a: [" +
		strings.Repeat("x", 200_000) + "]}}\n"
	var wide strings.Builder
	wide.WriteString("jobs:\n  b:\n    strategy:\n      matrix:\n        x: [" + strings.Repeat("1, ", 255) + "1]\n        include:\n")
	for i := range 20_000 {
		fmt.Fprintf(&wide, "          - {k%d: 1}\n", i)
	}
	for name, text := range map[string]string{"a": long, "b (1)": wide.String()} {
		f, err := workflowfile.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if job, _ := f.Job(name); job.LegKnown {
			t.Errorf("%s: the leg is known", name)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}
