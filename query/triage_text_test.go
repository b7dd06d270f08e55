package query_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestTriageShortensLongReports(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	log.WriteString("FAILED test_x\nTraceback (most recent call last):\n")
	for i := range 300 {
		fmt.Fprintf(&log, "  File \"/usr/lib/python3/site-packages/lib%d.py\", line 1, in call\n    return call()\n", i)
	}
	log.WriteString("  File \"src/shop.py\", line 7, in total\n    return price * n\nTypeError: price is " +
		strings.Repeat("x", 5000) + "\n")
	e := failedTest("test_x", 1)
	e.LogLineEnd, e.File, e.Line, e.Message = 605, "src/shop.py", 7, "TypeError"
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "test", Exit: 1, Log: log.String(), Events: []store.Event{e}})
	got := triage(t, f, query.TriageParams{}).Errors[0].Sample.Log
	for _, want := range []string{">>>   1 | FAILED test_x", `>>> 603 |   File "src/shop.py", line 7, in total`,
		"    604 |     return price * n", ">>> 605 | TypeError: price is xxx"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if len(got) > 2000 || strings.Contains(got, "site-packages") {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

func TestTriageShowsOurFramesOfAPanic(t *testing.T) {
	t.Parallel()
	log := `--- FAIL: TestTotal (0.00s)
panic: runtime error: index out of range [1] with length 0 [recovered, repanicked]

goroutine 7 [running]:
testing.tRunner.func1.2({0x574440, 0x97532e5c048})
	/usr/local/go/src/testing/testing.go:1974 +0x232
panic({0x574440?, 0x97532e5c048?})
	/usr/local/go/src/runtime/panic.go:860 +0x13a
example.com/shop.Total(...)
	/home/a/shop/shop.go:4
example.com/shop.TestTotal(0x97532e226c8?)
	/home/a/shop/shop_test.go:14 +0xa
testing.tRunner(0x97532e226c8, 0x58a7f8)
	/usr/local/go/src/testing/testing.go:2036 +0xea
created by testing.(*T).Run in goroutine 1
	/usr/local/go/src/testing/testing.go:2101 +0x4c5
`
	e := failedTest("TestTotal", 1)
	e.LogLineEnd, e.File, e.Line, e.Message = 16, "shop.go", 4, "panic: runtime error: index out of range"
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "test", Exit: 1, Log: log, Events: []store.Event{e}})
	got := triage(t, f, query.TriageParams{}).Errors[0].Sample.Log
	if !strings.Contains(got, ">>> 10 | 	/home/a/shop/shop.go:4") ||
		!strings.Contains(got, ">>>  2 | panic: runtime error") || strings.Contains(got, "/usr/local/go") {
		t.Errorf("log:\n%s", got)
	}
}

func TestTriageGroupsNamesBehindAColon(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", Exit: 1,
		Log: "a.go:1: undefined: a\na.go:2: undefined: b\na.go:3: declared and not used: c\n", Events: []store.Event{
			querytest.Event("error", "a.go", 1, 0, "undefined: a", 1, 1),
			querytest.Event("error", "a.go", 2, 0, "undefined: b", 2, 2),
			querytest.Event("error", "a.go", 3, 0, "declared and not used: c", 3, 3),
		}})
	got := triage(t, f, query.TriageParams{}).Errors
	if s, want := groupLines(got), "2× 1:1 undefined: a; 1× 1:3 declared and not used: c"; s != want {
		t.Errorf("%s, want %s", s, want)
	}
	if want := ">>> 1 | a.go:1: undefined: a"; got[0].Sample.Log != want {
		t.Errorf("log %q, want %q without the lines of other errors", got[0].Sample.Log, want)
	}
}

func TestTriageFitsItsBudgetAndSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for i := range 2000 {
		word := strings.Repeat(string(rune('a'+i%26)), 3+i%17)
		e := querytest.Event("error", "src/"+word+".c", i+1,
			1, word+" \"is\" <wrong> "+strings.Repeat("very ", 150), i+1, i+1)
		events = append(events, e)
	}
	f.Add(
		t, querytest.Run{Source: "build", Exit: 1, Log: querytest.Lines(strings.Repeat("long ", 60), 2000), Events: events})
	for _, maxBytes := range []int{0, 1, 1000, 2500, 5000, 100_000} {
		got := triage(t, f, query.TriageParams{MaxBytes: maxBytes})
		text, err := json.Marshal(got)
		querytest.Check(t, err)
		text = []byte(strings.NewReplacer(`\u003e`, ">", `\u003c`, "<", `\u0026`, "&").Replace(string(text)))
		limit := query.TriageBytes
		if maxBytes > 0 && maxBytes < limit {
			limit = max(maxBytes, 1000)
		}
		if len(text) > limit {
			t.Errorf("max_bytes %d: %d bytes", maxBytes, len(text))
		}
		shown, said := 0, 0
		for _, g := range got.Errors {
			shown += g.Count
		}
		if len(got.Truncated) == 1 {
			_, err := fmt.Sscanf(got.Truncated[0].What, "%d errors", &said)
			querytest.Check(t, err)
		}
		if len(got.Errors) == 0 || shown+said != 2000 ||
			!strings.HasSuffix(got.Truncated[0].String(), `: events(ref="build:1", limit=100, severity="error")`) {
			t.Errorf("max_bytes %d: %d shown, truncated %q", maxBytes, shown, got.Truncated)
		}
	}
}

func TestTriageCountsTheGroupsThatItLeavesOut(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for i := range 6 {
		word := strings.Repeat(string(rune('a'+i)), 5)
		e := querytest.Event("error", word+".c", 1, 1, word+" is wrong "+strings.Repeat("very ", 60), i+1, i+1)
		events = append(events, e)
	}
	f.Add(t, querytest.Run{Source: "build", Exit: 1, Log: querytest.Lines("out", 6), Events: events})
	got := triage(t, f, query.TriageParams{MaxBytes: 2000})
	left := 6 - len(got.Errors)
	want := fmt.Sprintf("%d groups of errors, %d errors", left, left)
	if left < 2 || len(got.Truncated) != 1 || got.Truncated[0].What != want {
		t.Errorf("%d groups are shown, left out: %q, want %s", len(got.Errors), got.Truncated, want)
	}
}
