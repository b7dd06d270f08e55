// Package report reports all jobs of a workflow run together: in a comment on the pull request, in the job's
// summary and in outputs. It asks the server, or reads runs from the jobs' artifacts. Artifacts may come from a
// fork. So the package does not use their statements about the repository, commit and workflow run. The package may
// import action/comment, internal/github, and whatever package action may import.
package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/action/comment"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// Inputs are the inputs of the action.
type Inputs struct {
	Server    string
	Token     string // token for the server, for jobs without OIDC
	GitHub    string // token for GitHub's API
	Artifacts string // folder with runs; "" downloads the artifacts of the workflow run
	Comment   string // when to write the comment: true, always or false
	Summary   bool
	Docs      bool   // whether to name documentation next to errors
	FailOn    string // when to fail the job: never, errors or new-errors
	// Needs maps the ID of a job in "needs:" to the result of that job. Needs is nil if the input is not set.
	Needs map[string]string
	// JobStatus is the status of the reporting job so far: success, failure or cancelled.
	JobStatus  string
	CheckRunID string // ID of the reporting job's check run, "" if unknown
	// unreadNeeds is true if the input for Needs was set but could not be read.
	unreadNeeds bool
	Wait        time.Duration // max time for requests to GitHub and the server
}

// These are values of the input comment.
const (
	commentOnFailure = "true"   // comment only if something has failed
	commentAlways    = "always" // comment even if everything passed
	commentNever     = "false"
)

// These are the values of the input fail-on.
const (
	failOnNever  = "never"
	failOnErrors = "errors"
	failOnNew    = "new-errors"
)

const (
	// patience is the default value of the input wait.
	patience = time.Minute
	// settling is longer than a write to the comment usually takes. After this time, the writes that other jobs began
	// earlier should be finished.
	settling = 1500 * time.Millisecond
)

// ReadInputs reads the inputs. The second result has a message for each invalid input. An invalid input gets its
// default value, except fail-on: an invalid fail-on counts as "errors".
func ReadInputs(look action.Lookup, getenv func(string) string) (Inputs, []string) {
	var wrong []string
	word := func(name, otherwise string, choices ...string) string {
		v, err := action.Choice(look(name), otherwise, choices...)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("input %s: %v", name, err))
		}
		return v
	}
	oneOf := func(name string, choices ...string) string { return word(name, choices[0], choices...) }
	wait, err := action.Seconds(cmp.Or(look("wait"), patience.String()))
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("input wait: %v; using %s", err, patience))
		wait = patience
	}
	needs, err := readNeeds(look("needs"))
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("input needs: %v", err))
	}
	return Inputs{
		Needs: needs, unreadNeeds: err != nil, Wait: wait,
		JobStatus: look("job-status"), CheckRunID: cmp.Or(look("check-run-id"), getenv(ci.CheckRunVariable)),
		Server: cmp.Or(look("server"), getenv("BLQ_SERVER")), Token: cmp.Or(look("token"), getenv("BLQ_TOKEN")),
		GitHub: cmp.Or(look("github-token"), getenv("GITHUB_TOKEN")), Artifacts: look("artifacts"),
		Comment: oneOf("comment", commentOnFailure, commentAlways, commentNever),
		Summary: oneOf("summary", "true", "false") == "true",
		Docs:    oneOf("docs", "true", "false") == "true",
		FailOn:  word("fail-on", failOnErrors, failOnNever, failOnErrors, failOnNew), // other values mean errors
	}, wrong
}

// readNeeds reads the JSON of the workflow context "needs". It returns the result of each job in this context.
func readNeeds(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	var needs map[string]struct {
		Result string `json:"result"`
	}
	if err := json.Unmarshal([]byte(text), &needs); err != nil {
		return nil, store.Errorf(store.Invalid, "it is not ${{ toJSON(needs) }}")
	}
	results := map[string]string{}
	for name, n := range needs {
		results[name] = n.Result
	}
	return results, nil
}

// reporter is the state of one report.
type reporter struct {
	*action.Job
	in      Inputs
	subject subject
	asked   time.Time       // time at which the server or GitHub was asked for the runs
	local   context.Context // context for work without the network; the input wait does not bound it
	github  *github.Client  // client for GitHub's API, nil without a token
	wrong   []string        // problems, reported at the end
	// seen holds the IDs of the workflow runs that the report covers. failed holds the IDs of those whose jobs failed,
	// were cancelled or could not be read.
	seen, failed []int64
}

// Run writes the report and returns the exit code of the job's step. The code is 1 if the input fail-on requires a
// failure. Otherwise it is 0, even if the report failed.
func Run(ctx context.Context, j *action.Job, in Inputs, wrong []string) int {
	j.Recall()
	r := &reporter{Job: j, in: in, wrong: wrong, local: ctx}
	ctx, cancel := context.WithTimeout(ctx, in.Wait)
	defer cancel()
	code, err := r.run(ctx)
	if err != nil {
		r.missed("nothing is reported", err)
		r.SetOutput("status", statusUnknown)
		code = r.blind()
	}
	r.Warn(r.wrong)
	return code
}

