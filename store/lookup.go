package store

import (
	"errors"
	"fmt"
)

// NoRun returns the NotFound error for a reference without a run. pruned is the newest pruned run that matches the
// reference, or the zero Ref.
func NoRun(ref, pruned Ref) error {
	what := "run " + ref.Run().String()
	switch newest := ref.Attempt == "" && ref.Serial == 0 && ref.Back == 0; {
	case newest && ref.Source != "" && ref.Repo != "":
		what = fmt.Sprintf("run of %q in %s", ref.Source, ref.Repo)
	case newest && ref.Source != "":
		what = fmt.Sprintf("run of %q", ref.Source)
	case newest && ref.Repo == "" && pruned.Serial == 0:
		return Next(Errorf(NotFound, "no runs are recorded yet"), NewCall("exec", "records one", "command", "make"))
	}
	err := Errorf(NotFound, "no %s", what)
	switch {
	case pruned.Serial == 0:
	case ref.Attempt == "" && ref.Serial == 0:
		err = Errorf(NotFound, "no %s: earlier runs, up to %s:%d, were pruned", what, pruned.Source, pruned.Serial)
	default:
		pruned.Repo = ref.Repo
		err = &Error{Code: NotFound, Message: fmt.Sprintf("run %s was pruned", ref.Run()), cause: prunedRun{pruned}}
	}
	return Next(err, NewCall("history", "lists the runs there are"))
}

// prunedRun is the cause of a NotFound error for a pruned run.
type prunedRun struct{ ref Ref }

func (prunedRun) Error() string { return "pruned" }

// PrunedRun returns the pruned run that an error is about: its source and serial, and the repository if the reference
// had one. It returns false for any other error.
func PrunedRun(err error) (Ref, bool) {
	var p prunedRun
	ok := errors.As(err, &p)
	return p.ref, ok
}

// WithSerial returns the run that a reference with a serial names. ok reports whether there is one. If runs of several
// repositories have the serial, WithSerial returns the local run. The function find returns the first two matching
// runs, sorted by the names of their repositories. Invalid: several runs match, and none of them is local. NotFound:
// the run with the serial has another source.
func WithSerial[R interface{ Ref() Ref }](ref Ref, find func(Ref) ([]R, error)) (run R, ok bool, err error) {
	match, err := find(ref)
	switch {
	case err != nil:
		return run, false, err
	case len(match) == 1, len(match) > 1 && match[0].Ref().Repo == "":
		return match[0], true, nil
	case len(match) > 1:
		return run, false, Next(Errorf(Invalid, "run %s exists in several repositories", ref.Run()),
			NewCall("info", "names one of them", "ref", match[0].Ref()))
	case ref.Source == "":
		return run, false, nil
	}
	any := ref
	any.Source = ""
	match, err = find(any)
	if err != nil || len(match) == 0 {
		return run, false, err
	}
	return run, false, Next(Errorf(NotFound, "no run %s: number %d is %s", ref.Run(), ref.Serial, match[0].Ref()),
		NewCall("info", "or "+ref.Source+":latest", "ref", match[0].Ref()))
}

// NoAttempt returns the NotFound error for an attempt that never started, or whose run was pruned.
func NoAttempt(attempt string, pruned bool) error {
	if pruned {
		return Errorf(NotFound, "attempt %s was pruned", attempt)
	}
	return Errorf(NotFound, "no attempt %s", attempt)
}

// CheckEventRef checks that a ref names an event. Invalid: the ref names a run.
func CheckEventRef(ref Ref) error {
	if ref.IsEvent() {
		return nil
	}
	return Next(Errorf(Invalid, "%s names no event", ref), NewCall("events", "lists its events", "ref", ref))
}

// NoEvent returns the NotFound error for an event that does not exist in a run.
func NoEvent(run Ref, event int) error {
	return Next(Errorf(NotFound, "run %s has no event %d", run, event), NewCall("events", "lists its events", "ref", run))
}
