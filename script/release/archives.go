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
	"runtime"
	"slices"
	"strings"
	"time"
)

// target is a program for a system and architecture.
type target struct{ program, system, arch string }

// targets are all archives of a release: blq for people, blq-job for jobs, blqd for servers.
var targets = []target{
	{"blq", "linux", "amd64"}, {"blq", "linux", "arm64"},
	{"blq", "darwin", "amd64"}, {"blq", "darwin", "arm64"},
	{"blq", "windows", "amd64"}, {"blq", "windows", "arm64"},
	{"blq-job", "linux", "amd64"}, {"blq-job", "linux", "arm64"},
	{"blq-job", "darwin", "amd64"}, {"blq-job", "darwin", "arm64"},
	{"blq-job", "windows", "amd64"}, {"blq-job", "windows", "arm64"},
	{"blqd", "linux", "amd64"}, {"blqd", "linux", "arm64"},
}

// file returns the name of the program in the archive. In its archive, blq-job is called blq.
func (t target) file() string {
	name := strings.TrimSuffix(t.program, "-job")
	if t.system == "windows" {
		return name + ".exe"
	}
	return name
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

// archives compiles every target, and packs each into an archive in dir. It also writes SHA256SUMS. The same source and
// version always result in the same bytes.
func archives(version, dir string) error {
	if !isVersion.MatchString(version) {
		return fmt.Errorf("%q is not a version like v1.2.3", version)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	pages, err := manPages(version, dir)
	if err != nil {
		return err
	}
	var sums []string
	for _, t := range targets {
		program := filepath.Join(dir, "programs", t.program+"_"+t.system+"_"+t.arch, t.file())
		cmd := exec.Command("sh", "script/compile.sh", t.program, absolute(program))
		cmd.Env = append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.arch, "VERSION="+version)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s for %s/%s: %w", t.program, t.system, t.arch, err)
		}
		sum, err := pack(filepath.Join(dir, t.archive(version)), t.members(program, pages))
		if err != nil {
			return fmt.Errorf("%s: %w", t.archive(version), err)
		}
		sums = append(sums, sum+"  "+t.archive(version)+"\n")
		fmt.Println(t.archive(version))
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(strings.Join(sums, "")), 0o644)
}

// members returns the files in the archive of a target.
func (t target) members(program string, pages []string) []member {
	list := []member{{program, filepath.Base(program), 0o755}, {"LICENSE", "LICENSE", 0o644},
		{"README.md", "README.md", 0o644}}
	if t.program == "blq" && t.system != "windows" {
		for _, page := range pages {
			list = append(list, member{page, "man/man1/" + filepath.Base(page), 0o644})
		}
	}
	return list
}

// manPages writes the manual pages of blq into a folder in dir. It returns the paths of the pages in order.
func manPages(version, dir string) ([]string, error) {
	program, pages := absolute(filepath.Join(dir, "programs", "blq")), filepath.Join(dir, "programs", "man1")
	compile := exec.Command("sh", "script/compile.sh", "blq", program)
	compile.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "VERSION="+version)
	for _, cmd := range []*exec.Cmd{compile, exec.Command(program, "man", "--write", pages)} {
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("manual pages: %w", err)
		}
	}
	return filepath.Glob(filepath.Join(pages, "*.1"))
}

// absolute returns path as an absolute path, or unchanged if the current directory is unknown.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// member is a file of an archive.
type member struct {
	path string // path on this machine
	name string // name in the archive
	mode os.FileMode
}

// pack writes an archive and returns its checksum.
func pack(name string, files []member) (string, error) {
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

// packed is the time of all files in archives. It is the earliest time that zip can store.
var packed = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func packTar(w io.Writer, files []member) error {
	zipped := gzip.NewWriter(w)
	t := tar.NewWriter(zipped)
	for _, file := range files {
		data, err := os.ReadFile(file.path)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: file.name, Mode: int64(file.mode), Size: int64(len(data)), ModTime: packed,
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

func packZip(w io.Writer, files []member) error {
	z := zip.NewWriter(w)
	for _, file := range files {
		data, err := os.ReadFile(file.path)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: packed}
		header.SetMode(file.mode)
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
