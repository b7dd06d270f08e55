package action

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

// Step describes the command of a step.
type Step struct {
	Words  []string // program and arguments, nil for a script that is not written yet
	Script string   // text that names the run if the input name is empty
	script *script
	wrong  error // why there is no command to run, or nil
	direct bool  // a step of the action itself, not of the user
}

// Ended describes how a step ended. If Own is true, the step ends with Code. Otherwise it ends like its command.
type Ended struct {
	capture.Result
	Code int  // exit code if the command did not start, or if the input fail-on failed the step
	Own  bool // the step ends with Code, and not like its command
}

// ScriptStep returns the step of the input run. If the input shell is invalid, the step fails, because another shell
// could run the script differently.
func ScriptStep(in Inputs) Step {
	s, err := shellNamed(in.Shell)
	return Step{Script: in.Run, script: &script{shell: s, text: in.Run}, wrong: err, direct: true}
}

// wrapped is the state of a running step.
type wrapped struct {
	*Job
	in    Inputs
	wrong []string
	state jobFolder
	w     *project.Project
	send  *sending
	lost  []string // problems that one warning reports at the end
	quit  *quitting
	// absent has a message for each pattern of reports that matches no file. This is a problem only if the command
	// passed, because a command that failed may not have written its reports.
	absent []string
	// recovered holds the runs of earlier steps that could be recorded only now.
	recovered []store.Run
	again     bool // a run has to be sent again
	known     int  // number of secret values that were known before the run
}

// Run runs a step and reports the result of the step. It reports problems of blq itself as warnings.
func (j *Job) Run(in Inputs, step Step, wrong []string) Ended {
	s := &wrapped{Job: j, in: in, wrong: wrong, quit: listen()}
	defer s.quit.stop()
	unopened := s.open()
	s.Redactor = j.remember(s.state, in, j.maskKey(s.state != ""))
	defer j.keepMaskKey()
	s.Redactor.Learn(step.identity())
	s.noteFacts()
	s.known = s.Redactor.Values()
	if s.w != nil {
		if err := s.noteClean(s.known, true); err != nil {
			s.lost = append(s.lost, "what is secret: "+err.Error())
		}
	}
	spec := s.spec(step)
	if step.script != nil && step.wrong == nil {
		spec.Command.Args, step.wrong = step.script.write(string(s.state), j.Getenv("RUNNER_TEMP"), "")
		defer step.script.remove()
	}
	if step.wrong != nil {
		return s.refuse(step.wrong)
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
	s.restoreOwner()
	return ended
}

// refuse makes a step fail, because blq cannot run the step in the way that the user wants.
func (s *wrapped) refuse(why error) Ended {
	if s.w != nil {
		defer s.w.Store.Close()
	}
	s.issue(levelError, why.Error(), map[string]string{"title": "blq"})
	s.complain()
	s.output(outcome{status: store.StatusFail})
	s.restoreOwner()
	return Ended{Code: 1, Own: true}
}

// open opens the job's store. If it returns an error, the step runs without being recorded.
func (s *wrapped) open() (err error) {
	if s.state, err = s.folder(); err != nil {
		return err
	}
	if _, err = project.Create(s.state.store()); err != nil {
		return err
	}
	if s.w, err = project.Open(context.Background(), s.state.store()); err != nil {
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

// noteFacts stores facts of the job for later steps, without the values that are known as secrets at this time.
func (s *wrapped) noteFacts() {
	if s.state == "" {
		return
	}
	if err := s.noteJob(s.state); err != nil {
		s.lost = append(s.lost, "facts of the job: "+err.Error())
	}
}

// spec returns the specification of what to record.
func (s *wrapped) spec(of Step) record.Spec {
	spec := record.Spec{
		Source:  s.in.Name, // if the name is empty, the run is named after its script
		Command: project.Invocation{Args: of.Words, Text: step.Shown(of.Script)},
		Script:  of.identity(),
		Dir:     s.in.Dir, Hidden: s.hidden(of.direct), PTY: true, Format: s.in.Format, Timeout: s.in.Timeout,
		Redactor: s.Redactor,
	}
	if s.w != nil {
		spec.JobRun, spec.Step = s.state.jobRun(), s.use()
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

// identity returns a text that distinguishes the step from other steps. The text is the script, with the options of its
// shell or the name of its interpreter (see step.Script). Without a script, the text is the command line.
func (s Step) identity() string {
	words := s.Words
	if s.script != nil {
		words = s.script.words
	}
	if s.Script == "" {
		return shellword.Join(words)
	}
	return step.Script(words, s.Script)
}

// record runs the command. If the job's store is open, it also records the run, and sends the run while the command
// runs.
func (s *wrapped) record(spec record.Spec, unopened error) (record.Recorded, error) {
	if unopened != nil {
		if s.state != "" {
			spec.Folder, spec.JobRun, spec.Step = s.state.store(), s.state.jobRun(), s.use()
		}
		return record.Bare(context.Background(), spec, unopened)
	}
	s.send = s.sender()
	spec.Begun = s.send.follow
	spec.Recovered = func(r store.Run) { s.recovered = append(s.recovered, r) }
	rec, err := record.Command(context.Background(), s.w, spec)
	return rec, err
}

// finish does the remaining work after the command has ended.
func (s *wrapped) finish(rec record.Recorded, ended *Ended) {
	ctx := s.quit.ctx
	// All requests to the server share one deadline.
	server, cancel := context.WithTimeout(ctx, s.in.Wait)
	defer cancel()
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
	s.refresh()
	s.noteFacts()
	s.send.recover(ctx)
	sent := s.send.finish(server, rec.Run)
	clean := s.rehideStore(ctx, rec.Run, rehideWait)
	s.send.rehide(ctx)
	if s.again {
		s.send.sendOthers(server)
	}
	if clean && !s.quit.cancelled() {
		s.writePages(ctx)
	}
	s.send.sendFacts(server, rec.Run)
	o := s.tell(ctx, server, rec.Run, sent)
	found := s.send.check(ctx, server, rec.Run)
	s.complain()
	s.gate(o, "", ended)
	for _, f := range found {
		s.gate(f, " of "+f.ref, ended)
	}
	if ended.Own && o.status == store.StatusOK {
		o.status = store.StatusFail
	}
	s.output(o)
}

// complain writes up to two warnings: one about wrong inputs, and one about problems of blq itself.
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

// gate fails a passed step if the input fail-on demands it. It never turns a failure into a pass. The message ends
// with runName: " of " and the name of the outcome's run, or "" for the run of the command.
func (s *wrapped) gate(o outcome, runName string, ended *Ended) {
	if ended.Own || capture.ExitCode(ended.Result) != 0 {
		return
	}
	why := s.in.blocks(o)
	if s.in.FailOn == failOnNew && !o.compared && o.errors > 0 {
		s.Say("fail-on: new-errors: there is no run to compare with, so no error counts as new")
	}
	if why != "" {
		s.issue(levelError, "The command passed, and fail-on: "+s.in.FailOn+" fails the step for "+why+runName+".",
			map[string]string{"title": "blq"})
		ended.Code, ended.Own = 1, true
	}
}

// blocks returns the reason why the input fail-on fails a step whose command passed, such as "2 new errors". It
// returns "" if fail-on does not fail the step.
func (in Inputs) blocks(o outcome) string {
	switch {
	case in.FailOn == failOnErrors && o.errors > 0:
		return count(o.errors, "error")
	case in.FailOn == failOnNew && o.compared && o.fresh > 0:
		return count(o.fresh, "new error")
	}
	return ""
}
