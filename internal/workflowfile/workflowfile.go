// Package workflowfile reads the names, matrix legs and directories of jobs and steps from GitHub Actions workflow
// files. If only GitHub can evaluate an expression, the facts that depend on it are unknown. They are never guessed.
// The package may import internal/yamlfile.
package workflowfile

import (
	"regexp"
	"strings"

	"github.com/blq-ci/blq/internal/yamlfile"
)

// File is a workflow file of GitHub Actions.
type File struct {
	dir  yamlfile.Value // default directory of steps in all jobs
	jobs []yamlfile.Member
}

// Read reads the text of a workflow file. It returns an error if the text is not valid YAML, or is larger than
// yamlfile allows. A file without jobs is no error.
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
	Uses string // the called workflow, "" for a job with steps
	// Leg has the matrix values as JSON, "" for a job without a matrix. It is valid only if LegKnown is set.
	Leg         string
	LegKnown    bool
	InContainer bool

	dir   yamlfile.Value
	steps []yamlfile.Value
	leg   leg
}

// These limit the work on untrusted files.
const (
	maxLooked  = 20_000 // legs of all jobs of a file
	maxPattern = 4 << 10
)

// Job returns the job that GitHub shows under a name, such as "test (1.26, linux)". The second result is false if no
// job or several jobs may have that name. If several legs of a matrix may have that name, the leg is unknown.
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
	// Dir is the working directory that the file sets, "" for the workspace. It is valid only if DirKnown is set.
	Dir      string
	DirKnown bool
}

// Steps returns the steps of a job by the positions of their names in GitHub's list. It leaves out steps that the
// runner adds, such as "Set up job". The second result is false if the list does not have all steps of the file in
// order.
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

// isRunners reports whether a step may be a step that the runner adds.
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

// expression matches a GitHub expression.
var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// fits reports whether a text with expressions may result in a name. Matrix expressions are replaced by their values.
// Other expressions may result in any text. A text of more than maxPattern bytes does not fit.
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

// evaluate replaces the matrix expressions in a text by their values, and the workspace by ".". The second result is
// false if the value of an expression is unknown.
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
