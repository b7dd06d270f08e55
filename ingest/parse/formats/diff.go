package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// diffFormat reads unified diffs, and what the command diff prints without options. Some steps compare generated or
// formatted files with the committed files, and print only the diff. The lines of a unified diff are quoted text, so no
// other format reads them.
var diffFormat = parse.Format{
	Name:     "diff",
	About:    "diff -u, git diff, gofmt -d and others: files that differ from the expected files",
	Triggers: []string{"@@ -"},
	Starts:   []string{"< "},
	New:      func() parse.Matcher { return new(diff).match },
}

// diff keeps the file of the newest hunk, and the number of consecutive files.
type diff struct {
	last  *parse.Draft
	files int
}

// maxDiffFiles is the max number of files of a diff that are reported. It is small, because a step keeps only a few
// guesses.
const maxDiffFiles = 3

// maxDiffLines is the max number of changed lines in a message.
const maxDiffLines = 4

func (m *diff) match(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "< ") {
		m.plain(s, l)
		return false
	}
	h, ok := hunkAt(l.Text)
	if !ok || s.InBlock() { // the format of the open block already reports the reason for the diff
		return false
	}
	if m.last != nil && m.last.LogLineEnd == l.N-1 { // another hunk of the file
		m.last.Extend(l)
	} else {
		d, ok := differs(s.Said(6), l)
		if !ok {
			return false
		}
		if m.last == nil || d.LogLine != m.last.LogLineEnd+1 {
			m.files = 0
		}
		if m.files++; m.files <= maxDiffFiles {
			d.Line = h.newLine
			m.last = s.Add(d)
		} else {
			m.last.Extend(l)
		}
	}
	h.other = m.files > maxDiffFiles
	s.Block(h.block(m.last))
	return true
}

// plain reads a hunk that the command diff prints without options: lines that begin with "< ", then "---", then lines
// that begin with "> ". Consecutive hunks become one event.
func (m *diff) plain(s *parse.Scan, first parse.Line) {
	if s.InBlock() {
		return
	}
	message, lines := "the file differs\n"+first.Text, 1
	divided := false
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		switch {
		case l.Text == "---" && !divided:
			divided = true
			return parse.Pass
		case strings.HasPrefix(l.Text, "< ") && !divided, strings.HasPrefix(l.Text, "> ") && divided:
		default:
			return parse.Done
		}
		if lines++; lines <= maxDiffLines {
			message += "\n" + l.Text[:min(len(l.Text), 200)]
		}
		switch {
		case d != nil:
		case divided && m.last != nil && first.N <= m.last.LogLineEnd+2: // the line between them says 3c3
			d = m.last
		case divided:
			d = s.Add(parse.Draft{Weight: parse.Shown,
				Event: store.Event{Category: store.CategoryLint, LogLine: first.N, LogLineEnd: l.N}})
			m.last = d
		default:
			return parse.Pass
		}
		if d.Extend(l); d.LogLine == first.N {
			d.Message = message
		}
		return parse.Take
	})
}

// hunk follows the lines of a hunk. The head of the hunk says how many lines follow.
type hunk struct {
	old, new  int // remaining lines
	newLine   int
	firstSeen bool
	other     bool // the file of the hunk is not reported
}

// hunkAt reads "@@ -1,3 +1,4 @@ func x".
func hunkAt(text string) (h hunk, ok bool) {
	rest, ok := strings.CutPrefix(text, "@@ -")
	if !ok {
		return h, false
	}
	before, rest, ok := strings.Cut(rest, " +")
	after, _, closed := strings.Cut(rest, " @@")
	_, h.old, ok = hunkRange(before, ok && closed)
	h.newLine, h.new, ok = hunkRange(after, ok)
	return h, ok && h.old+h.new > 0
}

