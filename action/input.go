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
	"github.com/blq-ci/blq/store"
)

// Inputs are what the user asks of a step.
type Inputs struct {
	Run   string // the script
	Name  string // source of the run, "" to take it from the script
	Shell string // as GitHub's shell:, "" for its default
	Dir   string // working directory, "" for the current one

	Format   string
	Reports  []string // globs of files that tools write: JUnit, SARIF, …
	Matchers []string // files of problem matchers

	Server string
	Token  string // of the server, for jobs without OIDC
	Upload string // always, on-failure, never
	Wait   time.Duration

	Annotations bool
	Summary     bool
	FailOn      string // never, errors, new-errors
	Redact      []string
	Timeout     time.Duration // 0 for none
}

// names are the inputs that are kept by action/setup for later steps.
var names = []string{
	"run", "name", "shell", "working-directory", "format", "reports", "problem-matchers", "server", "token", "upload",
	"wait", "comment", "annotations", "summary", "fail-on", "redact", "timeout",
}

// inputPrefix begins the variables that action.yml passes inputs in: composite
// actions get no INPUT_ variables.
const inputPrefix = "BLQ_INPUT_"

func inputVariable(name string) string {
	return inputPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// InputVariables are the variables that inputs come in. The step itself is not
// to see them.
func InputVariables() []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = inputVariable(n)
	}
	return list
}

// Lookup finds the text of an input, "" for none.
type Lookup func(name string) string

// FromAction looks inputs up where the runner put them: in the variables that a
// composite action sets, else in those of a container action.
func (j *Job) FromAction() Lookup {
	mapped := slices.ContainsFunc(InputVariables(), func(v string) bool { return j.Getenv(v) != "" })
	input := githubactions.New(githubactions.WithGetenv(func(name string) string {
		if mapped {
			return j.Getenv(inputVariable(strings.TrimPrefix(name, "INPUT_")))
		}
		return j.Getenv(name)
	}))
	return input.GetInput
}

// FromSetup looks inputs up as action/setup was told them, when it was used.
func (j *Job) FromSetup() Lookup {
	settings := map[string]string{}
	if state, err := j.State(); err == nil {
		if text, err := os.ReadFile(state.path(settingsFile)); err == nil && json.Unmarshal(text, &settings) != nil {
			settings = nil
		}
	}
	return func(name string) string { return settings[name] }
}

const settingsFile = "settings.json"

// Setup keeps inputs for the steps to come, and says with which environment
// they find what was recorded.
func (j *Job) Setup(look Lookup) error {
	state, err := j.State()
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
	if err := os.WriteFile(state.path(settingsFile), text, 0o600); err != nil {
		return err
	}
	for _, name := range []string{"BLQ_MATRIX", "BLQ_CHECK_RUN_ID"} {
		if err := j.fileCommand("GITHUB_ENV", name, j.Getenv(name)); err != nil {
			return err
		}
	}
	return j.fileCommand("GITHUB_ENV", "BLQ_DIR", state.Store())
}

// ReadInputs reads the inputs. What makes no sense is replaced by its default,
// and each such mistake is told in a line: the step runs all the same.
func (j *Job) ReadInputs(look Lookup) (Inputs, []string) {
	r := reader{look: look}
	in := Inputs{
		Run: look("run"), Name: cmp.Or(look("name"), j.Getenv(nameVariable)), Shell: look("shell"), Dir: look("working-directory"),
		Format: look("format"), Reports: lines(look("reports")), Matchers: lines(look("problem-matchers")),
		Server: cmp.Or(look("server"), j.Getenv(serverVariable)), Token: cmp.Or(look("token"), j.Getenv(tokenVariable)),
		Upload: r.oneOf("upload", "always", "on-failure", "never"),
		Wait:   r.seconds("wait", 10*time.Second), Timeout: r.seconds("timeout", 0),
		Annotations: r.flag("annotations"), Summary: r.flag("summary"),
		FailOn: r.oneOf("fail-on", "never", "errors", "new-errors"), Redact: lines(look("redact")),
	}
	in.Name = sourceName(in.Name)
	if r.oneOf("comment", "false", "true") == "true" && in.Server == "" {
		r.complain("comment", "it takes the input server; without one, let a job with action/report read the artifacts")
	}
	if _, err := formats.Select(in.Format); err != nil {
		r.complain("format", "%v; all formats are tried", err)
		in.Format = ""
	}
	return in, r.wrong
}

// sourceName makes the name of a source of what was given, "" of nothing.
func sourceName(given string) string {
	if given == "" || store.IsSourceName(given) && given != "latest" {
		return given
	}
	return store.SourceName(strings.Join(strings.Fields(given), "-"))
}

// reader reads inputs and gathers what is wrong with them.
type reader struct {
	look  Lookup
	wrong []string
}

func (r *reader) complain(name, format string, args ...any) {
	r.wrong = append(r.wrong, "input "+name+": "+fmt.Sprintf(format, args...))
}

// oneOf reads a word; the first of the choices is the default.
func (r *reader) oneOf(name string, choices ...string) string {
	v := strings.ToLower(r.look(name))
	if v == "" || slices.Contains(choices, v) {
		return cmp.Or(v, choices[0])
	}
	r.complain(name, "%q is none of %s; it is %s", v, strings.Join(choices, ", "), choices[0])
	return choices[0]
}

// flag reads true or false; the default is true.
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

// seconds reads a duration: a number of seconds, or 90s, 10m, 1h30m.
func (r *reader) seconds(name string, fallback time.Duration) time.Duration {
	v := r.look(name)
	if v == "" {
		return fallback
	}
	d, err := time.ParseDuration(v)
	if n, bad := strconv.ParseFloat(v, 64); bad == nil && n < 1e9 {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d < 0 {
		r.complain(name, "%q is no duration such as 600, 90s or 10m; there is none", v)
		return fallback
	}
	return d
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
