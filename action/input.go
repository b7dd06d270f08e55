package action

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-githubactions"

	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/jobmasks"
	"github.com/blq-ci/blq/store"
)

// Inputs are the inputs of a step.
type Inputs struct {
	Run   string // the script
	Name  string // source of the run; "" means a name made from the script
	Shell string // shell as in shell: of a step; "" means GitHub's default
	Dir   string // working directory, "" for the current one

	Format   string
	Reports  []string // globs of report files in formats such as JUnit and SARIF
	Matchers []string // names of problem matcher files

	Server string
	Token  string // token for the server, for jobs without OIDC
	Upload string // when to upload artifacts: always, on-failure or never
	Wait   time.Duration

	Annotations bool
	Summary     bool
	FailOn      string // when to fail a step that passed: never, errors or new-errors
	Facts       factsWanted
	Checks      bool // check rules and documents of the repository
	Redact      []string
	Timeout     time.Duration // max time of the step, 0 for no limit
}

// names holds the names of the inputs that action/setup stores for later steps.
var names = []string{
	"run", "name", "shell", "working-directory", "format", "reports", "problem-matchers", "server", "token", "upload",
	"wait", "comment", "annotations", "summary", "fail-on", "facts", "checks", "redact", "timeout",
}

// These are values of the input fail-on. A further value is "never".
const (
	failOnErrors = "errors"
	failOnNew    = "new-errors"
)

// inputPrefix is the prefix of the variables with which action.yml passes inputs. Composite actions have no INPUT_
// variables.
const inputPrefix = "BLQ_INPUT_"

func inputVariable(name string) string {
	return inputPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// inputVariables returns the names of the variables that hold inputs.
func inputVariables() []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = inputVariable(n)
	}
	return list
}

// Lookup returns the text of an input, or "" if the input is not set.
type Lookup func(name string) string

// FromAction returns a lookup of the action's inputs. It reads the variables that a composite action sets. In a
// container action, it reads the runner's own variables.
func (j *Job) FromAction() Lookup {
	mapped := slices.ContainsFunc(inputVariables(), func(v string) bool { return j.Getenv(v) != "" })
	getenv := func(name string) string {
		if mapped {
			return j.Getenv(inputVariable(strings.TrimPrefix(name, "INPUT_")))
		}
		return j.Getenv(name)
	}
	input := githubactions.New(githubactions.WithGetenv(getenv))
	return func(name string) string {
		if name == "run" {
			return getenv("INPUT_RUN") // keep the spaces around the script, because its lines are counted
		}
		return input.GetInput(name)
	}
}

// FromSetup returns a lookup of the inputs of action/setup, if the job uses it.
func (j *Job) FromSetup() Lookup {
	settings := map[string]string{}
	if state, err := j.folder(); err == nil {
		text, err := os.ReadFile(state.path(settingsFile))
		if err == nil && json.Unmarshal(jobmasks.Unsealed(j.maskKey(false), text), &settings) != nil {
			settings = nil
		}
	}
	return func(name string) string { return settings[name] }
}

const settingsFile = "settings.json"

