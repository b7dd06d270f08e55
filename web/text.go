package web

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
)

// refPath returns the URL of a page about a run or an event. A reference with a repository contains a slash, as in
// owner/name@build:5. Browsers and servers shorten paths such as a/../b and a//b. If a reference has such parts, its
// slashes are escaped, because the shortened path would name another run.
func refPath(page, ref string) string {
	escaped := url.PathEscape(ref)
	if path.Clean("/"+ref) == "/"+ref {
		escaped = strings.ReplaceAll(escaped, "%2F", "/")
	}
	return "/" + page + "/" + escaped
}

func runPath(ref string) string { return refPath("run", ref) }

// logPath returns the URL of a line of a log.
func logPath(ref, stream string, line int) string {
	address := streamPath("log", ref, stream)
	if line == 0 {
		return address
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	n := strconv.Itoa(line)
	return address + separator + "line=" + n + "#L" + n
}

// streamPath returns the URL of a page about a stream of a run.
func streamPath(page, ref, stream string) string {
	address := refPath(page, ref)
	if stream != "" && stream != store.StreamCombined {
		address += "?" + parameterOf("stream", stream)
	}
	return address
}

// refOf returns the reference to a run. repo is "" if there is only one repository.
func refOf(repo, source string, serial int) string {
	ref := source + ":" + strconv.Itoa(serial)
	if repo != "" {
		ref = repo + "@" + ref
	}
	return ref
}

// parameterOf returns a parameter for a URL.
func parameterOf(name, value string) string { return url.Values{name: {value}}.Encode() }

// seconds returns a duration in a form for people. A duration below ten seconds has two significant digits. A longer
// duration has whole seconds, as in 1m5s. Zero seconds and zero minutes at the end are left out.
func seconds(s float64) string {
	if s < 10 {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(s, 'g', 2, 64), 64) // the text is always a number
		return strconv.FormatFloat(rounded, 'f', -1, 64) + " s"
	}
	if s < 59.5 {
		return fmt.Sprintf("%.0f s", s)
	}
	text := time.Duration(s * float64(time.Second)).Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// short returns the first digits of a commit's hash.
func short(commit string) string { return commit[:min(len(commit), 10)] }

// when returns a time in a short form for people.
func when(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// count returns a number and a word: "1 error", "2 errors".
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// sentence returns a note of an answer as a sentence: with a capital letter at the beginning and a full stop at the
// end.
func sentence(note string) string {
	first, size := utf8.DecodeRuneInString(note)
	return string(unicode.ToUpper(first)) + note[size:] + "."
}

// clip returns the beginning of a text that is longer than limit bytes, with an ellipsis. It returns a short text as it
// is.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// word returns a status in lower case, for people.
func word(s store.Status) string { return strings.ToLower(string(s)) }

// verdictOf returns the CSS class of a status. The class determines the colour.
func verdictOf(s store.Status) string {
	switch s {
	case store.StatusOK:
		return "ok"
	case store.StatusRunning:
		return "going"
	}
	return "bad"
}
