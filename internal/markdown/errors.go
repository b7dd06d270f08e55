package markdown

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// numbered lists at most maxGroups groups of errors with their log lines. It also says how many errors
// are left out. The parameter besides is the number of errors without a group.
func numbered(f *Facts, list []Group, besides, maxGroups, lines int, l limits, what string) string {
	var b strings.Builder
	for i, g := range list[:min(len(list), maxGroups)] {
		mark := fmt.Sprintf("%d. ", i+1)
		b.WriteString(mark + item(f, g, l) + "\n")
		if lines > 0 && len(g.Log) > 0 && !repeats(g) {
			b.WriteString("\n" + Fence(Ends(g.Log, lines), l.width, len(mark)) + "\n")
		}
		if about := standsIn(g.Graph); about != "" && lines > 0 {
			b.WriteString("\n" + strings.Repeat(" ", len(mark)) + about + "\n")
		}
	}
	if rest := Errors(list[min(len(list), maxGroups):]) + besides; rest > 0 {
		b.WriteString("\n" + more(rest, what, f) + "\n")
	}
	return b.String()
}

// item returns a line about a group: its place, message, ref and other places.
func item(f *Facts, g Group, l limits) string {
	e := g.Sample
	line := linked(f.Run, e.Event) + Code(Title(e.Event), l.width)
	if e.Code != "" && !strings.Contains(e.Message, e.Code) {
		line += " " + Code(e.Code, 40)
	}
	if e.Run.Serial > 0 {
		line += " (" + f.paged(e.Ref(), Code(e.Ref().String(), 200)) + ")"
	}
	line += KnownWhy(g.Why)
	others := g.Count() - 1
	if others == 0 {
		return line
	}
	line += fmt.Sprintf(", and %d more like it", others)
	var places []string
	for _, o := range g.Others[:min(len(g.Others), l.places)] {
		text := Code(otherPlace(e.Event, o.Event), 100)
		if o.Test == "" {
			text += Differs(e.Event, o.Event)
		}
		places = append(places, text)
	}
	if len(places) > 0 {
		line += ": " + strings.Join(places, ", ")
	}
	if len(places) > 0 && others > len(places) {
		line += ", …"
	}
	return line
}

// KnownWhy returns the reason why an error counts as known although the baseline does not have it. It returns "" if
// there is no reason.
func KnownWhy(k query.Known) string {
	switch {
	case k.Flaky != nil:
		return fmt.Sprintf(", flaky: failed in %d of the last %s", k.Flaky.Failed, Count(k.Flaky.Runs, "run"))
	case k.OnBase != "":
		return ", by now in " + Code(k.OnBase, 200) + " as well"
	}
	return ""
}

// otherPlace returns what distinguishes a look-alike error from the sample of its group. This is the name of the
// error's test, or else its place. If the error has neither, otherPlace returns its title.
func otherPlace(sample, e store.Event) string {
	switch {
	case e.Test != "" && e.Test != sample.Test:
		return e.Test
	case e.File != "":
		return place(e)
	}
	return Title(e)
}

// Differs returns a space and the title of a look-alike. It returns "" if the look-alike has the title of the sample.
func Differs(sample, e store.Event) string {
	if title := Title(e); title != Title(sample) {
		return " " + Code(title, 80)
	}
	return ""
}

// repeats reports whether the log of a group only repeats the message.
func repeats(g Group) bool { return len(g.Log) == 1 && strings.Contains(g.Log[0], g.Sample.Message) }

// Ends returns at most n lines. It leaves out lines in the middle. If n is less than three, it leaves out the last
// lines.
func Ends(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	if n < 3 {
		return lines[:n]
	}
	head := n / 3
	return append(append(lines[:head:head], "…"), lines[len(lines)-(n-head)+1:]...)
}

// more returns a line with the number of omitted errors, and the command that lists the errors of the run.
func more(n int, what string, f *Facts) string {
	return fmt.Sprintf("%d more %s: %s", n, what, f.line.code(store.NewCall("errors", "", "ref", f.Run.Ref())))
}

// Title returns the name of an event's test, if any, and its message, without control characters.
func Title(e store.Event) string { return query.Title(e) }

// newWord returns the word for the errors in Facts.New.
func (f *Facts) newWord() string {
	if f.Baseline.Found() {
		return "new errors"
	}
	return "errors"
}
