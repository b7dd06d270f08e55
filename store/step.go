package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Step is the identity of a step. Runs are compared only if their steps match (see Compares). A run that passed proves
// nothing about other steps.
type Step struct {
	Repo   string
	Source string
	Shape  string
	Leg    string
	// Workflow and Job are names in the CI system, or "" outside CI. Two jobs with the same command are two steps.
	Workflow string
	Job      string
}

// Step returns the identity of the run's step. Its workflow and job are "" if the run is not part of a CI job.
func (r Run) Step() Step {
	s := Step{Repo: r.Repo, Source: r.Source, Shape: r.Shape, Leg: r.Leg()}
	if r.CI != nil {
		s.Workflow, s.Job = r.CI.Workflow, r.CI.Job
	}
	return s
}

// Compares reports whether runs of two steps may be compared. The workflows of the steps may differ. The jobs may
// differ only if one of the steps is outside CI. All other fields must be equal.
func (s Step) Compares(other Step) bool {
	same := s.Repo == other.Repo && s.Source == other.Source && s.Shape == other.Shape && s.Leg == other.Leg
	return same && (s.Job == other.Job || s.Job == "" || other.Job == "")
}

// differs returns the difference between two steps as text, for example "command or directory". It returns "" if their
// runs may be compared.
func (s Step) differs(other Step) string {
	switch {
	case s.Compares(other):
		return ""
	case s.Repo != other.Repo:
		return "repository"
	case s.Source != other.Source:
		return "name"
	case s.Leg != other.Leg:
		return "matrix leg"
	case s.Shape != other.Shape:
		return differentCommand
	}
	return "job"
}

// DiffersFrom returns the difference between the steps of two runs as text. It returns "" if the runs may be compared.
func (r Run) DiffersFrom(o Run) string {
	what := r.Step().differs(o.Step())
	if what == differentCommand && r.inJob() && o.inJob() && r.Command == o.Command && r.Cwd == o.Cwd {
		return "place in the job"
	}
	return what
}

// inJob reports whether the run is of a known step of a CI job.
func (r Run) inJob() bool { return r.CI != nil && r.CI.Step != "" }

// differentCommand is the result of differs for steps with different shapes.
const differentCommand = "command or directory"

// Key returns a digest that is different for each step of a source.
func (s Step) Key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Shape, s.Leg, s.Workflow, s.Job}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// newestOfSteps returns the newest run of each step, newest first. If onBranches is true, it returns the newest run of
// each step on each branch. The given runs must be sorted, newest first.
func newestOfSteps[R any](runs []R, onBranches bool, run func(R) Run) []R {
	type place struct {
		Step
		branch string
	}
	seen := map[place]bool{}
	var list []R
	for _, r := range runs {
		at := place{Step: run(r).Step()}
		if onBranches {
			at.branch = run(r).Git.Branch
		}
		if !seen[at] {
			seen[at] = true
			list = append(list, r)
		}
	}
	return list
}

// RunsOfStep returns runs that a filter selects, newest first. It returns only runs that may be compared with the given
// run (see Step.Compares). The result may contain the given run.
func RunsOfStep(ctx context.Context, runs RunReader, sc Scope, of Run, f RunFilter) ([]Run, error) {
	step, leg, limit := of.Step(), of.Leg(), f.Limit
	f.Repo, f.Source, f.Leg, f.Shape = of.Repo, of.Source, &leg, of.Shape
	var list []Run
	for {
		found, err := runs.Runs(ctx, sc, f)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if r.Step().Compares(step) && (limit == 0 || len(list) < limit) {
				list = append(list, r)
			}
		}
		if f.Limit == 0 || len(found) < f.Limit || len(list) == limit {
			return list, nil
		}
		f.Before, f.Limit = found[len(found)-1].Serial, min(f.Limit*4, 1000)
	}
}
