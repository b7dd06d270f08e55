package export_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// No form shows a failed run as one that passed.
func TestNoFormIsGreenOverAFailure(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	warning := querytest.BuildEvents()[0]
	warning.Severity = store.SeverityWarning
	f.Add(t, querytest.Run{Source: "passed"})
	f.Add(t, querytest.Run{Source: "mute", At: 1, Exit: 2})
	f.Add(t, querytest.Run{Source: "slow", At: 2, Reason: store.ReasonTimeout})
	f.Add(t, querytest.Run{Source: "warned", At: 3, Exit: 2, Events: []store.Event{warning}, Log: "log\n"})
	f.Add(t, querytest.Run{Source: "broken", At: 4, Exit: 2, Events: querytest.BuildEvents()[:1], Log: "log\n"})
	signs := map[export.Form]string{export.JUnit: "<error", export.CTRF: `"status":"failed"`,
		export.SARIF: `"executionSuccessful":false`, export.Checkstyle: `severity="error"`, export.RDJSON: `"ERROR"`,
		export.RDJSONL: `"ERROR"`, export.OTLP: `"code":2`}
	for _, form := range forms {
		for _, source := range []string{"passed", "mute", "slow", "warned", "broken"} {
			text, _ := document(t, f.Asker, export.Params{Form: form, Ref: source})
			if n, failed := strings.Count(text, signs[form]), source != "passed"; (n > 0) != failed {
				t.Errorf("%s of %s has %d failures:\n%s", form, source, n, text)
			}
		}
	}
}
