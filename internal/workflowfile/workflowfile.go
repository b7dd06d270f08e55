// Package workflowfile reads workflow files of GitHub Actions, as far as they say what a job and its steps are: which
// job has a name, the leg of its matrix, and where its steps run. What depends on expressions that only GitHub can
// evaluate is not known, and never guessed. It may import internal/yamlfile.
package workflowfile

import (
	"regexp"
	"strings"

	"github.com/blq-ci/blq/internal/yamlfile"
)

// File is a workflow file.
type File struct {
	dir  yamlfile.Value // where steps run, of all jobs
	jobs []yamlfile.Member
}

// Read reads a workflow file. The error says why it cannot be read.
func Read(text []byte) (*File, error) {
	v, err := yamlfile.Parse(text)
	if err != nil {
		return nil, err
	}
	return &File{dir: directory(v), jobs: v.Get("jobs").Members()}, nil
}

func directory(v yamlfile.Value) yamlfile.Value {
	return v.Get("defaults").Get("run").Get("working-directory")
}

// Job is a job of a workflow file.
type Job struct {
	ID   string
	Uses string // the workflow that it calls, "" for a job with steps
	// Leg has the values of the matrix as JSON, "" for a job without one. It is valid if LegKnown is set.
	Leg         string
	LegKnown    bool
	InContainer bool

	dir   yamlfile.Value
	steps []yamlfile.Value
	leg   leg
}

// These bound what strangers make us do.
const (
	maxLooked  = 20_000 // legs of all jobs of a file
	maxPattern = 4 << 10
)

// Job returns the job with a name, as GitHub shows it: "test (1.26, linux)". It reports false unless only one job may
// have that name. Several legs of a matrix may have it; then the leg is not known.
func (f *File) Job(name string) (Job, bool) {
	var found []Job
	looked := 0
	for _, m := range f.jobs {
		legs, static := legsOf(m.Get("strategy").Get("matrix"))
		if looked += len(legs); looked > maxLooked {
			return Job{}, false
		}
		job := Job{ID: m.Key, Uses: m.Get("uses").Text(), InContainer: !m.Get("container").IsZero(), LegKnown: static,
			steps: m.Get("steps").List(), dir: f.dir}
		if own := directory(m.Value); !own.IsZero() {
			job.dir = own
		}
		n := 0
		for _, l := range legs {
			if l.names(m.Get("name").Text(), m.Key, name, static) {
				n++
				job.leg, job.Leg = l, l.json()
			}
		}
		if n > 1 || n > 0 && !static {
			job.LegKnown, job.leg, job.Leg = false, nil, ""
		}
		if n > 0 {
			found = append(found, job)
		}
	}
	if len(found) != 1 {
		return Job{}, false
	}
	return found[0], true
}

// Step is a step of a job.
type Step struct {
	ID string // "" for none
	// Dir is the working directory, as the file has it; "" for the workspace. It is valid if DirKnown is set.
	Dir      string
	DirKnown bool
}

// Steps returns the steps of a job by the positions of their names in the list that GitHub shows. A step that the
// runner adds, such as "Set up job", is not in the result. Steps reports false unless the names have all steps of the
// file, in their order.
func (j Job) Steps(names []string) (map[int]Step, bool) {
	of := map[int]Step{}
	next := 0
	for i, name := range names {
		switch {
		case next < len(j.steps) && j.isNamed(j.steps[next], name):
			of[i] = j.step(j.steps[next])
			next++
		case !isRunners(name):
			return nil, false
		}
	}
	return of, next == len(j.steps)
}

// isRunners reports whether the runner may have added a step.
func isRunners(name string) bool {
	switch name {
	case "Set up job", "Complete job", "Initialize containers", "Stop containers", "Set up runner", "Complete runner":
		return true
	}
	return strings.HasPrefix(name, "Post ") || strings.HasPrefix(name, "Pre ") || strings.HasPrefix(name, "Build ") ||
		strings.HasPrefix(name, "Pull ")
}

// isNamed reports whether GitHub may show a step under a name.
func (j Job) isNamed(s yamlfile.Value, name string) bool {
	text := s.Get("name").Text()
	if text == "" {
		text = s.Get("uses").Text()
		if text == "" {
			text, _, _ = strings.Cut(strings.TrimSpace(s.Get("run").Text()), "\n")
		}
		text = "Run " + text
	}
	return j.leg.fits(text, name)
}

func (j Job) step(s yamlfile.Value) Step {
	dir := s.Get("working-directory")
	if dir.IsZero() {
		dir = j.dir
	}
	text, known := j.leg.evaluate(dir.Text())
	return Step{s.Get("id").Text(), text, known}
}

// expression matches an expression of GitHub's.
var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// fits reports whether a text with expressions may become a name. Other expressions than values of the matrix may
// become anything. Texts that are longer than names are do not fit.
func (l leg) fits(text, name string) bool {
	if len(text) > maxPattern {
		return false
	}
	var b strings.Builder
	b.WriteString(`^`)
	at := 0
	for _, m := range expression.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]))
		if value, known := l.value(text[m[2]:m[3]]); len(value) > len(name) {
			return false
		} else if known {
			b.WriteString(regexp.QuoteMeta(value))
		} else {
			b.WriteString(`.*`)
		}
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(strings.TrimRight(text[at:], " \t\r")) + `\s*$`)
	if b.Len() > 4*maxPattern {
		return false
	}
	return regexp.MustCompile(`(?s)` + b.String()).MatchString(name)
}

// evaluate returns a text with the values of the matrix, and whether it has no other expression. The workspace is where
// relative names begin.
func (l leg) evaluate(text string) (string, bool) {
	all := true
	text = expression.ReplaceAllStringFunc(text, func(part string) string {
		name := expression.FindStringSubmatch(part)[1]
		if name == "github.workspace" {
			return "."
		}
		value, known := l.value(name)
		all = all && known
		return value
	})
	return text, all
}
