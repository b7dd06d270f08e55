package formats

import (
	"slices"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

// The rule of a tool takes no line of another tool for an error, and does not hide the errors of another tool.
func TestRulesLeaveOtherToolsTheirLines(t *testing.T) {
	const goError, goFound = "a.go:3:4: undefined: x\n", "undefined: x"
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"a program that is not Terraform", "An error occurred: the cache is old\nError: no cache\n" + goError,
			[]string{goFound}},
		{"another program after Terraform", "Initializing the backend...\nError: no cache\n" + goError,
			[]string{goFound}},
		{"a title of Terraform on two lines", "Initializing the backend...\n\n" +
			"Error: Terraform encountered a problem with the configuration of the\nbackend\n\nIt is not known.\n",
			[]string{"Terraform encountered a problem with the configuration of the backend: It is not known."}},
		{"a compiler after helm lint --quiet", "==> Linting shop\n[WARNING] templates/: directory not found\n\n" +
			goError, []string{goFound}},
		{"Maven after helm lint --quiet", "==> Linting shop\n[INFO] Chart.yaml: icon is recommended\n" +
			"[ERROR] /src/A.java:[3,4] cannot find symbol\n", []string{"cannot find symbol"}},
		{"Maven's sum after helm lint --quiet", "==> Linting shop\n[ERROR] Failed to execute goal: no net\n" + goError,
			[]string{goFound}},
		{"findings of two charts", "==> Linting a\n[ERROR] values.yaml: file does not exist\n\n==> Linting b\n" +
			"[ERROR] : unable to load chart\n\tno name\n\n[ERROR] templates/: no templates\n\n" +
			"Error: 2 chart(s) linted, 2 chart(s) failed\n",
			[]string{"file does not exist", "no templates"}},
		{"a sentence like SQLite's", "! the list expected: 3 items\n" + goError, []string{goFound}},
		{"a name with a slash between blanks", "[error] x a / b should be 3\n[error] A.scala:3: not found: value x\n",
			[]string{"not found: value x"}},
		{"a ruler with words", "-- 3 tests Failed --\n" + goError, []string{goFound}},
		{"what marks mean", "passed ✓ failed ✗\nError: no cache\n", []string{"Error: no cache"}},
	} {
		if got := errorsOf(travisJob("./x", tt.output, 1)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

// By default, revive exits with 0 despite findings. Such findings are no events.
func TestFindingsOfRevivePassed(t *testing.T) {
	const report = "cart.go\n  (3, 1)  https://revive.run/r#exported  exported function Sum should have comment\n\n" +
		" ✖ 1 problem (0 errors) (1 warnings)\n"
	for code := range 2 { // one error if revive failed
		if got := parse.Bytes([]byte(report), &code, all); len(got) != code {
			t.Errorf("exit code %d: %d events, want %d", code, len(got), code)
		}
	}
}

// With --strict, warnings make a chart fail.
func TestWarningsThatMakeAChartFail(t *testing.T) {
	const found = "==> Linting shop\n[INFO] Chart.yaml: icon is recommended\n[WARNING] templates/a.yaml: it is old\n"
	for _, tt := range []struct {
		output string
		want   []string
	}{
		{found + "\nError: 1 chart(s) linted, 1 chart(s) failed\n", []string{"it is old"}},
		{found + "[ERROR] values.yaml: it is gone\n\nError: 1 chart(s) linted, 1 chart(s) failed\n",
			[]string{"it is gone"}},
		{found + "\n1 chart(s) linted, 0 chart(s) failed\n", nil},
	} {
		if got := errorsIn(tt.output); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.output, got, tt.want)
		}
	}
}
