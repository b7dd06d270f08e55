package parse

import "encoding/json"

// ProblemMatcher is a GitHub problem matcher, as its JSON file describes it.
type ProblemMatcher struct {
	Owner string `json:"owner"`
}

// ReadMatchers reads a GitHub problem matcher file.
func ReadMatchers(data []byte) ([]ProblemMatcher, error) {
	var file struct {
		ProblemMatcher []ProblemMatcher `json:"problemMatcher"`
	}
	return file.ProblemMatcher, json.Unmarshal(data, &file)
}

func matcherFormats(list []ProblemMatcher) []Format { return nil }
