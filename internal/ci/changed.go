package ci

import (
	"bufio"
	"bytes"
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// Lines maps files to ranges of lines. Files are relative to the repository.
type Lines map[string][][2]int

// Has reports whether a line of a file is in one of the ranges.
func (l Lines) Has(file string, line int) bool {
	for _, r := range l[file] {
		if line >= r[0] && line <= r[1] {
			return true
		}
	}
	return false
}

// changedWait is the max time that git may take. Callers also work without the answer.
const changedWait = 2 * time.Second

// maxDiff is the max number of bytes of a diff that are parsed.
const maxDiff = 8 << 20

// Changed returns the lines of the checked-out commit that have changed since base. dir is in the work tree. If the
// repository does not have base, Changed compares with the first parent. It returns nil if git cannot answer, as in
// shallow clones.
func Changed(ctx context.Context, dir, base string) Lines {
	ctx, cancel := context.WithTimeout(ctx, changedWait)
	defer cancel()
	for _, since := range []string{base + "...HEAD", base + "..HEAD", "HEAD^1..HEAD"} {
		if strings.HasPrefix(since, ".") || strings.HasPrefix(since, "-") {
			continue
		}
		cmd := exec.CommandContext(ctx, "git", "-c", "core.quotePath=false", "-c", "diff.noprefix=false",
			"-c", "diff.mnemonicPrefix=false",
			"diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", since, "--")
		cmd.Dir = dir
		cmd.WaitDelay = time.Second
		if out, err := cmd.Output(); err == nil {
			return changedLines(out[:min(len(out), maxDiff)])
		}
	}
	return nil
}

var hunk = lazyregexp.New(`^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@`)

func changedLines(diff []byte) Lines {
	lines := Lines{}
	file := ""
	in := bufio.NewScanner(bytes.NewReader(diff))
	in.Buffer(nil, maxDiff+1)
	for in.Scan() {
		text := in.Text()
		if name, ok := strings.CutPrefix(text, "+++ b/"); ok {
			file = strings.TrimSuffix(name, "\t")
			continue
		}
		m := hunk.FindStringSubmatch(text)
		if m == nil || file == "" {
			continue
		}
		from, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		if n > 0 {
			lines[file] = append(lines[file], [2]int{from, from + n - 1})
		}
	}
	return lines
}
