package deliveries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Checks decides when the check run of a commit fails.
type Checks string

// These are the choices of an operator. NoChecks creates no check runs. The others say when a check run fails.
const (
	NoChecks        Checks = "off"
	ChecksNever     Checks = "never" // a failure gives a neutral check run
	ChecksOnErrors  Checks = "errors"
	ChecksNewErrors Checks = "new-errors"
)

const checkName = "blq"

// check creates or updates the check run of a commit. GitHub adds the annotations of each request to the existing
// annotations. So the external ID of the check run is a digest of its annotations, and they are sent only once.
func (d *Deliveries) check(ctx context.Context, s *subject, p markdown.Pull) error {
	ofPull := s.pr == 0 && slices.ContainsFunc(s.runs, func(r store.Run) bool { return r.CI != nil && r.CI.PR > 0 })
	if ofPull || len(s.runs) == 0 { // the check run belongs to the report on the pull request
		return nil
	}
	mode := d.Checks
	if mode == NoChecks || mode == "" {
		if !slices.ContainsFunc(s.notes, func(n store.Note) bool { return n.Check }) {
			return nil
		}
		mode = ChecksNever // a note asked for a check run, but the configuration does not let it fail
	}
	c := github.CheckRun{Name: checkName, HeadSHA: s.sha, Status: "completed", Output: github.CheckOutput{
		Title:   fmt.Sprintf("%d failed, %d new, %d fixed", p.Counts.Failed, p.Counts.New, p.Counts.Fixed),
		Summary: p.Markdown}, DetailsURL: s.pageOfRun(p)}
	if p.Counts.Running+p.Counts.Open > 0 {
		c.Status = "in_progress"
	} else {
		c.Conclusion = mode.conclusion(p)
		var err error
		if c.Output.Annotations, err = annotations(ctx, s, p); err != nil {
			return err
		}
		text, err := json.Marshal(c.Output.Annotations)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		c.ExternalID = hex.EncodeToString(sum[:8])
	}
	known, err := s.client.CheckRuns(ctx, s.known.Name, s.sha, checkName, d.App.ID)
	if err != nil {
		return err
	}
	for _, k := range known {
		if k.ExternalID != "" && k.ExternalID != c.ExternalID {
			continue // the check run has other annotations, so a new check run replaces it
		}
		if k.ExternalID != "" {
			c.Output.Annotations = nil
		}
		c.ID = k.ID
		return s.client.UpdateCheck(ctx, s.known.Name, c)
	}
	_, err = s.client.CreateCheck(ctx, s.known.Name, c)
	return err
}

// conclusion returns the conclusion of a check run. All jobs must have ended.
func (c Checks) conclusion(p markdown.Pull) string {
	switch {
	case p.Passed:
		return "success"
	case c == ChecksOnErrors, c == ChecksNewErrors && p.MayBeNew():
		return "failure"
	}
	return "neutral"
}

// annotations returns the errors of the runs in a report as annotations. New errors come first.
func annotations(ctx context.Context, s *subject, p markdown.Pull) ([]github.Annotation, error) {
	var list []github.Annotation
	seen := map[string]bool{}
	for _, on := range []query.FailOn{query.FailOnNewErrors, query.FailOnErrors} {
		for _, r := range p.Runs {
			if r.Errors == 0 {
				continue
			}
			c, err := s.asker.Check(ctx, query.CheckParams{Run: r.RunRef, FailOn: on})
			if err != nil {
				return nil, err
			}
			for _, run := range c.Runs {
				for _, e := range run.Events {
					if !seen[e.RunRef+e.Ref] && e.File != "" && len(list) < github.MaxAnnotations {
						isNew := on == query.FailOnNewErrors && run.Baseline.Kind != store.BaselineNone
						list = append(list, s.annotation(e, isNew))
					}
					seen[e.RunRef+e.Ref] = true
				}
			}
		}
	}
	return list, nil
}

// pageOfRun returns the address of the page of a run: the first run with errors, or else the first run. It returns ""
// if there is no page.
func (s *subject) pageOfRun(p markdown.Pull) string {
	if len(p.Runs) == 0 {
		return ""
	}
	at := max(0, slices.IndexFunc(p.Runs, func(r markdown.PulledRun) bool { return r.Errors > 0 }))
	return s.pageOf(p.Runs[at].RunRef)
}

func (s *subject) annotation(e query.Event, isNew bool) github.Annotation {
	a := github.Annotation{Path: e.File, StartLine: max(1, e.Line), EndLine: max(1, e.Line), Level: "failure",
		Title: e.Tool, Message: e.Message, Details: s.pageOf(e.Ref)}
	if isNew {
		a.Title += " (new)"
	}
	const maxMessage = 4000
	for len(a.Message) > maxMessage || !utf8.ValidString(a.Message) {
		a.Message = a.Message[:min(maxMessage, len(a.Message)-1)]
	}
	return a
}
