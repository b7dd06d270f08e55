package store

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Leg returns the identity of the run's matrix leg, or "" if the run has no matrix. In the JSON from the CI system, the
// order of keys and the spaces do not matter. A text that is not JSON is its own identity.
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
