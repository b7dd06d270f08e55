package web_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/web"
)

func file(t *testing.T, f *querytest.Fixture, ref string) string {
	t.Helper()
	var b strings.Builder
	by := questions.Local{Asker: f.Asker, Line: cmdline.Words}
	err := web.WriteFile(context.Background(), by, web.FileParams{Ref: ref}, &b)
	querytest.Check(t, err)
	return b.String()
}

var (
	address = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	lineID  = regexp.MustCompile(`id="(L\d+)"`)
)

// selfContained fails if a file loads or runs something, or has a link without a target.
func selfContained(t *testing.T, html string) {
	t.Helper()
	if strings.Contains(html, "<script") || strings.Contains(html, "<form") {
		t.Error("the file has a script or a form")
	}
	ids := map[string]bool{"#main": true}
	for _, m := range lineID.FindAllStringSubmatch(html, -1) {
		ids["#"+m[1]] = true
	}
	for _, m := range address.FindAllStringSubmatch(html, -1) {
		if !ids[m[1]] {
			t.Errorf("a link leads to %q", m[1])
		}
	}
}

func TestAFileShowsARunWithoutAServer(t *testing.T) {
	t.Parallel()
	html := file(t, querytest.New(t), "build:3")
	for _, want := range []string{
		"3 new since build:2", "src/main.c:9", "make -j8", "Exit code", `id="L3"`, `class="l error`, `href="#L3"`,
		"Lines 1 to 9 of 9", "blq output build:3",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the file has no %q", want)
		}
	}
	selfContained(t, html)
}

func TestAFileOfALongLogHasWhatMatters(t *testing.T) {
	t.Parallel()
	const lines, every = 40_000, 1000
	var log strings.Builder
	var events []store.Event
	for n := 1; n <= lines; n++ {
		if n%every != 0 {
			fmt.Fprintf(&log, "compiling unit %d of many, with a name as long as they are\n", n)
			continue
		}
		message := "undefined: " + string(rune('a'+n/every%26)) + "Name"
		fmt.Fprintf(&log, "main.go:%d:3: %s <script>\n", n, message)
		events = append(events, querytest.Event(store.SeverityError, "main.go", n, 3, message, n, n))
	}
	f := querytest.New(t)
	run := f.Add(t, querytest.Run{Source: "long", At: 100, Log: log.String(), Events: events, Exit: 1})
	html := file(t, f, run.Ref().String())
	selfContained(t, html)
	for _, want := range []string{`href="#L1000"`, `id="L40000"`, "Previous error", "Next error", "of 40000"} {
		if !strings.Contains(html, want) {
			t.Errorf("the file has no %q", want)
		}
	}
	if len(html)*100 > log.Len()*3 {
		t.Errorf("the file has %d bytes, and the log %d", len(html), log.Len())
	}
}
