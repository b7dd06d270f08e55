package main

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/query"
)

// nextStep gives the next step the variables that earlier steps have set, as the runner does.
func (r *actionsRunner) nextStep() {
	r.Helper()
	text, _ := os.ReadFile(r.env["GITHUB_ENV"])
	for rest := string(text); rest != ""; {
		name, after, _ := strings.Cut(rest, "<<")
		delimiter, after, _ := strings.Cut(after, "\n")
		value, after, ok := strings.Cut(after, "\n"+delimiter+"\n")
		if !ok {
			r.Fatalf("variables are %q", text)
		}
		r.env[name], rest = value, after
	}
}

// left returns all texts that may leave the job, by place: the annotations in notes, the summary, the outputs, and all
// files of blq. It unpacks compressed logs.
func (r *actionsRunner) left(notes string) map[string]string {
	r.Helper()
	places := map[string]string{"notes": notes}
	for name, file := range map[string]string{"summary": "GITHUB_STEP_SUMMARY", "outputs": "GITHUB_OUTPUT"} {
		text, _ := os.ReadFile(r.env[file])
		places[name] = string(text)
	}
	d, err := zstd.NewReader(nil)
	check(r.T, err)
	defer d.Close()
	check(
		r.T, filepath.WalkDir(filepath.Join(r.env["RUNNER_TEMP"], "blq"), func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if plain, bad := d.DecodeAll(text, nil); filepath.Ext(path) == ".zst" && bad == nil {
				text = plain
			}
			places[path] = string(text)
			return err
		}))
	return places
}

// hides fails the test for each place that contains one of the secrets.
func (r *actionsRunner) hides(places map[string]string, secrets ...string) {
	r.Helper()
	for place, text := range places {
		for _, s := range secrets {
			if len(s) < 4 && strings.Contains(place, "/masks/values-") {
				continue // an encrypted file has any few bytes by chance
			}
			if i := strings.Index(text, s); i >= 0 {
				r.Errorf("%s shows %s: %q", place, s, text[max(0, i-60):min(len(text), i+60)])
			}
		}
	}
}

func TestMasksLastAsLongAsTheJob(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.env["SMTP_PASS"] = "hunter"
	_, notes, _ := r.step(map[string]string{
		"run":  "true\n" + `echo "::add-mask::plain words"; echo "::add-mask::q~"; env | grep -c BLQ_MASK; true`,
		"name": "one", "redact": "named-value"})
	if strings.Count(notes, "::add-mask::") != 1 {
		t.Errorf("the key is not masked: %s", notes)
	}
	delete(r.env, "SMTP_PASS")
	r.nextStep()
	key := r.env["BLQ_MASK_KEY"]
	if len(key) != 64 {
		t.Fatalf("the key is %q", key)
	}
	out, notes, _ := r.step(map[string]string{"run": "true\n" +
		`echo "a.c:1:1: error: plain words, hunter, named-value, q~"; env | grep -c BLQ_MASK; exit 1`, "name": "two"})
	if out != "a.c:1:1: error: plain words, hunter, named-value, q~\n0\n" {
		t.Errorf("the step printed %q", out)
	}
	if !strings.Contains(notes, "::***, ***, ***, ***\n") {
		t.Errorf("the annotation is %s", notes)
	}
	r.hides(r.left(notes), "plain words", "hunter", "named-value", "q~", key)
	files, _ := filepath.Glob(filepath.Join(r.env["RUNNER_TEMP"], "blq/masks/values-*"))
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if len(files) == 0 {
		t.Error("nothing was kept")
	}
	// With another key, or with a text that is not a key, a step runs as usual.
	for _, other := range []string{strings.Repeat("ab", 32), "nonsense"} {
		r.env["BLQ_MASK_KEY"] = other
		if out, notes, state := r.step(map[string]string{"run": "echo hi", "name": "three"}); out != "hi\n" ||
			!state.Success() {
			t.Errorf("with the key %s: %q, %s", other, out, notes)
		}
	}
}

// A step prints a value and then masks it. Nothing that leaves the job after the step contains the value.
func TestWhatIsMaskedLateLeavesNoJob(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	_, notes, _ := r.step(map[string]string{
		"run": "true\n" + `echo "a.c:1:1: error: plain words here"; yes 'a line of the log' | head -c 3000000; echo "::add-mask::plain words"; exit 1`, "name": "late"})
	places := r.left(notes)
	r.hides(places, "plain words")
	if !strings.Contains(notes, "::*** here\n") || !strings.Contains(places["summary"], "here") {
		t.Errorf("the step is not told of: %s", notes)
	}
}

