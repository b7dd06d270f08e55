package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// target is a program for one system.
type target struct{ program, system, arch string }

// targets are all archives of a release: blq for all systems, blqd for servers.
var targets = []target{
	{"blq", "linux", "amd64"}, {"blq", "linux", "arm64"},
	{"blq", "darwin", "amd64"}, {"blq", "darwin", "arm64"},
	{"blq", "windows", "amd64"}, {"blq", "windows", "arm64"},
	{"blqd", "linux", "amd64"}, {"blqd", "linux", "arm64"},
}

// file returns the name of the program in the archive.
func (t target) file() string {
	if t.system == "windows" {
		return t.program + ".exe"
	}
	return t.program
}

// archive returns the name of the archive of a version.
func (t target) archive(version string) string {
	kind := "tar.gz"
	if t.system == "windows" {
		kind = "zip"
	}
	return fmt.Sprintf("%s_%s_%s_%s.%s", t.program, strings.TrimPrefix(version, "v"), t.system, t.arch, kind)
}

var isVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// archives compiles every target and packs it into dir, with SHA256SUMS. The same source gives the
// same bytes.
func archives(version, dir string) error {
	if !isVersion.MatchString(version) {
		return fmt.Errorf("%q is no version like v1.2.3", version)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var sums []string
	for _, t := range targets {
		program := filepath.Join(dir, "programs", t.system+"_"+t.arch, t.file())
		cmd := exec.Command("sh", "script/compile.sh", t.program, absolute(program))
		cmd.Env = append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.arch, "VERSION="+version)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s for %s/%s: %w", t.program, t.system, t.arch, err)
		}
		sum, err := pack(filepath.Join(dir, t.archive(version)), []string{program, "LICENSE", "README.md"})
		if err != nil {
			return fmt.Errorf("%s: %w", t.archive(version), err)
		}
		sums = append(sums, sum+"  "+t.archive(version)+"\n")
		fmt.Println(t.archive(version))
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(strings.Join(sums, "")), 0o644)
}

// absolute returns an absolute path.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// pack writes an archive of files, without folders, and returns its checksum. The first file is a
// program.
func pack(name string, files []string) (string, error) {
	out, err := os.Create(name)
	if err != nil {
		return "", err
	}
	defer out.Close()
	hash := sha256.New()
	write := packTar
	if strings.HasSuffix(name, ".zip") {
		write = packZip
	}
	if err := write(io.MultiWriter(out, hash), files); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), out.Close()
}

// mode returns the permissions of a file in an archive.
func mode(i int) os.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

// packed is the time of files in archives: the earliest that zip can store.
var packed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func packTar(w io.Writer, files []string) error {
	zipped := gzip.NewWriter(w)
	t := tar.NewWriter(zipped)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: filepath.Base(file), Mode: int64(mode(i)), Size: int64(len(data)), ModTime: packed,
			Format: tar.FormatUSTAR}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

func packZip(w io.Writer, files []string) error {
	z := zip.NewWriter(w)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: filepath.Base(file), Method: zip.Deflate, Modified: packed}
		header.SetMode(mode(i))
		f, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}
