package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// refPath returns the URL of a page about a run or an event. A reference with a repository contains a slash, as in
// owner/name@build:5.
func refPath(page, ref string) string {
	return "/" + page + "/" + strings.ReplaceAll(url.PathEscape(ref), "%2F", "/")
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

// seconds returns a duration in a form for people.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(s, 'g', 2, 64) + " s"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", s)
	}
	return strings.TrimSuffix(d.Round(time.Second).String(), "0s")
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
