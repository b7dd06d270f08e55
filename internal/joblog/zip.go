package joblog

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/blq-ci/blq/internal/github/payload"
)

// Archive is the zip file with the logs of an attempt. It has a file for each job, and often a file for each step.
type Archive struct{ files []*zip.File }

// If several jobs have the same name, their folders differ by a number. Only GitHub knows which job has which number.

// OpenArchive reads the directory of a zip file.
func OpenArchive(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("read the logs of a workflow run: %w", err)
	}
	return &Archive{z.File}, nil
}

// maxFolder is the max length of a job's folder name, in UTF-16 units.
const maxFolder = 90

// folder returns the folder name of a job.
func folder(job string) string {
	units := utf16.Encode([]rune(strings.NewReplacer("/", "", ":", "").Replace(job)))
	return strings.TrimSpace(string(utf16.Decode(units[:min(len(units), maxFolder)])))
}

// Open opens the log of a step. It returns nil if the archive has no log of the step.
func (a *Archive) Open(job string, s payload.Step) (io.ReadCloser, error) {
	at := slices.IndexFunc(a.files, func(f *zip.File) bool {
		number, _, ok := strings.Cut(path.Base(f.Name), "_")
		n, err := strconv.Atoi(number)
		return ok && err == nil && n == s.Number && strings.TrimSpace(path.Dir(f.Name)) == folder(job)
	})
	if at < 0 {
		return nil, nil
	}
	return a.files[at].Open()
}

// OpenJob opens the log of a whole job, such as "0_build.txt". It returns nil if the archive has no such log, or has
// several jobs with this name.
func (a *Archive) OpenJob(job string) (io.ReadCloser, error) {
	var found []*zip.File
	for _, f := range a.files {
		number, name, ok := strings.Cut(f.Name, "_")
		name = strings.TrimSpace(strings.TrimSuffix(name, ".txt"))
		if _, err := strconv.Atoi(number); ok && err == nil && name == folder(job) && f.UncompressedSize64 > 0 {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return nil, nil
	}
	return found[0].Open()
}
