package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// serverFormat reads the messages of nginx and HAProxy when they do not start, mostly because of a wrong configuration.
var serverFormat = parse.Format{
	Name:     "server",
	About:    "nginx and HAProxy: errors of their configuration",
	Triggers: []string{" [emerg] ", " [alert] ", ") : config : ", ") : parsing ["},
	Starts:   []string{"[ALERT]", "nginx: "},
	Lines: parse.Lines{
		{Text: "nginx: configuration file {_} test failed", Tool: "nginx", Message: "configuration test failed",
			Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "nginx: [{:emerg|alert}] {message} in {path}:{line}", Tool: "nginx", Category: store.CategoryBuild},
		{Text: "nginx: [{:emerg|alert}] {message}", Tool: "nginx", Category: store.CategoryBuild},
		{Text: "nginx: [warn] {_}", Ignore: true},
		{Text: "nginx: {message}", Tool: "nginx", Category: store.CategoryBuild, Weight: parse.Likely, If: isRefusal},
		{Text: "{#}/{#}/{#} {#}:{#}:{#} [{:emerg|alert}] {#}#{#}: {message} in {path}:{line}", Tool: "nginx",
			Category: store.CategoryBuild, Weight: parse.Likely},
		{Text: "{#}/{#}/{#} {#}:{#}:{#} [{:emerg|alert}] {#}#{#}: {message}", Tool: "nginx",
			Category: store.CategoryBuild, Weight: parse.Likely},
		{Text: "[ALERT]{_}) : {?config : }{:Fatal errors found|Error(s) found}{*}", Tool: "haproxy",
			Message: "errors found in the configuration", Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "[{severity:ALERT=error|WARNING=warning}]{_}) : {?config : }parsing [{path}:{line}] : {message}",
			Tool: "haproxy", Category: store.CategoryBuild},
		{Text: "[ALERT]{_}) : {?config : }{message}", Tool: "haproxy", Category: store.CategoryBuild,
			Weight: parse.Likely},
	},
}

// isRefusal reports whether a line is the reason why a program does not start.
func isRefusal(d *parse.Draft) bool {
	return strings.HasPrefix(d.Message, "invalid ") || strings.HasPrefix(d.Message, "unknown ")
}

// tidyFormat reads HTML Tidy.
var tidyFormat = parse.Format{
	Name:     "tidy",
	About:    "HTML Tidy: errors and warnings of pages",
	Triggers: []string{" - Error: ", " - Warning: ", "\" is not a file!"},
	Lines: parse.Lines{
		{Text: "line {line} column {column} - {severity:Error|Warning}: {message}"},
		{Text: `Document: «"{_}" is not a file!»`},
	},
}
