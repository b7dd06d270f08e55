package store

import "strings"

// Rewriting describes changes of a completed run, after more secrets were found in the run. No line of the log and no
// event changes its position.
type Rewriting struct {
	Run    Run         // the changed fields, with the serial and attempt of the run
	Events []Event     // the changed events
	Chunks []Chunk     // the changed chunks, each with the sequence of the replaced chunk
	Tests  []Test      // the changed tests with their IDs; all runs with these tests show the new names
	Files  FileDigests // all digests of files that the run keeps
}

// hiddenMark is the text that replaces secrets in the texts of a run.
const hiddenMark = "***"

// masked returns the parameter hidden if it is equal to text except for three asterisks in place of some parts.
// Otherwise it returns text. So a sender that repeats a text can only remove something.
func masked(text, hidden string) string {
	first, rest, found := strings.Cut(hidden, hiddenMark)
	if !found || !strings.HasPrefix(text, first) {
		return text
	}
	left := text[len(first):]
	for {
		part, more, found := strings.Cut(rest, hiddenMark)
		if !found {
			if strings.HasSuffix(left, part) {
				return hidden
			}
			return text
		}
		i := strings.Index(left, part)
		if i < 0 {
			return text
		}
		left, rest = left[i+len(part):], more
	}
}

// HiddenEvent returns an event with the texts of the parameter hidden that have asterisks in place of some parts (see
// masked). A changed event gets another fingerprint.
func HiddenEvent(e, hidden Event) Event {
	changed := e
	changed.Message, changed.File = masked(e.Message, hidden.Message), masked(e.File, hidden.File)
	changed.Test, changed.Code = masked(e.Test, hidden.Test), masked(e.Code, hidden.Code)
	if changed != e {
		changed.Fingerprint, changed.Pattern = Fingerprint(changed), Pattern(changed)
	}
	return changed
}

// HiddenRun returns a run with the texts of the parameter hidden that have asterisks in place of some parts (see
// masked). It keeps the names of the source, the workflow and the branches, because other runs have them, too.
func HiddenRun(r, hidden Run) Run {
	r.Command, r.Cwd = masked(r.Command, hidden.Command), masked(r.Cwd, hidden.Cwd)
	r.Hostname, r.Git.Root = masked(r.Hostname, hidden.Hostname), masked(r.Git.Root, hidden.Git.Root)
	if r.CI != nil && hidden.CI != nil {
		ci := *r.CI
		ci.Job, ci.Matrix = masked(ci.Job, hidden.CI.Job), masked(ci.Matrix, hidden.CI.Matrix)
		ci.Actor, ci.URL = masked(ci.Actor, hidden.CI.Actor), masked(ci.URL, hidden.CI.URL)
		r.CI = &ci
	}
	return r
}
