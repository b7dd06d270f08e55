//go:build unix

package action_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	released = "v0.0.0-test"
	archive  = "blq-job_0.0.0-test_linux_amd64.tar.gz"
	whole    = "blq_0.0.0-test_linux_amd64.tar.gz"              // with the MCP server
	standIn  = "#!/bin/sh\necho blq version " + released + "\n" // the part of blq that install.sh needs
)

// install is a release of the Action, a server with its archives, and a runner.
type install struct {
	*testing.T
	dir   string
	mu    sync.Mutex
	paths []string // paths requested from the server
	env   []string
}

// newInstall returns a release with the checksum of the parameter packed. The server sends the parameter sent as the
// archive, or status 404 if the parameter is nil.
func newInstall(t *testing.T, packed, sent []byte) *install {
	x := &install{T: t, dir: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		x.paths = append(x.paths, r.URL.Path)
		x.mu.Unlock()
		if sent == nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(sent)
	}))
	t.Cleanup(server.Close)
	x.write("action/install.sh", read(t, "install.sh"))
	x.write("action/bare/blq", read(t, "bare/blq"))
	x.write("action/bare/bash/blq", read(t, "bare/bash/blq"))
	x.write("action/SHA256SUMS", fmt.Sprintf("%[1]x  %[2]s\n%[1]x  %[3]s\n", sha256.Sum256(packed), archive, whole))
	x.write("action/release.env", "BLQ_VERSION="+released+"\nBLQ_IMAGE=\nBLQ_DOWNLOAD="+server.URL+"\n")
	x.write("temp/empty", "")
	x.env = []string{"RUNNER_TEMP=" + x.dir + "/temp", "GITHUB_OUTPUT=" + x.dir + "/output",
		"GITHUB_PATH=" + x.dir + "/path", "INSTALL_ON_PATH=true", "INSTALL_MCP=false"}
	return x
}

// asked returns the paths that were requested from the server.
func (x *install) asked() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.paths)
}

func (x *install) write(name, text string) {
	x.Helper()
	path := filepath.Join(x.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		x.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		x.Fatal(err)
	}
}

// run runs install.sh. It returns the script's output, and the path of the program that steps use.
func (x *install) run(env ...string) (said, program string) {
	x.Helper()
	os.Remove(x.dir + "/output")
	said, code := sh(x.T, append(x.env, env...), filepath.Join(x.dir, "action/install.sh"))
	if code != 0 {
		x.Errorf("exit code %d: %s", code, said)
	}
	text, _ := os.ReadFile(x.dir + "/output")
	outputs, found := strings.CutPrefix(string(text), "shell=bash\n")
	if !found {
		x.Errorf("outputs without the shell: %s", text)
	}
	return said, strings.TrimSuffix(strings.TrimPrefix(outputs, "path="), "\n")
}

// packed returns the archive of a program.
func packed(t *testing.T, program string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "blq", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(program))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestInstallTakesTheArchiveOnce(t *testing.T) {
	good := packed(t, standIn)
	x := newInstall(t, good, good)
	want := x.dir + "/temp/blq/bin/" + released + "/blq"
	for range 2 {
		if said, program := x.run(); said != "" || program != want {
			t.Errorf("steps use %q, not %s: %s", program, want, said)
		}
	}
	if len(x.asked()) != 1 || x.asked()[0] != "/"+released+"/"+archive {
		t.Errorf("asked for %v", x.asked())
	}
	if got := read(t, x.dir+"/path"); !strings.HasSuffix(got, filepath.Dir(want)+"\n") {
		t.Errorf("on PATH: %s", got)
	}
	if _, program := x.run("RUNNER_TEMP="+x.dir+"/other",
		"PATH="+filepath.Dir(want)+":"+os.Getenv("PATH")); program != want || len(x.asked()) != 1 {
		t.Errorf("steps use %s, not the program on PATH", program)
	}
}

// Agents in a job need the MCP server, which other jobs do not download.
func TestInstallTakesTheServerForAgents(t *testing.T) {
	const program = "#!/bin/sh\n[ \"$*\" = --version ]%s || exit 1\necho blq version " + released + "\n"
	good := packed(t, fmt.Sprintf(program, " || [ \"$*\" = 'mcp tools' ]"))
	x := newInstall(t, good, good)
	path := x.dir + "/temp/blq/bin/" + released + "/blq"
	x.write("temp/blq/bin/"+released+"/blq", fmt.Sprintf(program, ""))
	if _, program := x.run(); program != path || len(x.asked()) != 0 {
		t.Errorf("steps use %q, asked for %v", program, x.asked())
	}
	for range 2 {
		if said, program := x.run("INSTALL_MCP=true"); said != "" || program != path {
			t.Errorf("agents use %q: %s", program, said)
		}
	}
	if len(x.asked()) != 1 || x.asked()[0] != "/"+released+"/"+whole {
		t.Errorf("asked for %v", x.asked())
	}
}

