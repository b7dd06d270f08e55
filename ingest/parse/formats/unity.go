package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// unityFormat reads Unity and Check, two small test frameworks for C. Each failure is one line.
var unityFormat = parse.Format{
	Name:     "unity",
	About:    "Unity and Check, test frameworks for C",
	Triggers: []string{":FAIL:", ":FAIL", ":F:", ":E:", "%: Checks: "},
	Lines: parse.Lines{
		{Text: "{file}:{line}:{test}:FAIL{?:}", Message: "test failed", Category: store.CategoryTest, If: isCTest},
		{Text: "{file}:{line}:{test}:FAIL:{message}", Category: store.CategoryTest, If: isCTest},
		{Text: "{file}:{line}:{:F|E}:{code}:{test}:{#}: {message}", Tool: "check", Category: store.CategoryTest,
			Then: nameCheckTest},
		{Text: "^{#}%: «Checks: {#}, Failures: {#}, Errors: {#}»", Tool: "check", Category: store.CategoryTest,
			Weight: parse.Repeat, If: checkFailed},
	},
}

func isCTest(d *parse.Draft) bool { return isCSource(d.File) }

// checkFailed reports whether Check counted a failure.
func checkFailed(d *parse.Draft) bool {
	return !strings.HasSuffix(d.Message, " Failures: 0, Errors: 0")
}

// nameCheckTest puts the suite before the test. The suite was read as the code.
func nameCheckTest(d *parse.Draft) {
	d.Code, d.Test = "", d.Code+"."+d.Test
}
