package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// Select returns the formats to read a log with: all for "" and "auto", else
// the ones named, with commas between. Invalid: there is no such format.
func Select(names string) ([]Format, error) {
	if names == "" || names == "auto" {
		return nil, nil
	}
	var list []Format
	for name := range strings.SplitSeq(names, ",") {
		f, ok := find(strings.TrimSpace(name))
		if !ok {
			return nil, store.Hint(store.Errorf(store.Invalid, "no format %q", name), "blq formats")
		}
		list = append(list, f)
	}
	return list, nil
}

func find(name string) (Format, bool) {
	for _, f := range All {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