// A value that a later step masks is also removed from the artifacts of earlier steps, because artifacts are uploaded
// at the end of the job.
func TestWhatALaterStepMasksIsOutOfArtifacts(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.step(map[string]string{"run": "true\n" + `echo "a.c:1:1: error: plain words here"; exit 1`, "name": "one"})
	r.nextStep()
	_, notes, _ := r.step(map[string]string{"run": "true\n" + `echo "::add-mask::plain words"`, "name": "two"})
	read := 0
	for place, text := range r.left(notes) {
		if !strings.Contains(place, "/artifacts/") {
			continue
		}
		read++
		r.hides(map[string]string{place: text}, "plain words")
	}
	if read != 8 {
		t.Errorf("there are %d files", read)
	}
	pages, _ := filepath.Glob(filepath.Join(r.env["RUNNER_TEMP"], "blq/artifacts/*/report.html"))
	here := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		check(t, err)
		here += strings.Count(string(text), "*********** here")
	}
	if len(pages) != 2 || here == 0 {
		t.Errorf("the page of the error is not among %q", pages)
	}
}

// A value that a later step masks is also removed from the runs of earlier steps in the job's store, because the user
// may keep the store.
func TestWhatALaterStepMasksIsOutOfTheStore(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.step(
		map[string]string{"run": "true\n" + `echo "a.c:1:1: error: plain words here"; echo kept; exit 1`, "name": "one"})
	r.nextStep()
	out, notes, _ := r.step(
		map[string]string{"run": "true\n" + `echo "::add-mask::plain words"; echo done`, "name": "two"})
	if out != "::add-mask::plain words\ndone\n" {
		t.Errorf("the step printed %q", out)
	}
	read := 0
	for place, text := range r.left(notes) {
		if !strings.Contains(place, "/store/") {
			continue
		}
		read++
		r.hides(map[string]string{place: text}, "plain words")
	}
	if read < 3 {
		t.Errorf("there are %d files", read)
	}
	cmd := r.with(blq("", "output", "one", "--raw"))
	cmd.Env = append(cmd.Env, "BLQ_DIR="+filepath.Join(r.env["RUNNER_TEMP"], "blq/store"))
	if got, problem, _ := finished(cmd); got != "a.c:1:1: error: *********** here\nkept\n" {
		t.Errorf("the log is %q: %s", got, problem)
	}
}

// A value that a later step masks is also removed from names of tests, files and scripts. It is removed even if a line
// end splits it.
func TestWhatALaterStepMasksIsInNoName(t *testing.T) {
	t.Parallel()
	const secret = "Zr4kq9WbT7pLx2vN8eQ"
	r := newRunner(t)
	r.file("work/app/app/"+secret+".sh",
		"touch junit.xml; echo '"+secret+".sh:1:1: error: Zr4kq9WbT7\npLx2vN8eQ'; exit 1\n")
	report := r.file("work/app/app/junit.xml", `<testsuite><testcase classname="a" name="ok[`+secret+`]" time="1"/>
		<testcase classname="b" name="bad[`+secret+`]" file="`+secret+`.py"><failure message="no"/></testcase></testsuite>`)
	for range 2 { // the tests of both runs are the same
		r.step(map[string]string{"run": "sh " + secret + ".sh", "reports": report})
		r.nextStep()
	}
	_, notes, _ := r.step(map[string]string{"run": "true\necho '::add-mask::" + secret + "'", "name": "mask"})
	places := r.left(notes)
	delete(places, "summary") // of all three steps; GitHub offers no way to change the first two
	delete(places, "outputs")
	r.env["BLQ_DIR"] = r.path("temp/blq/store")
	for _, q := range [][]string{{"tests"}, {"history"}, {"export", "junit"}, {"export", "ctrf"}, {"errors"},
		{"query", "SELECT source_name FROM runs"}} {
		places[strings.Join(q, " ")], _, _ = finished(r.with(blq("", q...)))
	}
	if !strings.Contains(places["tests"], "bad[***]") {
		t.Errorf("the tests are %s", places["tests"])
	}
	r.hides(places, secret, "Zr4kq9WbT7")
}

