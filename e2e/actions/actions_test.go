//go:build e2e

// Package actions runs whole workflows in nektos/act: the Action as it is
// published, a real blqd, an issuer of OIDC tokens, and a GitHub that is held
// to GitHub's own description. script/e2e.sh builds what it needs.
package actions

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The programs that script/e2e.sh builds, and where they are.
var (
	tools = os.Getenv("BLQ_E2E_TOOLS") // folder with act, blq and blqd
	top   = filepath.Join("..", "..")
)

// version is what the script built blq as.
const version = "v0.0.0-e2e"

func TestMain(m *testing.M) {
	if tools == "" {
		fmt.Fprintln(os.Stderr, "these tests are run by script/e2e.sh")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func tool(name string) string { return filepath.Join(tools, name) }

// published is a folder with the Action as a release has it: pinned to an
// archive by its checksum. Reports run on the host where hosted is true: act
// shows containers no files of a job that has none.
func published(t *testing.T, hosted bool) string {
	t.Helper()
	dir := t.TempDir()
	check(t, os.CopyFS(filepath.Join(dir, "action"), os.DirFS(filepath.Join(top, "action"))))
	check(t, os.WriteFile(filepath.Join(dir, "action.yml"), read(t, filepath.Join(top, "action.yml")), 0o644))
	for _, script := range []string{"action/install.sh", "action/run.sh", "action/bare/blq"} {
		check(t, os.Chmod(filepath.Join(dir, script), 0o755))
	}
	name := fmt.Sprintf("blq_%s_linux_%s.tar.gz", strings.TrimPrefix(version, "v"), runtime.GOARCH)
	archive := filepath.Join(dir, "releases", version, name)
	pack(t, archive, tool("blq"))
	sum := sha256.Sum256(read(t, archive))
	check(t, os.WriteFile(filepath.Join(dir, "action/SHA256SUMS"), fmt.Appendf(nil, "%x  %s\n", sum, name), 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "action/release.env"), fmt.Appendf(nil, "BLQ_VERSION=%s\nBLQ_IMAGE=\nBLQ_DOWNLOAD=file://%s/releases\n", version, dir), 0o644))
	if hosted {
		file := filepath.Join(dir, "action/report/action.yml")
		head, _, _ := strings.Cut(string(read(t, file)), "\nruns:")
		check(t, os.WriteFile(file, []byte(head+hostedReport), 0o644))
	}
	return dir
}

// hostedReport runs the report's program without its image.
const hostedReport = `
runs:
  using: composite
  steps:
    - shell: bash
      run: exec "$BLQ_E2E_TOOLS/blq" action report
      env:
        BLQ_INPUT_SERVER: ${{ inputs.server }}
        BLQ_INPUT_TOKEN: ${{ inputs.token }}
        BLQ_INPUT_GITHUB_TOKEN: ${{ inputs.github-token }}
        BLQ_INPUT_ARTIFACTS: ${{ inputs.artifacts }}
        BLQ_INPUT_COMMENT: ${{ inputs.comment }}
        BLQ_INPUT_SUMMARY: ${{ inputs.summary }}
        BLQ_INPUT_FAIL_ON: ${{ inputs.fail-on }}
`

// pack writes an archive of a release.
func pack(t *testing.T, archive, program string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(archive), 0o755))
	f, err := os.Create(archive)
	check(t, err)
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	check(t, err)
	w := tar.NewWriter(z)
	in, err := os.Open(program)
	check(t, err)
	defer in.Close()
	info, err := in.Stat()
	check(t, err)
	check(t, w.WriteHeader(&tar.Header{Name: "blq", Mode: 0o755, Size: info.Size(), Typeflag: tar.TypeReg}))
	_, err = io.Copy(w, in)
	check(t, err)
	for _, c := range []io.Closer{w, z} {
		check(t, c.Close())
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	return text
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
