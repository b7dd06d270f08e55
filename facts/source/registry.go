package source

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Entry is a project with a known documentation address.
type Entry struct {
	Alias string   `json:"alias"`
	Title string   `json:"title"`
	URL   string   `json:"url"`
	NPM   []string `json:"npm,omitempty"` // npm packages that the documentation covers
	PyPI  []string `json:"pypi,omitempty"`
	Go    []string `json:"go,omitempty"`
	Crate []string `json:"crate,omitempty"`
}

// registry.json says where each address was found.
//
//go:embed registry.json
var registryText []byte

// Registry returns all entries, sorted by alias.
var Registry = sync.OnceValue(func() []Entry {
	var list []struct {
		Entry
		Seen string `json:"seen"` // where the address was found
	}
	if err := json.Unmarshal(registryText, &list); err != nil {
		panic(fmt.Sprintf("read registry.json: %v", err)) // a test checks the file
	}
	entries := make([]Entry, len(list))
	for i, e := range list {
		entries[i] = e.Entry
	}
	return entries
})

// Find returns the entry with exactly this alias, and reports whether there is such an entry.
func Find(alias string) (Entry, bool) {
	return first(func(e Entry) bool { return e.Alias == alias })
}

// Of returns the entry for a package of an ecosystem, and reports whether there is such an entry.
func Of(ecosystem Ecosystem, name string) (Entry, bool) {
	return first(func(e Entry) bool {
		switch ecosystem {
		case NPM:
			return slices.Contains(e.NPM, name)
		case PyPI:
			return slices.Contains(e.PyPI, normalPyPI(name))
		case Go:
			return slices.ContainsFunc(e.Go, func(m string) bool { return m == name || strings.HasPrefix(name, m+"/v") })
		case Crate:
			return slices.Contains(e.Crate, name)
		}
		return false
	})
}

func first(is func(Entry) bool) (Entry, bool) {
	all := Registry()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return Entry{}, false
}
