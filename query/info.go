package query

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// InfoParams select a run, and the facts about it.
type InfoParams struct {
	Ref      string  `json:"ref,omitempty" kind:"ref"` // "" for the newest run
	Head     int     `json:"head,omitempty"`           // first lines of output
	Tail     int     `json:"tail,omitempty"`           // last lines of output
	Errors   bool    `json:"errors,omitempty"`
	Warnings bool    `json:"warnings,omitempty"`
	Severity string  `json:"severity,omitempty"`
	Limit    int     `json:"limit,omitempty"`     // max events, 0 for all
	Wait     float64 `json:"wait,omitempty"`      // seconds to wait for the end of a running run
	Context  int     `json:"context,omitempty"`   // log lines around each event; selects the compact form
	MaxBytes int     `json:"max_bytes,omitempty"` // approximate max size of compact events; 0 for no limit
}

// Info holds the requested facts about a run.
type Info struct {
	RunID     int          `json:"run_id" jsonschema:"serial"`
	RunRef    string       `json:"run_ref" jsonschema:"for other tools"`
	URL       string       `json:"url,omitempty" jsonschema:"its page" schema:"unlisted"`
	Source    string       `json:"source_name" jsonschema:"step"`
	Command   string       `json:"command" jsonschema:"as it was run"`
	Status    store.Status `json:"status" jsonschema:"as in status"`
	IsRunning bool         `json:"is_running" jsonschema:"still going"`
	Attempt   string       `json:"attempt_id" jsonschema:"UUID"`
	Started   string       `json:"started_at" jsonschema:"UTC"`
	Seconds   float64      `json:"duration_seconds,omitempty" jsonschema:"seconds"`
	ExitCode  *int         `json:"exit_code,omitempty" jsonschema:"of the command"`
	Signal    string       `json:"signal,omitempty" jsonschema:"that ended it"`
	ExitNote  string       `json:"exit_note,omitempty" jsonschema:"meaning of code or signal"`
	Going
	Lost     string   `json:"lost,omitempty" jsonschema:"parts that were not recorded"`
	Cwd      string   `json:"cwd,omitempty" jsonschema:"folder"`
	Commit   string   `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch   string   `json:"git_branch,omitempty" jsonschema:"branch"`
	Dirty    bool     `json:"git_dirty,omitempty" jsonschema:"uncommitted"`
	Changed  []string `json:"dirty_files,omitempty" jsonschema:"of errors"`
	Errors   int      `json:"error_count" jsonschema:"errors"`
	Warnings int      `json:"warning_count" jsonschema:"warnings"`
	Output   string   `json:"output,omitempty" jsonschema:"lines asked for with head or tail"`
	Lines    int      `json:"output_lines" jsonschema:"lines of log"`
	Events   []Event  `json:"events,omitempty" jsonschema:"errors and warnings asked for" schema:"open"`
	Total    int      `json:"-"` // number of requested events, including events over the limit
}

// Info returns the requested facts about a run.
func (a *Asker) Info(ctx context.Context, p InfoParams) (Info, error) {
	r, err := a.awaited(ctx, p)
	if err != nil {
		return Info{}, err
	}
	in := Info{
		RunID: r.Serial, RunRef: r.Ref().String(), URL: a.PageOf(r.Ref()), Source: r.Source,
		Command: Clean(r.Command), Status: r.Status(),
		IsRunning: r.State == store.StateRunning,
		Attempt:   r.Attempt, Started: stamp(r.StartedAt), Seconds: seconds(r.Duration()), ExitCode: r.ExitCode,
		Signal: r.Signal, ExitNote: ExitNote(r), Lost: r.Lost, Going: a.going(r),
		Cwd: Clean(r.Cwd), Commit: r.Git.Commit, Branch: Clean(r.Git.Branch), Errors: r.Errors, Warnings: r.Warnings,
		Lines: r.Lines,
	}
	if in.Dirty, in.Changed, err = a.dirty(ctx, r); err != nil {
		return Info{}, err
	}
	if p.wantsOutput() {
		out, err := a.Output(ctx, OutputParams{Ref: r.Attempt, Head: p.Head, Tail: p.Tail, MaxBytes: partBytes})
		if err != nil {
			return Info{}, err
		}
		in.Output, in.Lines = out.Content, out.Total
	}
	if severity := p.WantedSeverity(); severity != "" {
		events, err := a.Events(ctx, EventsParams{Ref: r.Attempt, Severity: severity, Limit: p.Limit})
		if err != nil {
			return Info{}, err
		}
		in.Events, in.Total = events.Events, events.Total
	}
	return in, nil
}

func (p InfoParams) wantsOutput() bool { return p.Head > 0 || p.Tail > 0 }

// WantedSeverity joins the severities of the events that the parameters ask for. It returns "" if they ask for no
// events.
func (p InfoParams) WantedSeverity() string {
	list := splitList(p.Severity)
	if p.Errors {
		list = append(list, string(store.SeverityError))
	}
	if p.Warnings {
		list = append(list, string(store.SeverityWarning))
	}
	return strings.Join(list, ",")
}

// Briefing is the compact form of a run. It holds the requested events with log lines, and a summary of all errors.
type Briefing struct {
	RunRef     string                 `json:"run_ref" jsonschema:"for other tools"`
	Status     store.Status           `json:"status" jsonschema:"as in status"`
	Errors     int                    `json:"error_count" jsonschema:"errors"`
	ByCategory map[store.Category]int `json:"errors_by_category,omitempty" jsonschema:"errors by category" schema:"open"`
	Events     []BriefEvent           `json:"events" jsonschema:"ref, location, message, context: log lines, those of the event after >>>" schema:"open"`
	Summary    *Summary               `json:"summary,omitempty" jsonschema:"by_fingerprint, by_file, affected_commits" schema:"open"`
	Output     string                 `json:"output,omitempty" jsonschema:"lines asked for with head or tail; the end of a run that failed without errors"`
	Total      int                    `json:"-"` // number of requested events, including events over the limit
}

// BriefEvent is an event, with the log lines around it as marked text.
type BriefEvent struct {
	Ref      string `json:"ref" jsonschema:"of the event"`
	Location string `json:"location,omitempty" jsonschema:"file:line"`
	Message  string `json:"message,omitempty" jsonschema:"message of the tool"`
	Context  string `json:"context" jsonschema:"log lines, those of the event after >>>"`
}

// Summary groups the errors of a run.
type Summary struct {
	ByFingerprint []FingerprintCount `json:"by_fingerprint" jsonschema:"the same problems"`
	ByFile        []FileCount        `json:"by_file" jsonschema:"the files with most"`
	Commits       []Commit           `json:"affected_commits,omitempty" jsonschema:"recent commits to those files"`
}

// FingerprintCount is the number of errors with one fingerprint.
type FingerprintCount struct {
	Fingerprint string `json:"fingerprint" jsonschema:"identity"`
	Count       int    `json:"count" jsonschema:"errors"`
	Example     string `json:"example_message" jsonschema:"one of them"`
}

// FileCount is the number of errors in one file.
type FileCount struct {
	File  string `json:"file" jsonschema:"path"`
	Count int    `json:"count" jsonschema:"errors"`
}

// maxBriefEvents is the max number of events in the compact form.
const maxBriefEvents = 5000

// briefTail is the number of log lines for a failed run without errors.
const briefTail = 20

// Brief returns the compact form of a run. Each event has p.Context log lines before and after it.
func (a *Asker) Brief(ctx context.Context, p InfoParams) (Briefing, error) {
	r, err := a.awaited(ctx, p)
	if err != nil {
		return Briefing{}, err
	}
	severities, err := readSeverities(cmp.Or(p.WantedSeverity(), string(store.SeverityError)))
	if err != nil {
		return Briefing{}, err
	}
	filter := store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Severities: severities,
		Limit: cmp.Or(p.Limit, maxBriefEvents)}
	page, err := a.Store.Events(ctx, a.Scope, filter)
	if err != nil {
		return Briefing{}, err
	}
	b := Briefing{RunRef: r.Ref().String(), Status: r.Status(), Errors: r.Errors, Events: []BriefEvent{},
		Total: page.Total}
	size := 0
	for _, e := range page.Events {
		lines, err := a.around(ctx, r, e.Event, p.Context)
		if err != nil {
			return Briefing{}, err
		}
		text := Marked(lines)
		b.Events = append(b.Events, BriefEvent{Ref: e.Ref().Short(), Location: Location(Clean(e.File), e.Line),
			Message: Clean(title(e.Event)), Context: text})
		if size += len(text); p.MaxBytes > 0 && size > p.MaxBytes {
			break
		}
	}
	if r.Errors == 0 && urgency(r) > urgencyOfRunning && !p.wantsOutput() {
		p.Tail = briefTail
	}
	if p.wantsOutput() {
		out, err := a.Output(ctx, OutputParams{Ref: r.Attempt, Head: p.Head, Tail: p.Tail, MaxBytes: partBytes})
		if err != nil {
			return Briefing{}, err
		}
		b.Output = out.Content
	}
	if r.Errors > 0 {
		err = a.summarize(ctx, r, &b)
	}
	return b, err
}

// Marked renders lines with numbers, and with >>> before the log lines of an event or the source line of an error.
func Marked(lines []ContextLine) string {
	if len(lines) == 0 {
		return ""
	}
	width := len(itoa(lines[len(lines)-1].Line))
	texts := make([]string, len(lines))
	for i, l := range lines {
		mark := "   "
		if l.IsEvent || l.IsError {
			mark = ">>>"
		}
		texts[i] = strings.TrimRight(fmt.Sprintf("%s %*d | %s", mark, width, l.Line, l.Text), " ")
	}
	return strings.Join(texts, "\n")
}

// maxListed is the max number of groups of each kind in a summary.
const maxListed = 10

func (a *Asker) summarize(ctx context.Context, r store.Run, b *Briefing) error {
	b.ByCategory = map[store.Category]int{}
	prints, files, example := map[string]int{}, map[string]int{}, map[string]string{}
	if isLarge(r) {
		return a.summarizeLarge(ctx, r, b)
	}
	for e, err := range a.eachError(ctx, r) {
		if err != nil {
			return err
		}
		b.ByCategory[cmp.Or(e.Category, "other")]++
		prints[e.Fingerprint]++
		if example[e.Fingerprint] == "" {
			example[e.Fingerprint] = Clean(title(e.Event))
		}
		if e.File != "" {
			files[Clean(e.File)]++
		}
	}
	b.Summary = &Summary{ByFingerprint: []FingerprintCount{}, ByFile: []FileCount{}}
	for _, f := range byCount(prints) {
		b.Summary.ByFingerprint = append(b.Summary.ByFingerprint, FingerprintCount{f, prints[f], example[f]})
	}
	a.summarizeFiles(ctx, r, b, files)
	return nil
}

// summarizeFiles adds to b the files with the most errors, and the last commits that changed these files.
func (a *Asker) summarizeFiles(ctx context.Context, r store.Run, b *Briefing, files map[string]int) {
	for _, f := range byCount(files) {
		b.Summary.ByFile = append(b.Summary.ByFile, FileCount{f, files[f]})
	}
	b.Summary.Commits = a.affectedCommits(ctx, a.root(r), b.Summary.ByFile)
}

// byCount returns the keys in order of their counts, highest count first. It returns at most maxListed keys.
func byCount(counts map[string]int) []string {
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	return keys[:min(len(keys), maxListed)]
}

// affectedCommits returns recent commits that changed files with errors.
func (a *Asker) affectedCommits(ctx context.Context, root string, files []FileCount) []Commit {
	if a.Git == nil || root == "" {
		return nil
	}
	var list []Commit
	at := map[string]int{}
	for _, f := range files[:min(len(files), 5)] {
		commits, err := a.Git.RecentCommits(ctx, root, f.File, 2)
		if err != nil {
			continue
		}
		for _, c := range commits {
			i, seen := at[c.Hash]
			if !seen {
				i = len(list)
				at[c.Hash] = i
				list = append(list, c)
			}
			list[i].Files = append(list[i].Files, f.File)
		}
	}
	return cleanCommits(list[:min(len(list), maxListed)])
}