// A value that a step prints before masking it is removed from the parts of the run that a service does not have yet.
func TestWhatIsMaskedLateIsNotSent(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	s := newService(t, nil)
	inputs := map[string]string{"run": "echo hi", "name": "first", "server": s.URL, "token": testToken}
	r.step(inputs)
	r.nextStep()
	inputs["run"], inputs["name"], inputs["upload"] = "true\n"+
		`echo "a.c:1:1: error: plain words here"; yes 'a line of the log' | head -c 3000000; echo "::add-mask::plain words"; echo plain words; exit 1`, "late", "on-failure"
	_, notes, _ := r.step(inputs)
	cmd := r.with(blq("", "output", "late", "--raw", "--remote", s.URL))
	cmd.Env = append(cmd.Env, "BLQ_TOKEN="+testToken, "BLQ_REPO=acme/app")
	got, problem, _ := finished(cmd)
	if strings.Contains(got, "plain words") || !strings.Contains(got, "error: *********** here\n") {
		t.Errorf("the service has %.300q: %s %s", got, notes, problem)
	}
}

// The service keeps the names of tests that it received before a value was masked. When blq shows answers of the
// service in the job, it removes the value.
func TestWhatIsMaskedLateIsInNoAnswerOfTheService(t *testing.T) {
	t.Parallel()
	const secret = "Zr4kq9WbT7pLx2vN8eQ"
	r := newRunner(t)
	s := newService(t, nil)
	report := r.file("work/app/app/junit.xml", `<testsuite><testcase classname="b" name="bad[`+secret+`]" file="`+secret+
		`.py"><failure message="no `+secret+`"/></testcase></testsuite>`)
	inputs := map[string]string{"name": "one", "reports": report,
		"run":    "touch junit.xml; echo 'a.c:1:1: error: " + secret + "'; exit 1",
		"server": s.URL, "token": testToken}
	r.step(inputs)
	r.nextStep()
	inputs["run"], inputs["name"], inputs["reports"] = "true\necho '::add-mask::"+secret+"'", "two", ""
	r.step(inputs)
	places := map[string]string{}
	for _, q := range [][]string{{"errors"}, {"tests"}, {"event", "one:1:1"}, {"output", "one"}, {"output", "one", "--raw"},
		{"info", "one"}, {"why", "one:1:2"}, {"export", "junit", "one"}, {"export", "sarif", "one"}, {"ci", "check"}} {
		for _, form := range [][]string{nil, {"--json"}} {
			if form != nil && len(q) == 3 {
				continue
			}
			cmd := r.with(blq("", append(append(q[:len(q):len(q)], form...), "--remote", s.URL)...))
			cmd.Env = append(cmd.Env, "BLQ_TOKEN="+testToken, "BLQ_REPO=acme/app")
			place := strings.Join(append(q, form...), " ")
			out, problem, _ := finished(cmd)
			if places[place] = out + problem; !strings.Contains(out, "***") {
				t.Errorf("%s answers %s", place, places[place])
			}
		}
	}
	r.hides(places, secret)
}

