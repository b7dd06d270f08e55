package parse

import "github.com/blq-ci/blq/store"

// BeginStep settles the current step and begins another step. outcome is the outcome of the current step if the log
// does not contain the outcome.
func (s *Scan) BeginStep(outcome Outcome) {
	s.closeBlocks()
	s.step.marked = true
	s.settle(outcome)
}

// EndStep sets the outcome of the current step. The following lines belong to the next step.
func (s *Scan) EndStep(o Outcome) {
	s.closeBlocks()
	s.step.outcome, s.step.marked = o, true
	s.settle(o)
}

// EndJob ends the current job. The following steps belong to another job.
func (s *Scan) EndJob() { s.failed = false }

// JobFailed reports whether a step of this job has failed.
func (s *Scan) JobFailed() bool { return s.failed }

// Hush marks the following lines as lines that are not output of the current step.
func (s *Scan) Hush() { s.step.hushed = true }

// Hushed reports whether Hush was called in the current step.
func (s *Scan) Hushed() bool { return s.step.hushed }

// Recap sets whether lines that belong to a named lane repeat earlier output. Such lines are skipped.
func (s *Scan) Recap(on bool) { s.recap = on }

// NoLastWords says that the last line of the current step does not explain why the step failed.
func (s *Scan) NoLastWords() { s.step.noLastWords = true }

// LastWords returns the last line of the current step that has a word and that no format took. n is the number of this
// line, or 0 if there is no such line.
func (s *Scan) LastWords() (text string, n int) { return string(s.step.said.last().text), s.step.lastN }

// Said returns the last lines of the current step that have a word and that no format took, newest first. It returns at
// most limit lines.
func (s *Scan) Said(limit int) (lines []Line) {
	for i := range limit {
		l := s.step.said.at(i)
		if l == nil {
			break
		}
		lines = append(lines, Line{Text: string(l.text), N: l.n})
	}
	return lines
}

// FailsBySaying says that the current step fails if it prints an error line of the CI system, even if the format of
// another tool reads the line. It is called for steps that have no exit code, such as actions of GitHub.
func (s *Scan) FailsBySaying() { s.step.failsBySaying = true }

// Fail marks the current step as failed. The step goes on.
func (s *Scan) Fail() { s.step.outcome = Failed }

func (s *Scan) settle(last Outcome) {
	if s.step.outcome == Unknown {
		s.step.outcome = last
	}
	if s.failed && s.step.outcome == Unknown { // it ran after the failure, and no line says that it failed, too
		s.step.guesses = nil
	}
	if s.step.isSilentCheck() {
		s.step.drafts = append(s.step.drafts, s.before...)
	}
	if !s.step.isEmpty() {
		s.before = s.step.unsettled()
	}
	s.step.settle()
	if s.failed {
		s.step.forgiveMissing()
	}
	s.failed = s.failed || s.step.marked && s.step.outcome == Failed
	s.flush()
	s.step.begin()
	s.steps++
}

// relieve is called for a step with too many drafts. It emits the certain drafts, and keeps the newest of the other
// drafts.
func (s *Scan) relieve() {
	unsure := s.step.setAsideUnsure(MaxPending / 10)
	s.flush()
	s.step.drafts = unsure
}

// patterned returns an event with its pattern, unless the caller wants no patterns.
func (s *Scan) patterned(e store.Event) store.Event {
	if !s.noPatterns {
		e.Pattern = store.Pattern(e)
	}
	return e
}

// flush emits the drafts of the step so far.
func (s *Scan) flush() {
	for _, d := range s.step.take() {
		e := s.event(d)
		s.emitted++
		e.ID = s.emitted
		s.emit(s.patterned(e))
	}
}
