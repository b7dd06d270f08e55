package export_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// The tests in the output of real runners are exported and read back. The tests and their outcomes must stay the same.
func TestOutputOfRunnersIsReadBack(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../ingest/parse/formats/testdata/*/*.txtar")
	querytest.Check(t, err)
	checked, failed, explained := 0, 0, 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		querytest.Check(t, err)
		input, tested := "", false
		for _, part := range ar.Files {
			switch part.Name {
			case "input":
				input = string(part.Data)
			case "tests":
				tested = true
			}
		}
		if !tested {
			continue
		}
		list, want := read(t, input, "")
		if len(want) == 0 {
			continue
		}
		checked++
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
		exit := 0
		for i, r := range want { // the last attempt counts
			if (i == len(want)-1 || want[i+1].Test != r.Test) && r.Outcome.Failed() {
				exit = 1
			}
		}
		f.Add(t, querytest.Run{Source: "test", Exit: exit, Events: list, Tests: want})
		for _, form := range []export.Form{export.JUnit, export.CTRF} {
			text, _ := document(t, f.Asker, export.Params{Form: form})
			_, got := read(t, text, "")
			if diff := gocmp.Diff(outcomes(want, form), outcomes(got, form)); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", file, form, diff)
			}
			if form == export.CTRF {
				valid(t, "ctrf.json", text)
				failed += strings.Count(text, `"status":"failed"`)
				explained += strings.Count(text, `"message":`)
			} else {
				fitsJUnit(t, text)
			}
		}
	}
	if checked < 30 || explained*100 < failed*85 {
		t.Errorf("%d goldens; of %d failed attempts %d say why", checked, failed, explained)
	}
}

// outcomes returns results as text, without details that a form lacks. JUnit has the time of only one attempt. For
// earlier attempts, CTRF does not distinguish errors from failures.
func outcomes(list []store.TestResult, form export.Form) []string {
	var plain []store.TestResult
	for i, r := range list {
		r.Duration = 0
		if last := i == len(list)-1 || list[i+1].Test != r.Test; form == export.CTRF && !last && r.Outcome.Failed() {
			r.Outcome = store.TestFailed
		}
		plain = append(plain, r)
	}
	return lines(plain, time.Millisecond)
}
