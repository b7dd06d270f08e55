package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

func TestPinWritesTheReleaseIntoTheAction(t *testing.T) {
	story, err := txtar.ParseFile("testdata/pin.txtar")
	check(t, err)
	root := t.TempDir()
	want := map[string]string{}
	for _, f := range story.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[name] = string(f.Data)
			continue
		}
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(root, f.Name)), 0o755))
		check(t, os.WriteFile(filepath.Join(root, f.Name), f.Data, 0o644))
	}
	r := release{
		Version: "v1.2.3", Job: "ghcr.io/blq-ci/blq-job@sha256:" + strings.Repeat("1", 64),
		Toolbox: "ghcr.io/blq-ci/blq-toolbox@sha256:" + strings.Repeat("2", 64), Sums: filepath.Join(root, "SUMS"),
	}
	for range 2 { // pinning twice is allowed
		check(t, pin(root, r))
		for name, text := range want {
			got, err := os.ReadFile(filepath.Join(root, name))
			check(t, err)
			if diff := cmp.Diff(text, string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	r.Version = "v1.2.4"
	if err := pin(root, r); err == nil || !strings.Contains(err.Error(), "has no archives of blq-job v1.2.4") {
		t.Errorf("checksums of another version: %v", err)
	}
	r.Version = "1.2.3"
	if err := pin(root, r); err == nil || !strings.Contains(err.Error(), "not a version like v1.2.3") {
		t.Errorf("no version: %v", err)
	}
}

// TestTheActionOfThisTreeCanBePinned checks that no part of the Action uses a name that can move after pinning.
func TestTheActionOfThisTreeCanBePinned(t *testing.T) {
	root := t.TempDir()
	files, err := filepath.Glob("../../action/*/action.yml")
	check(t, err)
	files = append(files, "../../action.yml", "../../action/release.env")
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(t, err)
		to := filepath.Join(root, strings.TrimPrefix(file, "../../"))
		check(t, os.MkdirAll(filepath.Dir(to), 0o755))
		check(t, os.WriteFile(to, text, 0o644))
	}
	sums := filepath.Join(root, "SUMS")
	check(t, os.WriteFile(sums, []byte(strings.Repeat("a", 64)+"  blq-job_1.2.3_linux_amd64.tar.gz\n"), 0o644))
	check(t, pin(root, release{Version: "v1.2.3", Job: "blq-job@sha256:1",
		Toolbox: "blq-toolbox@sha256:2", Sums: sums}))
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(file, "../../")))
		check(t, err)
		all.Write(text)
	}
	for _, want := range []string{"docker://blq-toolbox@sha256:2\n", "docker://blq-job@sha256:1\n",
		"blq-ci/blq/action/finish@v1.2.3\n", "BLQ_IMAGE=blq-job@sha256:1\n"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	for line := range strings.Lines(all.String()) {
		if strings.HasSuffix(line, "@v1\n") || strings.Contains(line, "docker://") && !strings.Contains(line, "@sha256:") {
			t.Errorf("this may move: %s", line)
		}
	}
}

func TestArchivesHoldTheirFilesAndAreTheSameAgain(t *testing.T) {
	dir := t.TempDir()
	program, text := filepath.Join(dir, "blq"), filepath.Join(dir, "LICENSE")
	check(t, os.WriteFile(program, []byte("program"), 0o600))
	check(t, os.WriteFile(text, []byte("text"), 0o600))
	files := []member{{program, "blq", 0o755}, {text, "man/man1/blq.1", 0o644}}
	want := "-rwxr-xr-x blq program\n-rw-r--r-- man/man1/blq.1 text\n"
	for name, read := range map[string]func([]byte) string{
		"a.tar.gz": func(data []byte) string { return readTar(t, data) },
		"a.zip":    func(data []byte) string { return readZip(t, data) },
	} {
		sum, err := pack(filepath.Join(dir, name), files)
		check(t, err)
		data, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
			t.Errorf("%s: the checksum is %s, not %s", name, got, sum)
		}
		if got := read(data); got != want {
			t.Errorf("%s holds\n%s", name, got)
		}
		again, err := pack(filepath.Join(dir, "again-"+name), files)
		check(t, err)
		if again != sum {
			t.Errorf("%s is another the second time", name)
		}
	}
}

func TestArchivesHoldManualPages(t *testing.T) {
	pages := []string{"dist/programs/man1/blq-run.1", "dist/programs/man1/blq.1"}
	for _, tt := range []struct {
		target target
		want   string
	}{
		{target{"blq", "darwin", "arm64"}, "blq LICENSE README.md man/man1/blq-run.1 man/man1/blq.1"},
		{target{"blq", "windows", "amd64"}, "blq.exe LICENSE README.md"},
		{target{"blq-job", "windows", "arm64"}, "blq.exe LICENSE README.md"},
		{target{"blqd", "linux", "amd64"}, "blqd LICENSE README.md"},
	} {
		var got []string
		for _, m := range tt.target.members("dist/"+tt.target.file(), pages) {
			got = append(got, m.name)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%v holds %s", tt.target, got)
		}
	}
}

func readTar(t *testing.T, data []byte) string {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	check(t, err)
	var all strings.Builder
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		fmt.Fprintf(&all, "%v %s %s\n", h.FileInfo().Mode(), h.Name, text)
	}
}

func readZip(t *testing.T, data []byte) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	check(t, err)
	var all strings.Builder
	for _, f := range r.File {
		open, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(open)
		check(t, err)
		fmt.Fprintf(&all, "%v %s %s\n", f.Mode(), f.Name, text)
	}
	return all.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
