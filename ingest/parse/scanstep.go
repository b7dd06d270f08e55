package parse

import "github.com/blq-ci/blq/store"

// BeginStep settles the step so far and begins another. The step so far, if
// nothing said how it ended, has the outcome that is given.
func (s *Scan) BeginStep(last Outcome) {
	s.closeBlocks()
	s.step.marked = true
	s.settle(last)
}

// EndStep says how the current step ended. What follows belongs to the next.
func (s *Scan) EndStep(o Outcome) {
	s.closeBlocks()
	s.step.outcome, s.step.marked = o, true
	s.settle(o)
}

// EndJob notes that the steps that follow are of another job.
func (s *Scan) EndJob() { s.failed = false }

// JobFailed reports whether a step of this job has failed.
func (s *Scan) JobFailed() bool { return s.failed }

// Hush notes that what follows is not the output of the current step.
func (s *Scan) Hush() { s.step.hushed = true }

// Hushed reports whether Hush was called in the current step.
func (s *Scan) Hushed() bool { return s.step.hushed }

// Recap notes that what the lanes print from now on was printed before, or that
// it is new again. Lines of lanes are passed over until then.
func (s *Scan) Recap(on bool) { s.recap = on }

// NoLastWords notes that the last line of the current step does not explain why
// it failed.
func (s *Scan) NoLastWords() { s.step.noLastWords = true }

// LastWords returns the last line with a word that no format took in the
// current step, and its number, 0 for none.
func (s *Scan) LastWords() (text string, n int) { return string(s.step.said.last().text), s.step.lastN }

// Said returns the newest lines with a word that no format took in the current step, the last one first.
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

// Fail notes that the current step failed, without ending it.
func (s *Scan) Fail() { s.step.outcome = Failed }

func (s *Scan) settle(last Outcome) {
	if s.step.outcome == Unknown {
		s.step.outcome = last
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

// relieve hands out the certain drafts of a step that has too many to wait
// for its end, and of the others keeps the newest.
func (s *Scan) relieve() {
	unsure := s.step.setAsideUnsure(MaxPending / 10)
	s.flush()
	s.step.drafts = unsure
}

// patterned returns an event with its pattern, if somebody wants it.
func (s *Scan) patterned(e store.Event) store.Event {
	if !s.noPatterns {
		e.Pattern = store.Pattern(e)
	}
	return e
}

// flush hands out the drafts of the step so far.
func (s *Scan) flush() {
	for _, e := range s.step.take(s.paths) {
		s.emitted++
		e.ID = s.emitted
		s.emit(s.patterned(e))
	}
}
