package markdown

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxMentioned is the max number of failures with documentation.
const maxMentioned = 5

// mention finds documentation for the first failures that the author has to look at. All failures have the same
// commit.
func (v *pullView) mention(ctx context.Context, a *query.Asker) {
	shown := slices.DeleteFunc(v.having(standsNew, standsUnknown), func(f *failure) bool { return f.wordless })
	shown = shown[:min(len(shown), maxMentioned)]
	if len(shown) == 0 {
		return
	}
	errors := make([]store.Event, len(shown))
	for i, f := range shown {
		errors[i] = f.Sample.Event
	}
	for i, m := range a.MentionEach(ctx, shown[0].in[0].Run, errors) {
		shown[i].docs = m
	}
}

// These limit a line about documentation.
const (
	citationBytes = 120
	headingBytes  = 100
	maxURL        = 500
)

// permalink matches the address of lines at a commit. Only such addresses become links. Other addresses belong to
// outside pages, and a link to them could lead readers of the comment anywhere.
var permalink = lazyregexp.New(`^https://[A-Za-z0-9.-]+(:[0-9]+)?/[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+/` +
	`blob/[0-9a-f]{40,64}/[A-Za-z0-9%$&+=:@_.~/-]+\?plain=1#L[0-9]+-L[0-9]+$`)

// mentioned returns a line about a block of documentation, or "" if the block has no reference. Words of documents are
// shown as code.
func mentioned(m query.Mention) string {
	ref := Code(m.Ref, citationBytes)
	if ref == "" {
		return ""
	}
	if len(m.URL) <= maxURL && permalink.MatchString(m.URL) {
		ref = "[" + ref + "](" + m.URL + ")"
	}
	line := "Documentation: " + ref
	if heading := Code(m.Heading, headingBytes); heading != "" {
		line += " " + heading
	}
	return line
}
