package markdown

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// detailed writes the longest report: facts of the run, errors by file, and each kind of error with its log lines. If
// the run is still running, or failed without errors that explain it, the report has the end of the log.
func detailed(f *Facts, l limits) string {
	parts := []string{"## " + headline(f), comparedWith(f), factTable(f)}
	if len(f.New)+len(f.Known) > 0 {
		parts = append(parts, fileSection(f, l))
	}
	if len(f.New) > 0 {
		parts = append(parts, "### "+title(f.newWord()), numbered(f, f.New, f.MoreNew, l.groups, l.lines, l, f.newWord()),
			mayBe(graphs(f.New), l))
	}
	if len(f.Known) > 0 && l.known > 0 {
		parts = append(
			parts, "### Known errors", numbered(f, f.Known, f.MoreKnown, l.known, min(l.lines, 3), l, "known errors"))
	}
	if end := f.end(l); end != "" {
		parts = append(parts, "### Log", end)
	}
	return join(append(parts, lookCloser(f))...)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// factTable returns a table of the run's facts, such as its command, status and time, and of its errors and warnings.
func factTable(f *Facts) string {
	var b strings.Builder
	b.WriteString("| Run | " + Cell(f.Run.Ref().String(), 200) + " |\n| --- | --- |\n")
	for _, row := range RunFacts(f.Run) {
		b.WriteString("| " + row[0] + " | " + row[1] + " |\n")
	}
	b.WriteString("| Errors | " + f.ErrorCounts() + " |\n| Warnings | " + f.WarningCounts() + " |\n")
	return b.String()
}

// RunFacts returns the facts of a run for a table, as pairs of a name and a value.
func RunFacts(r store.Run) [][2]string {
	rows := [][2]string{{"Command", Cell(r.Command, 300)}, {"Status", Ending(r)}}
	if d := r.Duration(); d > 0 {
		rows = append(rows, [2]string{"Duration", Took(d)})
	}
	rows = append(rows, [2]string{"Started", r.StartedAt.UTC().Format(time.DateTime) + " UTC"})
	if r.Git.Commit != "" {
		commit := Cell(shortCommit(r.Git.Commit), 20)
		if r.Git.Branch != "" {
			commit += " on " + Cell(r.Git.Branch, nameBytes)
		}
		if r.Git.Dirty {
			commit += ", with changes that are not committed"
		}
		rows = append(rows, [2]string{"Commit", commit})
	}
	if ci := r.CI; ci != nil {
		where := strings.Join(
			slices.DeleteFunc([]string{ci.Workflow, ci.Job, ci.Matrix}, func(s string) bool { return s == "" }), " / ")
		rows = append(rows, [2]string{"Job", cmp.Or(Cell(where, 200), Cell(ci.Provider, 40))})
		if ci.PR > 0 {
			rows = append(rows, [2]string{"Pull request", strconv.Itoa(ci.PR)})
		}
	}
	if r.Lost != "" {
		rows = append(rows, [2]string{"Not recorded", Cell(r.Lost, 200)})
	}
	return rows
}

// Ending returns the status of a run with its exit code or signal.
func Ending(r store.Run) string {
	s := string(r.Status())
	switch {
	case r.Signal != "":
		s += " (" + Cell(r.Signal, 20) + ")"
	case r.ExitCode != nil && *r.ExitCode != 0:
		s += fmt.Sprintf(" (exit code %d)", *r.ExitCode)
	}
	return s
}

// ErrorCounts returns the number of errors as text. If the run has a baseline, the text also has the numbers of new,
// known and fixed errors.
func (f *Facts) ErrorCounts() string {
	s := strconv.Itoa(f.Run.Errors)
	if f.Baseline.Found() && f.Run.Errors > 0 {
		s += fmt.Sprintf(" (%d new, %d known)", f.NewErrors, f.KnownErrors)
	}
	if f.Fixed > 0 && f.Run.Ended() {
		s += fmt.Sprintf(", %d fixed", f.Fixed)
	}
	return s
}

// WarningCounts returns the numbers of warnings and new warnings in words.
func (f *Facts) WarningCounts() string {
	s := strconv.Itoa(f.Run.Warnings)
	if f.Run.Warnings > 0 && f.NewWarnings >= 0 {
		s += fmt.Sprintf(" (%d pre-existing, %d new)", f.Run.Warnings-f.NewWarnings, f.NewWarnings)
	}
	return s
}

func fileSection(f *Facts, l limits) string {
	rows := Files(f)
	if len(rows) == 0 || l.files == 0 {
		return ""
	}
	return "### Errors by file\n\n" + FileTable(rows, l.files)
}

// File is a file with its errors.
type File struct {
	Name  string
	Count int
	New   int
	Types []string // rules of the file's errors, or messages of errors without a rule
}

// Files returns the files with errors. Files with many errors come first.
func Files(f *Facts) []File {
	var rows []File
	at := map[string]int{}
	add := func(e store.RunEvent, isNew int) {
		if e.File == "" {
			return
		}
		i, seen := at[e.File]
		if !seen {
			i = len(rows)
			at[e.File] = i
			rows = append(rows, File{Name: e.File})
		}
		rows[i].Count++
		rows[i].New += isNew
		if kind := cmp.Or(e.Code, query.Title(e.Event)); len(rows[i].Types) < 3 && !slices.Contains(rows[i].Types, kind) {
			rows[i].Types = append(rows[i].Types, kind)
		}
	}
	each(f.New, func(e store.RunEvent) { add(e, 1) })
	each(f.Known, func(e store.RunEvent) { add(e, 0) })
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if i, seen := at[name]; seen {
			rows[i].Count = f.files[name]
		} else if name != "" {
			rows = append(rows, File{Name: name, Count: f.files[name]})
		}
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].Count > rows[j].Count })
	return rows
}

func each(list []Group, do func(store.RunEvent)) {
	for _, g := range list {
		do(g.Sample)
		for _, e := range g.Others {
			do(e)
		}
	}
}

// FileTable returns a table of files with errors. It has at most maxRows rows.
func FileTable(rows []File, maxRows int) string {
	var b strings.Builder
	b.WriteString("| File | Count | Types |\n| --- | --- | --- |\n")
	for _, r := range rows[:min(len(rows), maxRows)] {
		types := make([]string, len(r.Types))
		for i, t := range r.Types {
			types[i] = Cell(t, 80)
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", Cell(r.Name, 160), r.Count, strings.Join(types, ", "))
	}
	if len(rows) > maxRows {
		fmt.Fprintf(&b, "\nand %s\n", Count(len(rows)-maxRows, "more file"))
	}
	return b.String()
}
