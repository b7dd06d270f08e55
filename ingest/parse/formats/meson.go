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
	Starts: []string{"▶ "},
	Lines: parse.Lines{
		{Text: "{place:meson.build|meson.options|meson_options.txt}: {severity}: {message}", Category: store.CategoryBuild},
	},
	Match: matchMesonTest,
}

// matchMesonTest reads " 2/3 project:suite / name   FAIL   0.01s   exit status 1". meson prints this line when a test
// ends, and again in the summary of failures.
func matchMesonTest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	text, subtest := strings.CutPrefix(text, "▶ ")
	count, rest, ok := strings.Cut(strings.TrimSpace(text), " ")
	if n, total, found := strings.Cut(count, "/"); !ok || !found || !parse.AllDigits(n) || !parse.AllDigits(total) {
		return false
	}
	if subtest {
		return mesonSubtest(s, strings.TrimSpace(rest))
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
		added := s.Add(d)
		s.Block((&mesonLog{s: s, d: added}).line)
		return true
	}
	return false
}

// mesonSubtest reads a failed test point of TAP: "/shop/sum FAIL". In a line with the result ERROR, the text before the
// result is the reason of a bail-out.
func mesonSubtest(s *parse.Scan, text string) bool {
	name, result, _ := cutLast(" "+text, " ")
	d := testDraft(strings.TrimPrefix(strings.TrimSpace(name), "- "), "the subtest failed")
	switch result {
	case "FAIL", "TIMEOUT", "UNEXPECTEDPASS":
		s.Add(d)
	case "ERROR":
		if a, ok := glibLines.Read(d.Test); ok {
			d = a
		} else {
			d.Test, d.Message = "", d.Test
		}
		if d.Message != "" && s.Reported("glib", d.Key) == nil {
			s.Add(d)
		}
	default:
		return false
	}
	return true
}

// mesonLog reads the output of a failed test, which meson test --print-errorlogs prints between two rulers. If no
// format finds an event in the output, the last lines of the output become part of the message.
type mesonLog struct {
	s       *parse.Scan
	d       *parse.Draft
	begun   bool
	known   int // drafts before the output
	last    []string
	lastRow int
}

// mesonRuler is the beginning of a ruler.
const mesonRuler = "――――"

// maxMesonWords is the max number of lines of the output in a message.
const maxMesonWords = 3

func (m *mesonLog) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, mesonRuler) && !m.begun:
		m.begun, m.known = true, m.s.Pending()
		return parse.Take
	case strings.HasPrefix(text, mesonRuler):
		if m.s.Pending() == m.known && len(m.last) > 0 {
			m.d.Message += ": " + strings.Join(m.last, "\n")
			m.d.LogLineEnd = m.lastRow
		}
		return parse.Last
	case !m.begun:
		if strings.HasPrefix(text, ">>> ") {
			return parse.Take
		}
		return parse.Done
	case text == "stderr:": // it comes after the standard output
		m.last = nil
	case text != "" && text != "**" && !strings.HasPrefix(text, "(test program exited with status code "):
		if len(m.last) == maxMesonWords {
			m.last = m.last[1:]
		}
		m.last, m.lastRow = append(m.last, text), l.N
	}
	return parse.Pass
}
