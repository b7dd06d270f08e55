package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// lycheeFormat reads lychee's broken links: "[404] URL | why". In a report, each such line begins with a bullet, and a
// heading above names the file.
var lycheeFormat = parse.Format{
	Name:     "lychee",
	About:    "lychee: broken links",
	Triggers: []string{"] http", "] <http", "] [http", "] file:", "] <file:"},
	Starts:   []string{"### Errors in ", "Errors in "},
	New:      func() parse.Matcher { return new(lychee).match },
}

// lychee keeps the file of the newest heading.
type lychee struct{ file string }

func (c *lychee) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := strings.CutPrefix(strings.TrimPrefix(text, "### "), "Errors in "); ok {
		if ok = parse.IsFileName(file); ok {
			c.file = file
		}
		return ok
	}
	status, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "* "), "✗ "), "] ")
	if !ok || !strings.HasPrefix(status, "[") {
		return false
	}
	link, reason, ok := strings.Cut(rest, " | ")
	if !ok || !brokenLink(status[1:]) {
		return false
	}
	link, _, _ = strings.Cut(strings.TrimLeft(link, "<["), "]")
	link = strings.TrimSuffix(link, ">")
	if strings.IndexByte(link, ' ') >= 0 {
		return false
	}
	d := parse.Draft{Key: link, Rank: parse.Mark,
		Event: store.Event{Code: status[1:], Message: link + ": " + reason, Category: store.CategoryLint}}
	if strings.HasPrefix(text, "* ") { // the report by file, which follows the log of all links
		d.Rank, d.File = parse.Detail, c.file
	}
	s.Add(d)
	return true
}

// brokenLink reports whether a status means that a link is broken.
func brokenLink(status string) bool {
	return len(status) == 3 && parse.AllDigits(status) && (status[0] == '4' || status[0] == '5') || status == "ERROR" ||
		status == "ERR" || status == "TIMEOUT"
}
