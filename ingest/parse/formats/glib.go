package formats

import (
	"strconv"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// glibLines read the assertions and fatal messages of GLib. Its tests print an assertion twice: in TAP and on the
// standard error output.
var glibLines = parse.Lines{
	{Text: "^{?Bail out! }ERROR:{file}:{line}:{test}: {message}", Tool: "glib", Category: store.CategoryTest,
		Weight: parse.Died, If: isCTest, Then: keyGLib, Once: true},
	{Text: "^{?** }({_}:{#}): {?{_}-}ERROR **: {?{#}:{#}:{#}.{#}: }{message}", Tool: "glib",
		Category: store.CategoryRuntime, Weight: parse.Died},
	{Text: "^{?** }({_}:{#}): {?{_}-}CRITICAL **: {?{#}:{#}:{#}.{#}: }{message}", Tool: "glib",
		Category: store.CategoryRuntime, Weight: parse.Likely},
}

// keyGLib makes the two lines of an assertion one failure.
func keyGLib(d *parse.Draft) { d.Key = d.File + ":" + strconv.Itoa(d.Line) + d.Message }
