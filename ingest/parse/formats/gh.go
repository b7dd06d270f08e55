package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ghFormat reads the errors of gh, GitHub's command line. They have the weight parse.Guess, because scripts run gh
// commands that may fail.
var ghFormat = parse.Format{
	Name:     "github-cli",
	About:    "gh: answers of GitHub's API that refuse a command, missing tokens",
	Triggers: []string{"(HTTP 4", "(HTTP 5", "HTTP 4", "HTTP 5", "GraphQL: ", "set the GH_TOKEN"},
	Lines: parse.Lines{
		{Text: "{_}gh: {message} (HTTP {code:###})", Tool: "gh", Category: store.CategoryBuild, Weight: parse.Guess},
		{Text: "gh: «{message} set the GH_TOKEN environment variable». Example:", Tool: "gh",
			Category: store.CategoryBuild, Weight: parse.Guess, Below: parse.Below{Indent: 2, Lines: 2}.Pattern},
		{Text: "«{?{_}: }HTTP {code:###}: {message} (http{*})»", Tool: "gh", Category: store.CategoryBuild,
			Weight: parse.Guess, Below: ghReasons.Pattern},
		{Text: "«{?{_}: }GraphQL: {message} ({*})»", Tool: "gh", Category: store.CategoryBuild, Weight: parse.Guess},
	},
}

// ghReasons are the lines below an answer: "Release.tag_name already exists".
var ghReasons = parse.Below{Lines: 3, Join: "\n", Is: isGhReason}

// isGhReason reports whether a line names a field of a request: "Release.tag_name already exists".
func isGhReason(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	kind, field, ok := strings.Cut(word, ".")
	return ok && kind != "" && field != "" && kind[0] >= 'A' && kind[0] <= 'Z'
}
