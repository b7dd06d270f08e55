package store

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Leg returns the identity of the run's matrix leg, or "" for a run without a matrix. The order of keys and the spaces
// in the CI system's JSON do not matter. Text that is not JSON is its own identity.
func (r Run) Leg() string {
	if r.CI == nil {
		return ""
	}
	return canonicalLeg(r.CI.Matrix)
}

func canonicalLeg(matrix string) string {
	matrix = strings.TrimSpace(matrix)
	var v any
	in := json.NewDecoder(strings.NewReader(matrix))
	in.UseNumber()
	if err := in.Decode(&v); err != nil || in.More() {
		return matrix
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 || v == nil {
		return ""
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return matrix
	}
	return strings.TrimSuffix(b.String(), "\n")
}
