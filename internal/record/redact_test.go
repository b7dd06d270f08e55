package record

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

const secret = "s3cr3t-V@lue/1"

func TestSecretsAreNotStored(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", secret)
	w := newProject(t)
	spec := sh(w, `echo "a.c:1:1: error: bad $DEPLOY_TOKEN"; echo $1; printf %s "${DEPLOY_TOKEN%???}"; printf %s "${DEPLOY_TOKEN#???????????}"; exit 1`,
		base64.StdEncoding.EncodeToString([]byte("user:"+secret)), secret)
	spec.Command.Text = "deploy --token " + secret
	rec, err := Command(context.Background(), w, spec)
	check(t, err)
	check(t, rec.Err)
	log := logOf(t, w, rec.Run, store.StreamCombined)
	if log != "a.c:1:1: error: bad ***\ndXNlcjp***\n***" || rec.Run.Command != "deploy --token ***" {
		t.Errorf("the log is %q, the command %q", log, rec.Run.Command)
	}
	if diff := cmp.Diff([]string{"1 a.c:1 bad ***"}, eventsOf(t, w, rec.Run)); diff != "" {
		t.Error(diff)
	}
	if raw, err := w.Unredacted(); err != nil || len(raw) > 0 {
		t.Errorf("noted as not redacted: %v, %v", raw, err)
	}
}

func TestSecretsOfSplitStreamsAreMaskedInBoth(t *testing.T) {
	w := newProject(t)
	spec := sh(w, `echo "::add-mask::foo bar baz"; echo "foo bar baz"`)
	spec.Split = true
	rec, err := Command(context.Background(), w, spec)
	check(t, err)
	check(t, rec.Err)
	if log := logOf(t, w, rec.Run, store.StreamStdout); log != "::add-mask::***\n***\n" {
		t.Errorf("the log is %q", log)
	}
}

func TestWhoKeepsSecrets(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", secret)
	for _, tt := range []struct {
		name          string
		raw, off, own bool
		want          string
	}{
		{"by default nobody", false, false, false, "***"},
		{"who asks for it", true, false, true, secret},
		{"the configuration", false, true, false, secret},
		{"not where a redactor is given", false, true, true, "***"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newProject(t)
			w.Config.Redact.Off = tt.off
			spec := Spec{Source: "ci", Dir: w.Root(), Raw: tt.raw}
			if tt.own {
				spec.Redactor = redact.New(redact.Options{Values: []string{secret}})
			}
			run, err := Log(context.Background(), w, spec, strings.NewReader("x "+secret+"\n"), nil)
			check(t, err)
			if log := logOf(t, w, run, store.StreamCombined); log != "x "+tt.want+"\n" {
				t.Errorf("the log is %q", log)
			}
			raw, err := w.Unredacted()
			if err != nil || raw[run.Attempt] != (tt.want == secret) {
				t.Errorf("noted as not redacted: %v, %v", raw, err)
			}
		})
	}
}

// Secrets are also removed from the CI system's facts about the job.
func TestFactsHoldNoSecrets(t *testing.T) {
	run := store.Run{Command: "a " + secret, Cwd: "/x/" + secret, Git: store.Git{Branch: secret},
		CI: &store.CI{HeadRef: secret, Matrix: `{"k":"` + secret + `"}`, URL: "https://h/?t=" + secret}}
	ci := run.CI
	Hide(redact.New(redact.Options{Values: []string{secret}}), &run)
	if text := fmt.Sprintf("%+v %+v", run, *run.CI); strings.Contains(text, secret) || strings.Count(text, "***") != 6 {
		t.Errorf("it is %s", text)
	}
	if ci.HeadRef != secret {
		t.Error("the caller's facts were changed")
	}
}

// If the name of a run contains a secret, the run is recorded under a name without it.
func TestNamesHoldNoSecrets(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", "hunter2secret")
	spec := sh(newProject(t), "true")
	spec.Source = "test-hunter2secret"
	rec, err := Command(context.Background(), newProject(t), spec)
	check(t, err)
	check(t, rec.Err)
	if rec.Run.Source != "test-redacted" {
		t.Errorf("its source is %q", rec.Run.Source)
	}
}

func TestSecretsLeaveNoTraceOnDisk(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", secret)
	w := newProject(t)
	rec, err := Command(context.Background(), w, sh(w, `for i in 1 2 3; do echo "x.c:$i:1: error: $DEPLOY_TOKEN"; done`))
	check(t, err)
	check(t, rec.Err)
	check(t, grep(w.Dir, secret))
}

// grep returns an error that names the first file below dir that contains text.
func grep(dir, text string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			if err := grep(name, text); err != nil {
				return err
			}
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), text) {
			return fmt.Errorf("%s holds %q", name, text)
		}
	}
	return err
}

// Events are stored late, so they never contain a value that is masked after it was printed.
func TestWhatIsMaskedLateIsOutOfEvents(t *testing.T) {
	w := newProject(t)
	rec, err := Command(
		context.Background(), w, sh(w, `echo "a.c:1:1: error: bad plain-word here"; echo "::add-mask::plain-word"; exit 1`))
	check(t, err)
	check(t, rec.Err)
	if diff := cmp.Diff([]string{"1 a.c:1 bad *** here"}, eventsOf(t, w, rec.Run)); diff != "" {
		t.Error(diff)
	}
}

// Control characters may split a secret in the log. The secret is removed from the log and the events all the same.
func TestSplitSecretsAreNotStored(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", "correcthorse")
	for _, splitter := range []string{`\033[1m`, `\033]0;t\007`, `\000`, `\015`, `\b`, `\342\200\213`,
		`\n`, `\r\n#12 3.4 `, `\377`} {
		w := newProject(t)
		spec := sh(w, `printf 'a.c:1:1: error: bad correct`+splitter+`horse here\n'; exit 1`)
		spec.Command.Text = "curl -u bob:hunter https://h"
		rec, err := Command(context.Background(), w, spec)
		check(t, err)
		check(t, rec.Err)
		log := logOf(t, w, rec.Run, store.StreamCombined)
		text := fmt.Sprint(log, eventsOf(t, w, rec.Run), rec.Run.Command)
		if strings.Contains(text, "correct") || strings.Contains(text, "horse") || strings.Contains(text, "hunter") ||
			!strings.Contains(text, "bad ***") {
			t.Errorf("%q: it stores %q", splitter, text)
		}
	}
}

// A branch has the same name as in runs. A tag with a secret is left out.
func TestNamesOfCommitsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{Values: []string{"s3cret-of-env"}})
	for _, tt := range []struct{ branch, tag, wantBranch, wantTag string }{
		{"main", "v1", "main", "v1"}, {"x/s3cret-of-env", "v-s3cret-of-env", "x/***", ""},
	} {
		s := store.Snapshot{Branch: tt.branch, Tag: tt.tag}
		if HideSnapshot(r, &s); s.Branch != tt.wantBranch || s.Tag != tt.wantTag {
			t.Errorf("%q, %q became %q, %q", tt.branch, tt.tag, s.Branch, s.Tag)
		}
	}
}
