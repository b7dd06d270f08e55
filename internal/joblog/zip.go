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

// Archive is the zip file of the logs of an attempt, with a file for each step.
type Archive struct{ files []*zip.File }

// Names of folders tell jobs of the same name apart by numbers that nobody else knows.

// OpenArchive reads the directory of a zip file.
func OpenArchive(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("read the logs of a workflow run: %w", err)
	}
	return &Archive{z.File}, nil
}

// maxFolder is the max length of the name of a job's folder, in UTF-16.
const maxFolder = 90

// folder returns the name of a job's folder.
func folder(job string) string {
	units := utf16.Encode([]rune(strings.NewReplacer("/", "", ":", "").Replace(job)))
	return strings.TrimSpace(string(utf16.Decode(units[:min(len(units), maxFolder)])))
}

// Step returns the log of a step, nil if there is none. Errors: too large when it has more than maxBytes bytes.
func (a *Archive) Step(job string, s payload.Step, maxBytes int64) ([]byte, error) {
	at := slices.IndexFunc(a.files, func(f *zip.File) bool {
		number, _, ok := strings.Cut(path.Base(f.Name), "_")
		n, err := strconv.Atoi(number)
		return ok && err == nil && n == s.Number && strings.TrimSpace(path.Dir(f.Name)) == folder(job)
	})
	if at < 0 {
		return nil, nil
	}
	f, err := a.files[at].Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && int64(len(text)) > maxBytes {
		err = fmt.Errorf("the log of step %d is larger than %d bytes", s.Number, maxBytes)
	}
	return text, err
}
