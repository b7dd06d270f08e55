package ingest

import (
	"strings"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// field is a text that a caller has sent, with its max size in bytes.
type field struct {
	name, text string
	max        int
}

// checkStart checks the sizes of the facts of a run.
func checkStart(in api.Start) error {
	fields := []field{
		{"command", in.Command, 256 << 10}, {"cwd", in.Cwd, 4096}, {"hostname", in.Hostname, 255},
		{"platform", in.Platform, 100}, {"arch", in.Arch, 100},
		{"git_commit", in.Commit, 100}, {"git_branch", in.Branch, 1000}, {"git_root", in.GitRoot, 4096},
		{"format", in.Format, 1000}, {"shape", in.Shape, 100},
	}
	if ci := in.CI; ci != nil {
		fields = append(fields, field{"ci.provider", ci.Provider, 100}, field{"ci.repo", ci.Repo, 200},
			field{"ci.workflow", ci.Workflow, 1000}, field{"ci.job", ci.Job, 1000},
			field{"ci.check_run_id", ci.CheckRunID, 100}, field{"ci.job_run", ci.JobRun, 100}, field{"ci.step", ci.Step, 1000},
			field{"ci.run_id", ci.RunID, 500}, field{"ci.matrix", ci.Matrix, 16 << 10},
			field{"ci.event_name", ci.EventName, 100},
			field{"ci.actor", ci.Actor, 500}, field{"ci.head_sha", ci.HeadSHA, 100}, field{"ci.head_ref", ci.HeadRef, 1000},
			field{"ci.base_ref", ci.BaseRef, 1000},
			field{"ci.base_sha", ci.BaseSHA, 100}, field{"ci.url", ci.URL, 2000})
		if err := checkNumbers(number{"ci.pr_number", ci.PR}, number{"ci.run_attempt", ci.RunAttempt}); err != nil {
			return err
		}
	}
	return checkFields(fields...)
}

func checkFields(fields ...field) error {
	for _, f := range fields {
		if len(f.text) > f.max {
			return store.Errorf(store.Invalid, "%s has %d bytes; it may have %d", f.name, len(f.text), f.max)
		}
		if strings.ContainsRune(f.text, 0) {
			return store.Errorf(store.Invalid, "%s has a NUL character", f.name)
		}
	}
	return nil
}

// number is a number that a caller has sent. Errors contain its name.
type number struct {
	name string
	n    int
}

func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		if n.n < 0 || n.n > largest {
			return store.Errorf(store.Invalid, "%s must be from 0 to %d", n.name, largest)
		}
	}
	return nil
}
