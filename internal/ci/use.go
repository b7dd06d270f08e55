package ci

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxUses is the max number of steps of a job that may have the same ID.
const maxUses = 1000

// Use returns the ID of the current step of a GitHub Actions job, with a number if an earlier step had the same ID. The
// steps of two uses of a composite action have the same ID. Each step has its own file for outputs. So if
// the path of this file is the same, the command was repeated within one step. Use stores the paths in RUNNER_TEMP.
func Use(getenv func(string) string) string {
	id, outputs, temp := Step(getenv), getenv("GITHUB_OUTPUT"), getenv("RUNNER_TEMP")
	dir := filepath.Join(temp, "blq", "steps")
	if id == "" || outputs == "" || temp == "" || os.MkdirAll(dir, 0o755) != nil {
		return id
	}
	mine, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return id
	}
	defer os.Remove(mine.Name())
	_, err = mine.WriteString(outputs)
	if closed := mine.Close(); err != nil || closed != nil {
		return id
	}
	job := strings.Join([]string{getenv("GITHUB_RUN_ID"), getenv("GITHUB_RUN_ATTEMPT"), getenv("GITHUB_JOB"), id}, "\x00")
	for n := 1; n <= maxUses; n++ {
		file := filepath.Join(dir, fmt.Sprintf("%x-%d", sha256.Sum256([]byte(job)), n))
		_ = os.Link(mine.Name(), file) // this fails if a step has the number
		known, err := os.ReadFile(file)
		switch {
		case err != nil:
			return id
		case string(known) != outputs:
			continue
		case n > 1:
			return fmt.Sprintf("%s#%d", id, n)
		}
		break
	}
	return id
}
