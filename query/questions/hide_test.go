package questions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Secrets are removed from all texts of an answer, except from identifiers such as the attempt ID and from unexported
// fields.
func TestSecretsAreRemovedFromAnswers(t *testing.T) {
	t.Parallel()
	type row struct {
		Name    string
		Attempt string
		Next    *row
	}
	type answer struct {
		Rows  []row
		Cells [][]any
		Files map[string]string
		Log   []byte
		Any   any
		Count int
		own   string
	}
	got := answer{
		Rows:  []row{{Name: "a s3cret", Attempt: "s3cret", Next: &row{Name: "s3cret"}}},
		Cells: [][]any{{"s3cret", 12.0, nil, map[string]any{"s3cret": []any{"s3cret"}}}},
		Files: map[string]string{"s3cret.go": "s3cret"}, Log: []byte("the s3cret\n"), Any: "s3cret", Count: 3, own: "s3cret",
	}
	want := answer{
		Rows:  []row{{Name: "a ***", Attempt: "s3cret", Next: &row{Name: "***"}}},
		Cells: [][]any{{"***", 12.0, nil, map[string]any{"***": []any{"***"}}}},
		Files: map[string]string{"***.go": "***"}, Log: []byte("the ***\n"), Any: "***", Count: 3, own: "s3cret",
	}
	shared := got // a cache may share what the answer points to
	Hide(&got, func(text string) string { return strings.ReplaceAll(text, "s3cret", "***") })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(shared.Rows[0].Name, "s3cret") || shared.Rows[0].Next.Name != "s3cret" ||
		shared.Files["s3cret.go"] != "s3cret" || string(shared.Log) != "the s3cret\n" || shared.Cells[0][0] != "s3cret" {
		t.Errorf("the shared data became %v", shared)
	}
	empty := answer{}
	Hide(&empty, strings.ToUpper)
	if diff := cmp.Diff(answer{}, empty, cmp.AllowUnexported(answer{})); diff != "" {
		t.Error(diff)
	}
}