// waysToWrite returns the forms in which a program may print a secret.
func waysToWrite(v string) []string {
	ways := []string{v, "x" + v + "x", `"` + v + `"`, "bob:" + v + "@h", "--token=" + v, "::error::" + v, "::debug::" + v,
		hex.EncodeToString([]byte(v)), fmt.Sprintf("%X", v), url.QueryEscape(v), url.PathEscape(v),
		base32.StdEncoding.EncodeToString([]byte(v))}
	for _, around := range []string{"", "b", "bo", "bob:"} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
			base64.RawURLEncoding} {
			ways = append(ways, e.EncodeToString([]byte(around+v)), e.EncodeToString([]byte(around+v+" and more")),
				e.EncodeToString([]byte(e.EncodeToString([]byte(around+v)))))
		}
	}
	for _, format := range []string{"%%%02x", "%%%02X", `\x%02x`, `\u%04x`, `\U%08x`, `\u{%x}`, `\%03o`, "&#%d;", "&#x%x;",
		"=%02X", "%02x ", "%02x:", "%02X-", "0x%02x, ", "%d, ", "%d ", "%08b ", "%%25%02x", `\\u%04x`, "%c\x00", "\x00%c"} {
		var b strings.Builder
		for i := range len(v) {
			fmt.Fprintf(&b, format, v[i])
		}
		ways = append(ways, b.String())
	}
	for _, splitter := range []string{
		"\x1b[0m", "\x1b[1;31m", "\x1b[K", "\x1b[38;5;9m", "\x1b(B", "\x1b7", "\x1b]0;t\a", "\x1b]8;;http://x\x1b\\",
		"\x1bP1\x1b\\", "\x00", "\x01", "\a", "\b", "x\b", "\v", "\f", "\x7f", "\r", "\u0085", "\u00ad", "\u061c",
		"\u180e", "\u200b", "\u200c", "\u200d",
		"\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066", "\u2069", "\ufeff", "\ufff9", "\U000e0041", "\ufe0f",
		"\u0301", "\u3164", "\xff", "\x80", "\xc3", "\n", "\r\n", "\\\n", "=\n", "\n  ", "\n> ", "\n#12 3.456 ",
		"\nweb-1  | ", "\n2026-01-02T03:04:05.6Z ",
	} {
		ways = append(ways, v[:7]+splitter+v[7:])
	}
	return ways
}

// No form of a secret gets into the store, the log, annotations, the summary, outputs or artifacts.
func TestNoWayOfWritingASecretGoesAnywhere(t *testing.T) {
	t.Parallel()
	const v = "s3cr3t-Value/42"
	ways := waysToWrite(v)
	if len(ways) < 113 {
		t.Fatalf("there are %d ways", len(ways))
	}
	for len(ways) > 0 {
		some := ways[:min(9, len(ways))] // as many as there are annotations
		ways = ways[len(some):]
		r := newRunner(t)
		r.env["DEPLOY_TOKEN"] = v
		var log strings.Builder
		for i, way := range some {
			fmt.Fprintf(&log, "a.c:%d:1: error: bad %s value\n", i+1, way)
		}
		r.file("log", log.String())
		_, notes, _ := r.step(map[string]string{"run": "cat " + r.path("log") + "; exit 1", "name": "ways"})
		if strings.Count(notes, "::error ") < 1 {
			t.Errorf("nothing is annotated: %q", notes)
		}
		for place, text := range r.left(notes) {
			for _, way := range some {
				if strings.Contains(text, way) || strings.Contains(query.Clean(text), v) {
					t.Errorf("%s shows %q", place, way)
				}
			}
		}
	}
}

// Files on the disk with facts of the job and inputs of action/setup contain no secrets.
func TestFilesOfTheJobHoldNoSecrets(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.env["BLQ_MATRIX"] = `{"key":"leg-s3cret","os":"linux"}`
	setup := r.with(blq("", "action", "setup"))
	setup.Env = append(setup.Env, "BLQ_INPUT_TOKEN=a-t0ken-of-setup", "BLQ_INPUT_REDACT=leg-s3cret", "BLQ_INPUT_NAME=x1")
	if _, notes, state := finished(setup); !state.Success() {
		t.Fatal(notes)
	}
	r.nextStep()
	script := r.file("_temp/script", "echo '::add-mask::linux'; echo leg-s3cret; exit 1\n")
	_, notes, _ := finished(r.with(blq("", "shell", script)))
	places := r.left(notes)
	r.hides(places, "leg-s3cret", "a-t0ken-of-setup")
	file := filepath.Join(r.env["RUNNER_TEMP"], "blq", "job.json")
	if want := `{"BLQ_MATRIX":"{\"key\":\"***\",\"os\":\"***\"}"}`; places[file] != want {
		t.Errorf("%s is %s", file, places[file])
	}
	if !strings.Contains(notes, "x1:1 FAIL") {
		t.Errorf("the inputs of setup are not known: %s", notes)
	}
}

// Values that a step masks are also masked in later steps if the step overwrites the file GITHUB_ENV.
func TestMasksLastIfAStepOverwritesTheVariables(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.step(map[string]string{"run": `: >"$GITHUB_ENV"; echo "::add-mask::plain words"`, "name": "one"})
	r.nextStep()
	_, notes, _ := r.step(map[string]string{"run": `echo "a.c:1:1: error: plain words"; exit 1`, "name": "two"})
	r.hides(r.left(notes), "plain words")
}
