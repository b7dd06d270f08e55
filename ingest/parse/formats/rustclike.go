package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nameRustcLike sets the tool of a diagnostic in the style of rustc. text is a line below the headline. The tool
// depends on text and on the extension of the file: deno, deno-lint, ty, zizmor, or a tool that uses codespan.
func nameRustcLike(d *parse.Draft, text string) {
	if strings.HasPrefix(text, "at file:///") { // syntax errors of Deno have their place after the source
		if p, ok := jsFrame(text); ok {
			d.At(p.File, p.Line, p.Column)
			d.Tool = "deno"
		}
		return
	}
	if place, ok := strings.CutPrefix(text, "┌─ "); ok {
		nameCodespan(d, place)
		return
	}
	if !strings.HasPrefix(text, "--> ") || d.Code == "" {
		return
	}
	switch {
	case isJSFile(d.File):
		d.Tool, d.Category = "deno-lint", store.CategoryLint
	case hasAnySuffix(d.File, ".py", ".pyi", ".ipynb"):
		d.Tool, d.Category = "ty", store.CategoryType
	case hasAnySuffix(d.File, ".yml", ".yaml"):
		d.Tool, d.Category = "zizmor", store.CategoryLint
	}
}
