package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/query"
)

type discoverIn struct {
	query.DocsAt
}

// maxDependencies is the max number of dependencies without known documentation that the prompt lists.
const maxDependencies = 30

var discoverDocsPrompt = func() prompt {
	p := newPrompt("discover-docs", "Discover documentation",
		"Find and add the documentation of what the project uses, from its dependency manifests.",
		func(c *call, in discoverIn) (string, error) {
			d, err := c.Asker.DocsDiscover(c, in.DocsAt)
			if err != nil {
				return "", err
			}
			return c.discover(d), nil
		})
	p.ofDocs = true
	return p
}()

// discover returns the text of the prompt "discover-docs".
func (c *call) discover(d query.Discovered) string {
	var known [][]string
	var others, added []string
	seen := map[string]bool{}
	for _, dep := range d.Dependencies {
		switch {
		case dep.Entry == nil:
			others = append(others, strings.TrimSpace(dep.Name+" "+dep.Version))
		case seen[dep.Entry.Alias]:
		case dep.Added:
			added = append(added, dep.Entry.Alias)
			seen[dep.Entry.Alias] = true
		default:
			seen[dep.Entry.Alias] = true
			known = append(known, []string{cell(dep.Name), cell(dep.Version), cell(dep.File),
				c.use("source-add", "alias", dep.Entry.Alias)})
		}
	}
	more := ""
	if n := len(others) - maxDependencies; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	others = others[:min(len(others), maxDependencies)]
	return paragraphs(
		"# Documentation for this project", dataNote,
		note(len(d.Dependencies) == 0, "No dependency manifest names a package."),
		section("Known documentation", table([]string{"package", "version", "named in", "call"}, known)),
		note(len(added) > 0, "Added already: "+codes(added)+"."),
		note(len(others) > 0, "Not in the registry: "+codes(others)+more+"."),
		note(len(d.Unread) > 0, "Could not be read: "+codes(slices.Clone(d.Unread))+"."),
		section("Steps", steps(
			note(len(known) > 0, "Add what the task at hand needs, with the calls above"),
			c.sentence("For another package add the address of its llms.txt, if it has one: %s", "source-add", "alias",
				"my-docs", "url", "https://example.org/llms.txt"),
			c.sentence("Search: %s", "find", "query", "error handling", "source", "docs"),
			"Cite the `ref` of what you use: it stays valid when the documentation changes")))
}

// note returns the sentence if the condition is true, and otherwise "".
func note(is bool, sentence string) string {
	if is {
		return sentence
	}
	return ""
}
