package worktree

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/ci"
)

// past is the history of documents and source files in git.
type past struct {
	docs  map[string]int           // index of the last change of each document, 0 in the work tree
	files map[string][]earlierFile // changes of each source file, newest first
	blobs *reader
}

// earlierFile is the state of a file before a change.
type earlierFile struct {
	change int
	blob   string // "" if the file did not exist
}

// maxChanges is the max number of commits that are searched.
const maxChanges = 50_000

var _ facts.Historian = (*Source)(nil)

// Past implements facts.Historian. It reads the log of the commit along first parents until it has found the last
// change of each named document. It reads at most maxChanges commits. A change in the work tree counts as the last
// change.
func (s *Source) Past(ctx context.Context, sources, docs facts.Found, named []string) (facts.Past, error) {
	top, err := s.top()
	if err != nil {
		return nil, err
	}
	p := &past{docs: map[string]int{}, files: map[string][]earlierFile{}, blobs: &reader{top: top}}
	missing := map[string]bool{}
	for _, doc := range named {
		missing[doc] = true
	}
	for _, doc := range docs.Changed {
		if missing[doc] {
			p.docs[doc] = 0
			delete(missing, doc)
		}
	}
	if sources.Commit == "" {
		return p, nil
	}
	if err := p.head(ctx, top, sources); err != nil || len(missing) == 0 {
		return p, err
	}
	return p, p.history(ctx, top, sources.Commit, missing)
}

// head records the files that differ between the work tree and its commit.
func (p *past) head(ctx context.Context, top string, sources facts.Found) error {
	if len(sources.Changed) == 0 {
		return nil
	}
	list, err := listCommit(ctx, top, sources.Commit, nil, facts.Selection{Kind: "code"})
	if err != nil {
		return err
	}
	blobs := map[string]string{}
	files, _ := withoutLinks(list)
	for _, f := range files {
		blobs[f.path] = f.blob
	}
	for _, path := range sources.Changed {
		p.files[path] = []earlierFile{{0, blobs[path]}}
	}
	return nil
}

// history reads git's log until it has found all missing documents.
func (p *past) history(ctx context.Context, top, commit string, missing map[string]bool) error {
	grafts := shallowCommits(ctx, top)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := ci.GitCommand(ctx, top, "log", "--first-parent", "-m", "--raw", "-z", "--no-abbrev", "--no-renames", "--root",
		"--ignore-submodules=all", "--format=%H", commit, "--")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return gitFailed(ctx, "log", "", err)
	}
	whole := p.read(bufio.NewReaderSize(out, 64<<10), grafts, missing)
	if !whole {
		cancel()
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil && whole {
		return gitFailed(ctx, "log", said.String(), err)
	}
	return nil
}

// read reads the output of git log. It reports whether it has read the whole output.
func (p *past) read(in *bufio.Reader, grafts, missing map[string]bool) bool {
	change := 0
	for {
		field, err := in.ReadString(0)
		if err != nil {
			return true
		}
		field = strings.TrimLeft(strings.TrimSuffix(field, "\x00"), "\n")
		switch {
		case field == "":
		case field[0] != ':':
			if change++; len(missing) == 0 || change > maxChanges || grafts[field] {
				return false
			}
		default: // fields: :mode mode blob blob status, then the path
			path, err := in.ReadString(0)
			words := strings.Fields(field)
			if path = strings.TrimSuffix(path, "\x00"); err != nil || len(words) < 5 {
				return true
			}
			p.changed(path, words, change, missing)
		}
	}
}

// changed records a change of a file by a commit.
func (p *past) changed(path string, words []string, change int, missing map[string]bool) {
	if missing[path] {
		p.docs[path] = change
		delete(missing, path)
	}
	if (facts.Selection{Kind: "code"}).Has(path) {
		blob := words[2]
		if strings.Trim(blob, "0") == "" || words[0] == ":120000" || words[0] == ":160000" {
			blob = ""
		}
		p.files[path] = append(p.files[path], earlierFile{change, blob})
	}
}

// shallowCommits returns the commits whose parents are missing in a shallow clone.
func shallowCommits(ctx context.Context, top string) map[string]bool {
	out, err := run(ctx, top, "rev-parse", "--git-path", "shallow")
	if err != nil {
		return nil
	}
	name := filepath.FromSlash(strings.TrimSpace(string(out)))
	if !filepath.IsAbs(name) {
		name = filepath.Join(top, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	commits := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		commits[strings.TrimSpace(line)] = true
	}
	return commits
}

// Changed implements facts.Past.
func (p *past) Changed() []string {
	list := make([]string, 0, len(p.files))
	for path := range p.files {
		list = append(list, path)
	}
	return list
}

// Knows implements facts.Past.
func (p *past) Knows(doc string) bool {
	_, known := p.docs[doc]
	return known
}

// Was implements facts.Past. It finds the first change of the file after the last change of the document. It returns
// the state of the file before that change. If there is no such change, the file is unchanged.
func (p *past) Was(doc, file string) facts.Was {
	at := p.docs[doc]
	oldest := -1
	for i, c := range p.files[file] {
		if c.change < at {
			oldest = i
		}
	}
	if oldest < 0 {
		return facts.Was{Same: true}
	}
	blob := p.files[file][oldest].blob
	return facts.Was{Existed: blob != "", Read: func(ctx context.Context) ([]byte, error) {
		return p.blobs.blob(ctx, blob)
	}}
}
