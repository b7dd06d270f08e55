package backend

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// Job is a command that is ready to run.
type Job struct {
	record.Spec
	Registered *project.Command // nil for a command that is not registered
}

// Captures reports whether the job's output is stored and parsed.
func (j Job) Captures() bool { return j.Registered == nil || j.Registered.Captures() }

// Seconds returns the default timeout of the job in seconds. It returns 0 for a command that is not registered.
func (j Job) Seconds() float64 {
	if j.Registered == nil {
		return 0
	}
	return float64(seconds(j.Registered))
}

func seconds(c *project.Command) int {
	if c.Timeout == 0 {
		return project.DefaultTimeout
	}
	return c.Timeout
}

// ReadConfig returns the settings and commands of the project for a directory. It does not open the store.
func ReadConfig(from string, getenv func(string) string) (*project.Config, error) {
	return project.ReadConfig(filepath.Join(project.Place(from, getenv), project.ConfigName))
}

// Find returns a registered command. Errors: not_found, with a similar name as a hint if there is one.
func Find(config *project.Config, name string) (*project.Command, error) {
	cmd, err := config.Command(name)
	if err == nil {
		return cmd, nil
	}
	if like := nearest.Word(name, config.Names()); like != "" {
		return nil,
			store.Next(err, store.NewCall("run", "registered are "+strings.Join(config.Names(), ", "), "command", like))
	}
	return nil, err
}

// Registered returns the job for a registered command. The command runs in the project's directory. Errors: invalid
// when a parameter or the format is wrong.
func Registered(cmd *project.Command, values map[string]string, extra []string, root string) (Job, error) {
	inv, err := cmd.Invocation(values, extra)
	if err != nil {
		return Job{}, err
	}
	job := Job{Spec: record.Spec{Source: cmd.Name, Command: inv, Dir: root}, Registered: cmd}
	job.Defined = len(values)+len(extra) == 0
	if cmd.Format != "auto" {
		job.Format = cmd.Format
	}
	_, err = formats.Select(job.Format)
	return job, err
}

// Shell returns the job for a shell command. The shell gets the arguments as parameters, never as code. No shell is
// needed for a single word, except a builtin or a reserved word. No shell is needed for a command that begins with the
// words of a registered command either. In both cases, Shell returns the same job as Words. A nil config means no
// registered commands. Errors: invalid when the command is empty, and the errors of Registered.
func Shell(config *project.Config, script string, args []string, root string) (Job, error) {
	script = strings.TrimSpace(script)
	words, simple := shellword.Split(script)
	switch {
	case script == "":
		return Job{}, nothing()
	case simple && (len(words) == 1 && !isOfShell(words[0]) || matches(config, append(words, args...))):
		return Words(config, append(words, args...), root)
	}
	return Job{Spec: record.Spec{Command: project.Shell(script, args)}}, nil
}

// isOfShell reports whether a word is a reserved word of the shell, or a builtin that may not exist as a program.
func isOfShell(word string) bool {
	switch word {
	case "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function",
		"{", "}", "!", "[[", ":", ".", "alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit", "export",
		"fg", "getopts", "hash", "jobs", "local", "read", "readonly", "return", "set", "shift", "source", "times", "trap",
		"type", "ulimit", "umask", "unalias", "unset", "wait":
		return true
	}
	return false
}

// Words returns the job for a program with arguments. If the words begin like a registered command, Words returns the
// job for that command. A nil config means no registered commands. Errors: invalid when there is no word or the first
// word is blank, and the errors of Registered.
func Words(config *project.Config, words []string, root string) (Job, error) {
	if len(words) == 0 || strings.TrimSpace(words[0]) == "" {
		return Job{}, nothing()
	}
	if config != nil {
		if cmd, extra := config.Match(words); cmd != nil {
			return Registered(cmd, nil, extra, root)
		}
	}
	return Job{Spec: record.Spec{Command: project.Plain(words)}}, nil
}

// Plain returns the job for a program with arguments. The program runs unchanged. root is the project's directory. If
// dir is root and the words are a registered command, the job has the source and the format of that command. Errors:
// invalid when there is no word, or when the first word is blank.
func Plain(config *project.Config, words []string, dir, root string) (Job, error) {
	job, err := Words(nil, words, root)
	if err != nil || config == nil || dir != root {
		return job, err
	}
	if cmd, extra := config.Match(words); cmd != nil && len(extra) == 0 {
		job.Source, job.Defined = cmd.Name, true
		if cmd.Format != "auto" {
			job.Format = cmd.Format
		}
	}
	return job, nil
}

func nothing() error {
	return store.Next(store.Errorf(store.Invalid, "nothing to run"), store.NewCall("exec", "", "command", "make -j8"))
}

func matches(config *project.Config, words []string) bool {
	if config == nil {
		return false
	}
	cmd, _ := config.Match(words)
	return cmd != nil
}

// Timeout returns the max duration of a command; 0 means no limit. It uses asked if it is not 0, or else the variable
// BLQ_TIMEOUT, or else fallback. All three are in seconds. Errors: invalid when a value is negative or no number.
func Timeout(getenv func(string) string, asked, fallback float64) (time.Duration, error) {
	s, env := asked, getenv("BLQ_TIMEOUT")
	switch {
	case asked < 0 || math.IsNaN(asked):
		return 0, store.Errorf(store.Invalid, "the timeout is %v, it must not be negative", asked)
	case asked == 0 && env != "":
		n, err := strconv.ParseFloat(env, 64)
		if err != nil || n < 0 || math.IsNaN(n) {
			name := "BLQ_TIMEOUT"
			if getenv("LQ_TIMEOUT") == env { // the server with lq's tools uses this variable instead
				name = "LQ_TIMEOUT"
			}
			return 0, store.Next(store.Errorf(store.Invalid, "%s is %q, not a number of seconds", name, env),
				store.Shell{Line: "export " + name + "=300"})
		}
		s = n
	case asked == 0:
		s = fallback
	}
	const longest = 365 * 24 * time.Hour // a Duration has a max of about 292 years
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second)), nil
}
