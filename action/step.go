package action

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// Step is the command of a step.
type Step struct {
	Words  []string // program and arguments, nil for a script that is yet to be written
	Script string   // what is run, to be named after
	script *script
}

// Ended is how a step ended: as its command did, unless Gate.
type Ended struct {
	capture.Result
	Code int  // exit code of a step whose command did not start, or that the gate failed
	Own  bool // the exit code is Code
}

// ScriptStep returns the step of the input run. A shell that makes no sense is
// told, and is GitHub's default.
func ScriptStep(in Inputs) (Step, []string) {
	s, err := shellNamed(in.Shell)
	if err != nil {
		return Step{Script: in.Run, script: &script{shell: defaultShell(), text: in.Run}}, []string{"input shell: " + err.Error() + "; it is GitHub's default"}
	}
	return Step{Script: in.Run, script: &script{shell: s, text: in.Run}}, nil
}

// wrapped is a step on its way.
type wrapped struct {
	*Job
	in    Inputs
	wrong []string
	state State
	w     *project.Project
	send  *sending
	lost  []string // what could not be done, to be told in one warning
	quit  *quitting
	// absent are reports that nothing wrote. A command that failed may not have
	// come that far.
	absent []string
}

// Run runs a step and tells of it. What goes wrong with anything but the
// command itself is in one warning.
func (j *Job) Run(in Inputs, step Step, wrong []string) Ended {
	s := &wrapped{Job: j, in: in, wrong: wrong, quit: listen()}
	defer s.quit.stop()
	unopened := s.open()
	spec := s.spec(step)
	if step.script != nil {
		spec.Command.Args = step.script.write(string(s.state), j.Getenv("RUNNER_TEMP"), "")
		defer step.script.remove()
	}
	rec, err := s.record(spec, unopened)
	ended := Ended{Result: rec.Result}
	var failed *capture.StartError
	if err != nil {
		s.Say("%v", err)
		ended.Code, ended.Own = 1, true
	}
	if errors.As(err, &failed) {
		ended.Code = failed.Code
	}
	s.finish(rec, &ended)
	s.giveBack()
	return ended
}

// open opens the job's store. Without it the step is not recorded.
func (s *wrapped) open() (err error) {
	if s.state, err = s.State(); err != nil {
		return err
	}
	if _, err = project.Create(s.state.Store()); err != nil {
		return err
	}
	if s.w, err = project.Open(context.Background(), s.state.Store()); err != nil {
		return err
	}
	if cwd, err := filepath.Abs(s.in.Dir); err == nil {
		s.w.SetRoot(project.Top(cwd))
	}
	if err = s.w.Writable(); err != nil {
		s.w.Store.Close()
		s.w = nil
	}
	return err
}

// spec says what to record.
func (s *wrapped) spec(step Step) record.Spec {
	spec := record.Spec{
		Source:  cmp.Or(s.in.Name, sourceOf(step.Script)),
		Command: project.Invocation{Args: step.Words, Text: shownCommand(step)},
		Dir:     s.in.Dir, Format: s.in.Format, Timeout: s.in.Timeout,
		Redactor: record.Redactor(append(s.in.Redact, s.in.Token)...),
	}
	for _, name := range s.in.Matchers {
		if list, err := readMatchers(name); err != nil {
			s.wrong = append(s.wrong, "input problem-matchers: "+err.Error())
		} else {
			spec.Matchers = append(spec.Matchers, list...)
		}
	}
	if len(s.in.Reports) > 0 {
		began := time.Now()
		spec.Reports = func() []record.Report { return s.reports(began) }
	}
	return spec
}

func readMatchers(name string) ([]parse.ProblemMatcher, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parse.ReadMatchers(data)
}

// mostShown bounds a command as it is shown.
const mostShown = 300

// secretly matches a word that a secret may follow. What an expression put into
// the script is nowhere else, so nobody knows that it is one.
var secretly = regexp.MustCompile(`(?i)(pass|secret|token|key|auth|cred|bearer|header|login)`)

// shownCommand is the script's first line that does something, up to where a
// secret may stand.
func shownCommand(step Step) string {
	first := strings.TrimSpace(step.Script)
	for line := range strings.Lines(step.Script) {
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") && !idle[words[0]] {
			first = strings.TrimSpace(line)
			break
		}
	}
	first, _, _ = strings.Cut(first, "\n")
	words := strings.Fields(first)
	for i, w := range words {
		if i > 0 && i < len(words)-1 && secretly.MatchString(w) || strings.Contains(w, "=") && secretly.MatchString(w) {
			return clip(strings.Join(words[:i], " ")+" …", mostShown)
		}
	}
	return clip(first, mostShown)
}

// record runs the command, recorded where that is possible, and sent meanwhile.
func (s *wrapped) record(spec record.Spec, unopened error) (record.Recorded, error) {
	if unopened != nil {
		return record.Bare(context.Background(), spec, unopened)
	}
	s.send = s.sender()
	spec.Begun = s.send.follow
	rec, err := record.Command(context.Background(), s.w, spec)
	return rec, err
}

// finish does all that is left when the command has ended.
func (s *wrapped) finish(rec record.Recorded, ended *Ended) {
	ctx := s.quit.ctx
	if rec.Err != nil {
		s.lost = append(s.lost, "not recorded: "+rec.Err.Error())
	}
	if s.w != nil {
		defer s.w.Store.Close()
	}
	if rec.Run.Serial == 0 {
		s.complain()
		s.output(outcome{status: bareStatus(ended)})
		return
	}
	if bareStatus(ended) == store.StatusOK {
		s.wrong = append(s.wrong, s.absent...)
	}
	sent := s.send.finish(ctx, rec.Run)
	o := s.tell(ctx, rec.Run, sent)
	s.complain()
	s.output(o)
	s.gate(o, ended)
}

// complain tells in one warning what was lost, and in another what was wrong
// with the inputs.
func (s *wrapped) complain() {
	s.Warn(s.wrong)
	if len(s.lost) > 0 {
		s.warn("%s; the step itself is as it would be without blq", strings.Join(s.lost, "; "))
	}
}

func bareStatus(e *Ended) store.Status {
	if capture.ExitCode(e.Result) == 0 && !e.Own {
		return store.StatusOK
	}
	return store.StatusFail
}

// gate fails a step whose command passed, where the user asked for it. It never
// makes a failed one pass.
func (s *wrapped) gate(o outcome, ended *Ended) {
	if ended.Own || capture.ExitCode(ended.Result) != 0 {
		return
	}
	why := ""
	switch {
	case s.in.FailOn == "errors" && o.errors > 0:
		why = count(o.errors, "error")
	case s.in.FailOn == "new-errors" && o.compared && o.fresh > 0:
		why = count(o.fresh, "new error")
	case s.in.FailOn == "new-errors" && !o.compared && o.errors > 0:
		s.Say("fail-on: new-errors: nothing is known to compare with, so no error counts as new")
	}
	if why != "" {
		s.issue(levelError, "The command passed, and fail-on: "+s.in.FailOn+" fails the step for "+why+".", map[string]string{"title": "blq"})
		ended.Code, ended.Own = 1, true
	}
}
