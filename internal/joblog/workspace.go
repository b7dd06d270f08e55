package joblog

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// checkedOut is the beginning of the line in which actions/checkout names its directory.
const checkedOut = "Working directory is '"

// maxWorkspace is the max number of bytes at the beginning of a log that are searched for the workspace. Jobs usually
// check out at their beginning.
const maxWorkspace = 1 << 20

// Workspace returns the workspace of a repository's job, as the log of the job names it. It returns "" if the log does
// not name the workspace. The path of a workspace ends with the name of the repository twice.
func Workspace(log io.Reader, repo string) string {
	_, name, _ := strings.Cut(repo, "/")
	r := bufio.NewReaderSize(io.LimitReader(log, maxWorkspace), 64<<10)
	for c := (clock{}); ; {
		line, n, err := readLine(r)
		if n > 0 {
			text, _, _ := c.read(line, false)
			if rest, ok := bytes.CutPrefix(text, []byte(checkedOut)); ok {
				at, _, _ := strings.Cut(string(rest), "'")
				if isWorkspace(at, name) {
					return at
				}
			}
		}
		if err != nil {
			return ""
		}
	}
}

func isWorkspace(dir, name string) bool {
	parts := strings.Split(strings.ReplaceAll(dir, `\`, "/"), "/")
	n := len(parts)
	return n > 2 && strings.EqualFold(parts[n-1], name) && strings.EqualFold(parts[n-2], name)
}

// usual are the folders that contain the workspaces of hosted runners, by operating system.
var usual = map[string]string{"Linux": "/home/runner/work/", "Darwin": "/Users/runner/work/", "Windows": `D:\a\`}

// UsualWorkspace returns the default workspace of a repository's jobs. In a container, it is the same on all runners.
// Outside of containers, UsualWorkspace returns "" for runners that GitHub does not host.
func UsualWorkspace(repo, system string, hosted, inContainer bool) string {
	_, name, _ := strings.Cut(repo, "/")
	folder := usual[system]
	switch {
	case inContainer:
		folder = "/__w/"
	case !hosted || folder == "":
		return ""
	}
	return folder + name + folder[len(folder)-1:] + name
}
