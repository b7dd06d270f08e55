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

// happened is what became of it.
type happened struct {
	code    int
	log     string // of all jobs, each line after its job's and step's name
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
	_ = cmd.Run() // its ending is looked at
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

// shown is a text as it is told of a test that failed.
func shown(text string) string {
	const most = 100_000
	if len(text) <= most {
		return text
	}
	return text[:most/2] + "\n…\n" + text[len(text)-most/2:]
}

// add takes a line that act printed, and returns what it says.
func (h *happened) add(line string) string {
	var m struct {
		Msg, Job, Step, Command, Content string
	}
	if json.Unmarshal([]byte(line), &m) != nil {
		return line
	}
	if m.Command == "summary" && !strings.Contains(h.summary, m.Content) { // act repeats that of an action's last step
		h.summary += m.Content
	}
	return strings.TrimSpace(m.Job) + " · " + m.Step + " | " + strings.TrimRight(m.Msg, "\n") + "\n"
}
