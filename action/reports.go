package action

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/glob"
	"github.com/blq-ci/blq/internal/record"
)

// These limits bound the report files that are read.
const (
	maxReports     = 500
	maxReportBytes = 64 << 20 // max bytes of all report files
)

// reports reads the report files of the step. It skips files that are older than the step, because an earlier step
// wrote them.
func (s *wrapped) reports(since time.Time) []record.Report {
	var list []record.Report
	left := int64(maxReportBytes)
	for _, pattern := range s.in.Reports {
		files := s.matching(pattern)
		if len(files) == 0 {
			s.absent = append(s.absent, "input reports: no file matches "+pattern)
		}
		for _, name := range files {
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since.Add(-2*time.Second)) {
				continue // two seconds earlier is allowed, because some file systems store only whole seconds
			}
			if left -= info.Size(); left < 0 || len(list) >= maxReports {
				s.lost = append(s.lost, "reports beyond "+name+": there are too many")
				return list
			}
			if text, err := os.ReadFile(name); err == nil {
				list = append(list, record.Report{Name: name, Text: text})
			} else {
				s.lost = append(s.lost, "report "+name+": "+err.Error())
			}
		}
	}
	return list
}

// matching returns the files that match a pattern. ** matches any number of folders, except .git and node_modules. With
// **, the result has at most maxReports files.
func (s *wrapped) matching(pattern string) []string {
	top, rest, deep := strings.Cut(filepath.ToSlash(pattern), "**/")
	if !deep {
		return glob.Relative(s.in.Dir, pattern)
	}
	top = filepath.FromSlash(top)
	if !filepath.IsAbs(top) {
		top = filepath.Join(s.in.Dir, top)
	}
	var files []string
	// A file or folder that cannot be read matches no pattern.
	_ = filepath.WalkDir(filepath.Clean(top), func(path string, d os.DirEntry, err error) error {
		if err != nil || len(files) >= maxReports {
			return nil
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if ends(filepath.ToSlash(path), rest) {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// ends reports whether the last elements of a path match a pattern.
func ends(path, pattern string) bool {
	parts, n := strings.Split(path, "/"), strings.Count(pattern, "/")+1
	if len(parts) < n {
		return false
	}
	ok, err := filepath.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return err == nil && ok
}
