package markdown

import (
	"encoding/json"
	"fmt"
	"strings"
)

// legWords returns the values of a matrix leg in the form in which GitHub shows them after a job's name. A matrix
// without values, such as a text that is not JSON, is returned without blanks at its ends.
func legWords(matrix string) string {
	in := json.NewDecoder(strings.NewReader(matrix))
	in.UseNumber()
	var values []string
	key := false
	for depth := 0; ; {
		token, err := in.Token()
		if err != nil {
			break
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			key = false
		default:
			if key = depth == 1 && !key; !key && token != nil {
				values = append(values, fmt.Sprint(token))
			}
		}
	}
	if len(values) == 0 {
		return strings.TrimSpace(matrix)
	}
	return strings.Join(values, ", ")
}