// Setup stores inputs for later steps. It also sets BLQ_DIR, so that later steps find the job's store.
func (j *Job) Setup(look Lookup) error {
	state, err := j.folder()
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, n := range names {
		if v := look(n); v != "" {
			settings[n] = v
		}
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	key := j.maskKey(true)
	if err := os.WriteFile(state.path(settingsFile), jobmasks.Sealed(key, text), 0o600); err != nil {
		return err
	}
	j.keepMaskKey()
	j.Redactor = j.remember(state, Inputs{Redact: lines(look("redact")), Token: look("token")}, key)
	if err := j.noteJob(state); err != nil {
		return err
	}
	return j.fileCommand("GITHUB_ENV", "BLQ_DIR", state.store())
}

// ReadInputs reads the inputs. The second result has a message for each invalid input. An invalid input gets its
// default value, with two exceptions: an invalid fail-on counts as "errors", and invalid words of facts are left out.
// The step still runs. ReadInputs does not check the shell.
func (j *Job) ReadInputs(look Lookup) (Inputs, []string) {
	r := reader{look: look}
	in := Inputs{
		Run: look("run"), Name: cmp.Or(look("name"), j.Getenv(nameVariable)), Shell: look("shell"),
		Dir:    look("working-directory"),
		Format: look("format"), Reports: lines(look("reports")), Matchers: lines(look("problem-matchers")),
		Server: cmp.Or(look("server"), j.Getenv(serverVariable)), Token: cmp.Or(look("token"), j.Getenv(tokenVariable)),
		Upload: r.oneOf("upload", "always", "on-failure", "never"),
		Wait:   r.seconds("wait", 10*time.Second), Timeout: r.seconds("timeout", 0),
		Annotations: r.flag("annotations"), Summary: r.flag("summary"),
		// A mistyped value counts as "errors".
		FailOn: r.word("fail-on", failOnErrors, "never", failOnErrors, failOnNew), Facts: r.facts(), Checks: r.checks(),
		Redact: lines(look("redact")),
	}
	in.Name = store.NameSource(in.Name)
	if r.oneOf("comment", "false", "true") == "true" && in.Server == "" {
		r.complain("comment", "it takes the input server; without one, let a job with action/report read the artifacts")
	}
	if _, err := formats.Select(in.Format); err != nil {
		r.complain("format", "%v; all formats are tried", err)
		in.Format = ""
	}
	return in, r.wrong
}

// reader reads inputs and collects messages about invalid inputs.
type reader struct {
	look  Lookup
	wrong []string
}

func (r *reader) complain(name, format string, args ...any) {
	r.wrong = append(r.wrong, "input "+name+": "+fmt.Sprintf(format, args...))
}

// oneOf reads an input that must be one of the choices. The first choice is the default.
func (r *reader) oneOf(name string, choices ...string) string {
	return r.word(name, choices[0], choices...)
}

// word reads an input that must be one of the choices, as in Choice. If the value is invalid, word adds a message to
// r.wrong.
func (r *reader) word(name, otherwise string, choices ...string) string {
	v, err := Choice(r.look(name), otherwise, choices...)
	if err != nil {
		r.complain(name, "%v", err)
	}
	return v
}

// flag reads true or false. The default is true.
func (r *reader) flag(name string) bool {
	switch v := strings.ToLower(r.look(name)); v {
	case "", "true", "yes", "on", "1":
	case "false", "no", "off", "0":
		return false
	default:
		r.complain(name, "%q is neither true nor false; it is true", v)
	}
	return true
}

// seconds reads a duration: a number of seconds, or a text such as 90s, 10m or 1h30m. It returns fallback if the input
// is missing or invalid.
func (r *reader) seconds(name string, fallback time.Duration) time.Duration {
	v := r.look(name)
	if v == "" {
		return fallback
	}
	d, err := Seconds(v)
	if err != nil {
		r.complain(name, "%v; it is not set", err)
		return fallback
	}
	return d
}

// Choice returns the value of an input in lower case. The value must be one of the choices. If the input is empty,
// Choice returns the first choice. For any other value, it returns the parameter otherwise and an Invalid error.
func Choice(value, otherwise string, choices ...string) (string, error) {
	v := strings.ToLower(value)
	if v == "" || slices.Contains(choices, v) {
		return cmp.Or(v, choices[0]), nil
	}
	return otherwise, store.Errorf(store.Invalid, "%q is not one of %s; using %s", v, strings.Join(choices, ", "),
		otherwise)
}

// Seconds returns the duration in an input: a number of seconds, or a text such as 90s or 10m. The error is Invalid if
// the text is not a duration.
func Seconds(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if n, bad := strconv.ParseFloat(v, 64); bad == nil && n < 1e9 {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d < 0 {
		return 0, store.Errorf(store.Invalid, "%q is not a duration such as 600, 90s or 10m", v)
	}
	return d, nil
}

// lines returns the lines of an input that holds several values.
func lines(s string) []string {
	var list []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
