package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gitLFSFormat reads git-lfs, and what git says about a filter that failed.
var gitLFSFormat = parse.Format{
	Name:  "git-lfs",
	About: "Git LFS: objects that could not be fetched, stored or checked",
	Triggers: []string{"error transferring \"", "batch response: ", "Error downloading object: ",
		"external filter 'git-lfs", "smudge filter lfs failed", "error: failed to fetch some objects from ",
		"objects: openError", "objects: corruptObject", "objects: repair"},
	Lines: parse.Lines{
		{Text: "«{:error transferring \"|batch response: |Error downloading object: }{message}»", Weight: parse.Likely,
			Category: store.CategoryBuild},
		{Text: "objects: «{:openError|corruptObject}: {file} {message}»", Category: store.CategoryBuild},
		{Text: "objects: repair: {_}", Ignore: true},
		{Text: "error: «external filter 'git-lfs{message}»", Weight: parse.Repeat, Category: store.CategoryBuild},
		{Text: "fatal: «{file}: smudge filter lfs failed»", Weight: parse.Repeat, Category: store.CategoryBuild},
		{Text: "error: «failed to fetch some objects from {message}»", Weight: parse.Repeat,
			Category: store.CategoryBuild},
	},
}