// hunkRange reads the line range of a hunk: "12,3" means three lines from line 12 on, and "12" means one line.
// hasStart says whether the text before the range is valid. ok is true if that text and the range are valid.
func hunkRange(text string, hasStart bool) (line, count int, ok bool) {
	first, number, two := strings.Cut(text, ",")
	line, n := parse.Number(first)
	count, ok = 1, n > 0 && n == len(first)
	if two {
		count, n = parse.Number(number)
		ok = ok && n > 0 && n == len(number)
	}
	return line, count, ok && hasStart
}

// differs returns the draft for a file. It is made from the lines above the first hunk of the file. lines holds these
// lines, newest first: "+++ b/x", "--- a/x", and further lines of git, diff or gofmt.
func differs(lines []parse.Line, hunk parse.Line) (d parse.Draft, ok bool) {
	if len(lines) < 2 || lines[0].N != hunk.N-1 || lines[1].N != hunk.N-2 {
		return d, false
	}
	after, ok := strings.CutPrefix(lines[0].Text, "+++ ")
	before, both := strings.CutPrefix(lines[1].Text, "--- ")
	if !ok || !both {
		return d, false
	}
	d.LogLine = lines[1].N
	for _, l := range lines[2:] {
		if l.N != d.LogLine-1 || !hasAnyPrefix(l.Text, "index ", "diff ", "new ", "old ", "deleted ", "similarity ",
			"rename ") {
			break
		}
		d.LogLine = l.N
	}
	file, old := diffFile(after), diffFile(before)
	if file == "" || old != "" && strings.HasPrefix(file, old+".") { // cram compares a.t with a.t.err
		file = old
	}
	// In its sandbox, dune compares ../../../default/a.t with a.t.corrected.
	if name, ok := strings.CutSuffix(file, ".corrected"); ok && strings.HasSuffix(old, "/"+name) {
		file = name
	}
	if name, ok := strings.CutPrefix(file, "new/"); ok && old == "old/"+name { // of terraform fmt
		file = name
	}
	d.Weight = parse.Shown
	d.Event.File, d.Event.Message, d.Event.Category = file, "the file differs", store.CategoryLint
	d.Event.LogLine, d.Event.LogLineEnd = d.LogLine, hunk.N
	return d, true
}

// diffFile returns the file name in "b/x.go" or "x.go\t2024-01-02 03:04:05 +0000". It returns "" for /dev/null.
func diffFile(text string) string {
	name, _, _ := strings.Cut(text, "\t")
	name = strings.Trim(name, `"`)
	if name == "/dev/null" {
		return ""
	}
	if fixed, ok := cutAny(name, "original/", "fixed/"); ok { // of autopep8
		return fixed
	}
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciw", name[0]) >= 0 {
		name = name[2:]
	}
	return name
}

// block takes the lines of the hunk.
func (h hunk) block(d *parse.Draft) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		mark := byte(' ') // an empty line may have lost its leading blank
		if l.Text != "" {
			mark = l.Text[0]
		}
		switch {
		case mark == '\\':
		case h.old+h.new <= 0:
			return parse.Done
		case mark == '-' && h.old > 0:
			h.old--
		case mark == '+' && h.new > 0:
			h.new--
		case mark == ' ':
			h.old, h.new = h.old-1, h.new-1
		default:
			return parse.Done
		}
		if d.Extend(l); mark == '-' || mark == '+' {
			h.change(d, l.Text)
		} else if !h.firstSeen && mark == ' ' {
			h.newLine++
		}
		return parse.Take
	}
}

// change records a changed line. The first changed line of a file determines the place. The first few changed lines are
// added to the message.
func (h *hunk) change(d *parse.Draft, text string) {
	if !h.other && !h.firstSeen && !strings.Contains(d.Message, "\n") {
		d.Line = max(h.newLine, 1)
	}
	h.firstSeen = true
	if !h.other && strings.Count(d.Message, "\n") < maxDiffLines && len(d.Message) < 500 {
		d.Message += "\n" + text[:min(len(text), 200)]
	}
}