// If install.sh cannot install the release, it prints one warning. It puts a stand-in for blq on PATH, which runs steps
// that have blq as their shell.
func TestInstallRefusesWhatIsNotTheRelease(t *testing.T) {
	good := packed(t, standIn)
	other := packed(t, "#!/bin/sh\necho blq version v9.9.9\n")
	for _, tt := range []struct {
		name         string
		packed, sent []byte
		env, want    string
	}{
		{"another archive", good, other, "", archive + " has another checksum than the release"},
		{"half of it", good, good[:len(good)/2], "", archive + " has another checksum than the release"},
		{"no archive", good, nil, "", archive + " cannot be downloaded"},
		{"another version", other, other, "", "the one of " + released + " does not run here"},
		{"another system", good, good, "RUNNER_OS=macOS", "there is no release of blq " + released + " for this runner"},
		{"no room", good, good, "RUNNER_TEMP=/dev/null", "it cannot be written to /dev/null/blq/bin/" + released},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newInstall(t, tt.packed, tt.sent)
			said, program := x.run(tt.env)
			warning := "::warning title=blq::blq is not there: " + tt.want + "; steps run as they are, and nothing is recorded\n"
			if program != "" || !strings.HasSuffix(said, warning) || strings.Count(said, "::warning") != 1 {
				t.Errorf("steps use %q; it said %s", program, said)
			}
			if got := read(t, x.dir+"/path"); got != x.dir+"/action/bare/bash\n" {
				t.Errorf("on PATH: %s", got)
			}
		})
	}
}

// Variables that an earlier step sets must not choose the program that gets the tokens.
func TestNoVariableNamesTheProgram(t *testing.T) {
	good := packed(t, standIn)
	x := newInstall(t, good, good)
	x.write("other", "#!/bin/sh\necho another program\n")
	other := x.dir + "/other"
	env := []string{"BLQ_BINARY=" + other, "BLQ_BIN=" + other, "BLQ_REPORT_BINARY=" + other, "BLQ_IMAGE=" + other,
		"BLQ_DOWNLOAD=file:///nowhere", "BLQ_VERSION=v9"}
	if said, program := x.run(env...); !strings.HasPrefix(program, x.dir+"/temp/blq/bin/"+released) ||
		strings.Contains(said, "another") {
		t.Errorf("steps use %q: %s", program, said)
	}
	x.write("action/comment.sh", read(t, "comment.sh"))
	x.write("action/report/action.yml", "  image: docker://blq-job:test\n")
	x.write("docker/docker", "#!/bin/sh\necho \"tokens:$BLQ_INPUT_GITHUB_TOKEN$BLQ_INPUT_TOKEN\" >>"+x.dir+"/docker.log\n"+
		"case $1 in create) echo id ;; cp) printf '#!/bin/sh\\necho reports $BLQ_INPUT_GITHUB_TOKEN "+
		"$BLQ_INPUT_TOKEN\\n' >\"$3\"; chmod +x \"$3\" ;; esac\n")
	env = append(append(env, x.env...), "BLQ_INPUT_GITHUB_TOKEN=gh", "BLQ_INPUT_TOKEN=ours",
		"PATH="+x.dir+"/docker:"+os.Getenv("PATH"))
	if said, code := sh(t, env, x.dir+"/action/comment.sh"); code != 0 || said != "reports gh ours\n" {
		t.Errorf("the comment ended with %d: %s", code, said)
	}
	if got := read(t, x.dir+"/docker.log"); strings.Contains(got, "gh") || strings.Contains(got, "ours") {
		t.Errorf("docker sees tokens: %s", got)
	}
}

// A script replaces docker. It copies a program from the image, copies a program that does not run here, or fails
// because there is no engine.
func TestInstallTakesTheImageElseTheArchive(t *testing.T) {
	good := packed(t, standIn)
	for _, tt := range []struct {
		name, docker string
		downloads    int
	}{
		{"image", `case $1 in create) [ "$2" = image@sha256:1 ] && echo id ;; cp) [ "$3" = id:/usr/local/bin/blq ] && printf '#!/bin/sh\necho blq version ` + released + `\n' >"$4" ;; esac`, 0},
		{"image of another machine", `case $1 in create) echo id ;; cp) echo >"$4" ;; esac`, 1},
		{"no engine", `echo "Cannot connect to the Docker daemon" >&2; exit 1`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newInstall(t, good, good)
			x.write("action/release.env", read(t, x.dir+"/action/release.env")+"BLQ_IMAGE=image@sha256:1\n")
			x.write("bin/docker", "#!/bin/sh\n"+tt.docker+"\n")
			said, program := x.run("PATH=" + x.dir + "/bin:" + os.Getenv("PATH"))
			if said != "" || program != x.dir+"/temp/blq/bin/"+released+"/blq" || len(x.asked()) != tt.downloads {
				t.Errorf("steps use %q, after %d downloads: %s", program, len(x.asked()), said)
			}
		})
	}
}
