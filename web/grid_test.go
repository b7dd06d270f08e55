package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// A grid describes each of its marks in words. The compressed page is small although a tenth of the results are failed
// or skipped.
func TestGridOfTests(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	random := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for i := range 100 {
		var list []store.TestResult
		for n := range 200 {
			if i == 50 && n == 7 {
				continue // the test does not run there
			}
			r := store.TestResult{Test: store.Test{Name: fmt.Sprintf("TestNumber%d", n), File: "pkg/a_test.go"}, Attempt: 1}
			switch x := random.IntN(100); {
			case x < 8:
				r.Outcome = store.TestFailed
				failed++
			case x < 10:
				r.Outcome = store.TestSkipped
			}
			list = append(list, r)
		}
		f.Add(t, querytest.Run{Source: "test", At: i + 1, Exit: 1, Log: "x\n", Tests: list})
	}
	server := site(t, f)
	answer := get(t, server.Client(), server.URL+"/tests?show=grid")
	if answer.status != 200 || strings.Count(answer.body, "<tr>") != 201 ||
		strings.Count(answer.body, "last failure") != 200 {
		t.Fatalf("%d, %d rows: %.2000s", answer.status, strings.Count(answer.body, "<tr>"), answer.body)
	}
	for _, want := range []string{"How 200 tests ended in 100 runs of test", "/run/test:100", "failed in ", "skipped in ",
		"passed in ", "/tests?show=history&amp;test=TestNumber7"} {
		if !strings.Contains(answer.body, want) {
			t.Errorf("the grid lacks %q", want)
		}
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(answer.body))
	querytest.Check(t, err)
	querytest.Check(t, w.Close())
	t.Logf("%d bytes, %d packed; %d failures", len(answer.body), packed.Len(), failed)
	if packed.Len() > 30<<10 {
		t.Errorf("the grid has %d bytes when packed", packed.Len())
	}
}

// The words of a row include exactly the runs in which its test has a result.
func TestWordsOfAGrid(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	for i, outcomes := range []string{"+", "-", "-", "", "-", "~", "?", "!", "+", "+"} {
		r := querytest.Run{Source: "test", At: i + 1, Log: "x\n"}
		add := func(o store.TestOutcome) {
			r.Tests = append(r.Tests, store.TestResult{Test: store.Test{Name: "TestA"}, Outcome: o, Attempt: len(r.Tests) + 1})
		}
		switch outcomes {
		case "+":
			add(store.TestPassed)
		case "-":
			add(store.TestFailed)
		case "~":
			add(store.TestFailed)
			add(store.TestPassed)
		case "?":
			add(store.TestSkipped)
		case "!":
			add(store.TestInfra)
		case "":
			r.Tests = []store.TestResult{{Test: store.Test{Name: "TestB"}, Attempt: 1}}
		}
		f.Add(t, r)
	}
	server := site(t, f)
	body := get(t, server.Client(), server.URL+"/tests?show=grid").body
	want := "failed in 2–5; failed first and passed in 6; skipped in 7; failed by the machine in 8; passed in 1, 9–10"
	if !strings.Contains(body, want) || !strings.Contains(body, `href="/run/test:5">last failure`) {
		t.Errorf("the grid lacks %q\n%s", want, body)
	}
}
