package query

import (
	"context"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// LearnParams has no parameters.
type LearnParams struct{}

// Lesson explains how to use the documentation tools.
type Lesson struct {
	Prompts  []LessonPrompt      `json:"prompts" jsonschema:"names" schema:"open"`
	Flags    map[string][]string `json:"flags" jsonschema:"values" schema:"open"`
	Examples []string            `json:"examples" jsonschema:"calls"`
}

// LessonPrompt is a prompt in a lesson.
type LessonPrompt struct {
	Name    string `json:"name" jsonschema:"name"`
	Summary string `json:"summary" jsonschema:"summary"`
}

// maxLearned is the max number of aliases in a lesson.
const maxLearned = 10

// DocsLearn explains how to use the documentation tools, with the existing sources as examples.
func (a *Asker) DocsLearn(ctx context.Context, _ LearnParams) (Lesson, error) {
	names := []string{docs.RepositoryAlias}
	if l, err := a.library(DocsAt{}); err == nil {
		if all, err := l.aliases(ctx, everySource); err == nil {
			names = all
		}
	}
	names = names[:min(len(names), maxLearned)]
	alias := names[len(names)-1]
	citation := docs.RepositoryAlias + "/README.md:1-20"
	if alias != docs.RepositoryAlias {
		citation = alias + ":1-20"
	}
	call := func(tool string, arguments ...any) string { return store.NewCall(tool, "", arguments...).String() }
	return Lesson{
		Prompts: []LessonPrompt{{"discover-docs", "Find and add the documentation of the project's dependencies"}},
		Flags: map[string][]string{
			"contextMode": {string(docs.None), string(docs.Symmetric), string(docs.All)}, "source": names,
			"command": {"stats", "history", "list", "validate", "inspect", "schema"},
		},
		Examples: []string{
			call("find", "query", "test runner", "source", alias, "maxResults", 3),
			call("find", "snippets", []string{citation}, "contextMode", "symmetric"),
			call("find", "query", "# install", "source", everySource, "headingsOnly", true),
			call("find", "snippets", []string{"build:5:L40-L60"}),
			call("list-sources", "filter", "re"),
			call("source-add", "alias", source.Registry()[0].Alias),
		},
	}, nil
}
