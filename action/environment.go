package action

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/ci"
)

// containerVariable is set when the step runs inside blq's image.
const containerVariable = "BLQ_CONTAINER_ACTION"

// ownVariables are set by the action's files alone. A step does not get them.
var ownVariables = []string{"BLQ_BIN", maskKeyVariable, containerVariable}

// hidden returns the names of variables that the step does not get: those that the action's files set,
// and the inputs, among them a token. Whatever the user set stays. direct is set when a step of the
// action runs, and not a script of the user's own step.
func (j *Job) hidden(direct bool) []string {
	list := slices.Clone(ownVariables)
	if !direct {
		return list
	}
	list = append(list, ci.MatrixVariable, ci.CheckRunVariable, ci.StepVariable)
	container := j.Getenv(containerVariable) != ""
	for _, name := range inputNames {
		theirs := "INPUT_" + strings.ToUpper(name)
		// Other runners than GitHub's give such variables to the steps of a composite action, too.
		if v := j.Getenv(theirs); container || v != "" && v == j.Getenv(inputVariable(name)) {
			list = append(list, theirs)
		}
		list = append(list, inputVariable(name))
	}
	return list
}

// inputNames are all inputs of the action.
var inputNames = append(slices.Clone(names), "matrix", "check-run-id", "step-id")

// noteJob keeps the facts of the job that only the workflow knows, for all that later steps run. They have no secrets.
func (j *Job) noteJob(s jobFolder) error {
	facts := map[string]string{}
	file := s.path(ci.JobFile)
	old, err := os.ReadFile(file)
	if err == nil {
		_ = json.Unmarshal(old, &facts) // it may be another's file
	}
	for _, name := range []string{ci.MatrixVariable, ci.CheckRunVariable} {
		if v := j.Getenv(name); v != "" {
			facts[name] = v
		}
	}
	for name, v := range facts {
		facts[name] = j.Redactor.String(v)
	}
	if len(facts) == 0 {
		return nil
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	if bytes.Equal(old, text) {
		return nil
	}
	part := file + "." + rand.Text() // steps may run at the same time
	if err := os.WriteFile(part, text, 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}
