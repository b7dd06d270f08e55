package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// mesonFormat reads meson's own errors and the results of meson test.
var mesonFormat = parse.Format{
	Name:  "meson",
	About: "Meson: errors of meson.build, failed tests",
	Triggers: []string{"meson.build:", "meson.options:", "meson_options.txt:",
		"  FAIL ", " FAIL  ", "  ERROR ", " ERROR  ", "  TIMEOUT ", " TIMEOUT  ", "  UNEXPECTEDPASS ", " UNEXPECTEDPASS  ",
		"  INTERRUPT ", " INTERRUPT  ",
	},
	Lines: parse.Lines{
		{Text: "{place:meson.build|meson.options|meson_options.txt}: {severity}: {message}", Category: store.CategoryBuild},
	},
	Match: matchMesonTest,
}

// matchMesonTest reads " 2/3 project:suite / name   FAIL   0.01s   exit status 1". meson prints this line when a test
// ends, and again in the summary of failures.
func matchMesonTest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	count, rest, ok := strings.Cut(text, " ")
	if n, total, found := strings.Cut(count, "/"); !ok || !found || !parse.AllDigits(n) || !parse.AllDigits(total) {
		return false
	}
	for _, result := range [...]string{"FAIL", "ERROR", "TIMEOUT", "UNEXPECTEDPASS", "INTERRUPT"} {
		name, how, ok := strings.Cut(rest, "  "+result+" ")
		if !ok { // a name that fills its column
			name, how, ok = strings.Cut(rest, " "+result+"  ")
		}
		if !ok || !strings.Contains(how, "s") {
			continue
		}
		name = strings.TrimSpace(name)
		message := result
		if _, reason, ok := strings.Cut(strings.TrimSpace(how), " "); ok {
			message = strings.TrimSpace(reason)
		}
		if result == "TIMEOUT" {
			message = "timeout, " + message
		}
		d := parse.Draft{Event: store.Event{Test: name, Message: message, Category: store.CategoryTest}, Key: name}
		if s.Reported("meson", name) != nil {
			d.Rank = parse.Summary
		}
		s.Add(d)
		return true
	}
	return false
}
