//go:build e2e

package actions

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// happened is the outcome of a workflow.
type happened struct {
	code    int
	log     string // of all jobs, each line after the name of its job and step
	summary string // of all jobs
	took    time.Duration
}

func (w *world) run(args []string) happened {
	w.Helper()
	cmd := exec.Command(tool("act"), args...)
	cmd.Dir = w.dir
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "BLQ_") && !strings.HasPrefix(name, "GITHUB_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(stubs(w.T), "bin")+":"+os.Getenv("PATH"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	_ = cmd.Run() // the caller looks at the exit code
	h := happened{code: cmd.ProcessState.ExitCode(), took: time.Since(began)}
	var log strings.Builder
	for line := range strings.Lines(out.String()) {
		log.WriteString(h.add(line))
	}
	h.log = log.String()
	w.Cleanup(func() {
		if w.Failed() || os.Getenv("BLQ_E2E_SHOW") != "" {
			w.Logf("act %s ended with %d in %v:\n%s\n--- summary\n%s", args[0], h.code, h.took, shown(h.log), shown(h.summary))
		}
	})
	return h
}

// shown returns a text in the form that a failed test prints.
func shown(text string) string {
	const maxShown = 100_000
	if len(text) <= maxShown {
		return text
	}
	return text[:maxShown/2] + "\n…\n" + text[len(text)-maxShown/2:]
}

// add returns the message in a line of act's output, after its job and step. If the line has a summary, add adds it.
func (h *happened) add(line string) string {
	var m struct {
		Msg, Job, Step, Command, Content string
	}
	if json.Unmarshal([]byte(line), &m) != nil {
		return line
	}
	// act repeats the summary of an action's last step.
	if m.Command == "summary" && !strings.Contains(h.summary, m.Content) {
		h.summary += m.Content
	}
	return strings.TrimSpace(m.Job) + " · " + m.Step + " | " + strings.TrimRight(m.Msg, "\n") + "\n"
}
