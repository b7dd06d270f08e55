package action

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/jobmasks"
)

// containerVariable is set if the step runs in a container of blq's image.
const containerVariable = "BLQ_CONTAINER_ACTION"

// ownVariables are set only by the action's own files. blq does not pass them to the command of a step.
var ownVariables = []string{"BLQ_BIN", jobmasks.KeyVariable, containerVariable}

// hidden returns the names of variables that the command of the step does not get. These are the variables of the
// action's own files. If direct is true, they are also the variables of the action's inputs, because an input may be a
// token. direct is true for a step of the action, and false for a script in a step of the user.
func (j *Job) hidden(direct bool) []string {
	list := slices.Clone(ownVariables)
	if !direct {
		return list
	}
	list = append(list, ci.MatrixVariable, ci.CheckRunVariable, ci.StepVariable)
	container := j.Getenv(containerVariable) != ""
	for _, name := range inputNames {
		theirs := "INPUT_" + strings.ToUpper(name)
		// Some runners set variables such as INPUT_NAME for composite actions. GitHub's own runner does not.
		if v := j.Getenv(theirs); container || v != "" && v == j.Getenv(inputVariable(name)) {
			list = append(list, theirs)
		}
		list = append(list, inputVariable(name))
	}
	return list
}

// inputNames holds the names of all inputs of the action.
var inputNames = append(slices.Clone(names), "matrix", "check-run-id", "step-id")

// noteJob stores facts of the job that only the workflow knows, for all later steps. The facts have no secrets.
func (j *Job) noteJob(s jobFolder) error {
	facts := map[string]string{}
	file := s.path(ci.JobFile)
	old, err := os.ReadFile(file)
	if err == nil {
		_ = json.Unmarshal(old, &facts) // after an error, noteJob replaces the file of another program
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
	return replace(file, text)
}

// replace writes a file. Other steps read the old text or the whole new text.
func replace(file string, text []byte) error {
	part := file + "." + rand.Text() // the name is random, because steps may run at the same time
	if err := os.WriteFile(part, text, 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}
