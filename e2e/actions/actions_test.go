//go:build e2e

// Package actions runs whole workflows in nektos/act. It uses the published form of the Action, a real blqd, an issuer
// of OIDC tokens, and a fake GitHub that follows GitHub's own API description. script/e2e-actions.sh builds what it
// needs.
package actions

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// tools is the folder with act and the programs of blq. top is the root of the repository.
var (
	tools = os.Getenv("BLQ_E2E_TOOLS")
	top   = filepath.Join("..", "..")
)

// version is the version of blq in the tests.
const version = "v0.0.0-e2e"

func TestMain(m *testing.M) {
	if tools == "" {
		fmt.Fprintln(os.Stderr, "these tests are run by script/e2e.sh")
		os.Exit(1)
	}
	os.Exit(tested(m))
}

func tested(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blq-e2e-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	released = filepath.Join(dir, archiveName)
	if err := pack(released, tool("blq-job")); err != nil {
		panic(err)
	}
	return m.Run()
}

// released is the path of the release's archive.
var released string

var archiveName = fmt.Sprintf("blq-job_%s_linux_%s.tar.gz", strings.TrimPrefix(version, "v"), runtime.GOARCH)

func tool(name string) string { return filepath.Join(tools, name) }

// published returns a folder with the Action in the form of a release, pinned to an archive by its checksum. If hosted
// is set, reports run on the host. In act, a container cannot see the files of a job that runs on the host.
func published(t *testing.T, hosted bool) string {
	t.Helper()
	dir := t.TempDir()
	check(t, os.CopyFS(filepath.Join(dir, "action"), os.DirFS(filepath.Join(top, "action"))))
	check(t, os.WriteFile(filepath.Join(dir, "action.yml"), read(t, filepath.Join(top, "action.yml")), 0o644))
	for _, script := range []string{"install.sh", "run.sh", "comment.sh", "bare/blq", "bare/bash/blq"} {
		check(t, os.Chmod(filepath.Join(dir, "action", script), 0o755))
	}
	releases := filepath.Join(t.TempDir(), "releases")
	check(t, os.MkdirAll(filepath.Join(releases, version), 0o755))
	check(t, os.Symlink(released, filepath.Join(releases, version, archiveName)))
	sum := sha256.Sum256(read(t, released))
	check(t, os.WriteFile(filepath.Join(dir, "action/SHA256SUMS"), fmt.Appendf(nil, "%x  %s\n", sum, archiveName), 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "action/release.env"),
		fmt.Appendf(nil, "BLQ_VERSION=%s\nBLQ_IMAGE=\nBLQ_DOWNLOAD=file://%s\n", version, releases), 0o644))
	for _, name := range []string{"report", "container"} {
		file := filepath.Join(dir, "action", name, "action.yml")
		text := imageName.ReplaceAllString(string(read(t, file)), "docker://$1:e2e")
		if head, _, _ := strings.Cut(text, "\nruns:"); hosted && name == "report" {
			text = head + hostedReport
		}
		check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	if hosted {
		check(t, os.WriteFile(filepath.Join(dir, "action/comment.sh"), []byte(hostedComment), 0o755))
	}
	return dir
}

// hostedComment is a script that runs the program of the report on the host, without its image.
const hostedComment = "#!/bin/sh\n\"$BLQ_E2E_TOOLS/blq-job\" action report\nexit 0\n"

// imageName matches the images of a release. script/e2e-actions.sh builds them with another tag.
var imageName = regexp.MustCompile(`docker://ghcr\.io/blq-ci/(blq-\w+):\w+`)

// hostedReport is the part of the report's action.yml that runs its program. It runs on the host, without its image.
const hostedReport = `
runs:
  using: composite
  steps:
    - shell: bash
      run: exec "$BLQ_E2E_TOOLS/blq-job" action report
      env:
        BLQ_INPUT_SERVER: ${{ inputs.server }}
        BLQ_INPUT_TOKEN: ${{ inputs.token }}
        BLQ_INPUT_GITHUB_TOKEN: ${{ inputs.github-token }}
        BLQ_INPUT_ARTIFACTS: ${{ inputs.artifacts }}
        BLQ_INPUT_COMMENT: ${{ inputs.comment }}
        BLQ_INPUT_SUMMARY: ${{ inputs.summary }}
        BLQ_INPUT_FAIL_ON: ${{ inputs.fail-on }}
        BLQ_INPUT_WAIT: ${{ inputs.wait }}
        BLQ_INPUT_NEEDS: ${{ inputs.needs }}
        BLQ_INPUT_JOB_STATUS: ${{ inputs.job-status }}
`

// pack writes the archive of a release.
func pack(archive, program string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	if err := w.WriteHeader(
		&tar.Header{Name: "blq", Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
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
