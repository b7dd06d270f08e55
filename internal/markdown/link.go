package markdown

import (
	"fmt"
	"path"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Facts from a CI system may come from a job of a fork. So URLs are made only from parts that have exactly the expected
// form.
var (
	githubJob = lazyregexp.New(
		`^(https?://[A-Za-z0-9.-]+(?::[0-9]+)?)/([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)/actions/runs/[0-9]+(?:/[A-Za-z0-9/]*)?$`)
	gitlabJob = lazyregexp.New(`^(https?://[A-Za-z0-9.-]+(?::[0-9]+)?)/([A-Za-z0-9_./-]+)/-/jobs/[0-9]+$`)
	commitID  = lazyregexp.New(`^[0-9a-f]{40}(?:[0-9a-f]{24})?$`)
)

// blob returns the URL of a line of a file at the run's commit. It returns "" if the URL is unknown, or if the file is
// not in the repository.
func blob(r store.Run, file string, line int) string {
	if r.CI == nil || !commitID.MatchString(r.CI.HeadSHA) || file == "" || path.IsAbs(file) || path.Clean(file) != file ||
		strings.HasPrefix(file, "../") {
		return ""
	}
	at := ""
	if m := githubJob.FindStringSubmatch(r.CI.URL); m != nil && r.CI.Provider == "github" && m[2] == r.CI.Repo {
		at = m[1] + "/" + m[2] + "/blob/"
	} else if m := gitlabJob.FindStringSubmatch(r.CI.URL); m != nil && r.CI.Provider == "gitlab" && m[2] == r.CI.Repo {
		at = m[1] + "/" + m[2] + "/-/blob/"
	} else {
		return ""
	}
	at += r.CI.HeadSHA + "/" + encode(file)
	if line > 0 {
		at += fmt.Sprintf("#L%d", line)
	}
	return at
}

// jobURL returns the URL of the run's job, or "" if the URL has an unknown form.
func jobURL(r store.Run) string {
	if r.CI != nil && (githubJob.MatchString(r.CI.URL) || gitlabJob.MatchString(r.CI.URL)) {
		return r.CI.URL
	}
	return ""
}

// paged returns a text as a link to the page of a run or an event. Without such a page, it returns the text
// unchanged.
func (f *Facts) paged(ref store.Ref, text string) string {
	if f.page == nil {
		return text
	}
	if url := f.page(ref); url != "" {
		return "[" + text + "](" + url + ")"
	}
	return text
}

// code returns the command line of a call as code.
func (l Line) code(c store.Call) string { return Code(l(c), 200) }

// encode encodes a path for a URL within Markdown.
func encode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Place returns the place of an event as code: file, line and column.
func Place(e store.Event) string { return Code(place(e), 200) }

func place(e store.Event) string {
	s := query.Location(e.File, e.Line)
	if e.File != "" && e.Line > 0 && e.Column > 0 {
		s += fmt.Sprintf(":%d", e.Column)
	}
	return s
}

// linked returns the place of an event in bold, with a link if possible. The result never begins with [, because
// a paragraph that begins with [ may define a link reference.
func linked(r store.Run, e store.Event) string {
	where, url := Place(e), blob(r, e.File, e.Line)
	switch {
	case where == "":
		return ""
	case url == "":
		return "**" + where + "** "
	}
	return "**[" + where + "](" + url + ")** "
}