func (r *reporter) run(ctx context.Context) (int, error) {
	var err error
	if r.subject, err = readSubject(r.Getenv); err != nil {
		return 0, err
	}
	r.reachGitHub()
	if err := r.findCommit(ctx); err != nil {
		return 0, err
	}
	if err := r.findPull(ctx); err != nil {
		r.missed("no comment", err)
	}
	answer, topic, err := r.gather(ctx)
	if err != nil {
		return 0, err
	}
	// A report of another workflow run may have found failed jobs in the meantime.
	for try := 1; r.comment(ctx, answer, topic) == comment.Incomplete && try <= maxOthers; try++ {
		if answer, topic, err = r.gather(ctx); err != nil {
			return 0, err
		}
	}
	r.Say("%s", answer.Headline)
	if r.in.Summary {
		if err := r.AddSummary(answer.Markdown); err != nil {
			r.missed("no summary", err)
		}
	}
	r.output(answer)
	return r.gate(answer), nil
}

// missed records a problem and its next step, to report them at the end.
func (r *reporter) missed(what string, err error) {
	line := what + ": " + err.Error()
	if hint := cmdline.Of(store.NextOf(err)); hint != "" {
		line += " (" + hint + ")"
	}
	r.wrong = append(r.wrong, line)
}

// comment updates the comment on the pull request. It returns "" if there is no pull request, if comments are turned
// off, or after an error. Otherwise it returns the outcome.
func (r *reporter) comment(ctx context.Context, answer markdown.Pull, topic string) comment.Outcome {
	s := r.subject
	switch {
	case r.in.Comment == commentNever || s.comments == 0:
		return ""
	case r.github == nil:
		r.missed("no comment", store.Errorf(store.Unauthorized, "the input github-token is empty"))
		return ""
	}
	n := comment.Note{
		Repo: s.repo, PR: s.comments, Topic: topic, Commit: s.commit,
		Body:   fitting(r.Redactor.String(answer.Markdown), r.Redactor.String(answer.Headline)),
		Quiet:  r.in.Comment != commentAlways && answer.Counts.Failed+answer.Counts.Contracts == 0 && answer.Passed,
		Order:  comment.Order{Seen: answer.Seen, At: r.asked},
		Settle: func(ctx context.Context) error { return pause(ctx, settling) },
	}
	if topic != "" {
		n.Order.Run, n.Order.Attempt = s.run, s.attempt
	} else if n.Seen = r.seen; answer.Counts.Jobs > 0 || answer.Partial {
		n.Failed = r.failed
	}
	outcome, url, err := comment.Keep(ctx, r.github, n)
	if err != nil {
		r.missed("no comment", err)
		return ""
	}
	if outcome != comment.Incomplete {
		r.SetOutput("comment-url", url)
		r.Say("comment on pull request %d: %s %s", s.comments, outcome, url)
	}
	return outcome
}

// fitting returns a report that fits into a comment. Removing secrets may make a report longer, because a replacement
// may be longer than the secret. If the report is too long, fitting returns only the headline. A comment without
// details is better than the old comment of an earlier commit.
func fitting(report, headline string) string {
	if utf8.RuneCountInString(report) <= comment.MaxBody {
		return report
	}
	return "### " + headline + "\n\nThe report is too long for a comment.\n"
}

// part returns a context that ends after the fraction 1/parts of the remaining time of ctx. If ctx has no deadline, the
// returned context has none either. The caller must call the returned function.
func part(ctx context.Context, parts time.Duration) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/parts)
}

// pause waits for a duration. If the deadline of ctx is earlier, pause returns an error at once.
func pause(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	return wait.For(ctx, d)
}

// statusUnknown is the output status if some runs are unknown.
const statusUnknown = "unknown"

func (r *reporter) output(answer markdown.Pull) {
	status, c := "failed", answer.Counts
	switch {
	case answer.Passed && c.Open == 0:
		status = "passed"
	case c.Failed+c.Steps+c.Jobs > 0:
	case c.Running+c.Open > 0:
		status = "running"
	default:
		status = statusUnknown
	}
	r.SetOutput("status", status)
	r.SetOutput("failed", fmt.Sprint(c.Failed))
	r.SetOutput("new-errors", fmt.Sprint(c.New))
}

// gate returns the exit code for the input fail-on. Errors of steps that passed count, too, as for the input fail-on
// of a step.
func (r *reporter) gate(answer markdown.Pull) int {
	c := answer.Counts
	switch {
	case r.in.FailOn == failOnErrors && (!answer.Passed || c.Reported > 0):
	case r.in.FailOn == failOnNew && (answer.MayBeNew() || c.ReportedNew > 0):
	default:
		return 0
	}
	r.Say("failed, as fail-on: %s asks for", r.in.FailOn)
	return 1
}

// blind returns the exit code if no runs are known. The job fails unless the input fail-on is never, because the
// unknown runs may have failed.
func (r *reporter) blind() int {
	if r.in.FailOn == failOnNever {
		return 0
	}
	r.Say("failed: fail-on: %s cannot be answered", r.in.FailOn)
	return 1
}
