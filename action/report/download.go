package report

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/store"
)

// These limits bound downloads, because artifacts are untrusted.
const (
	artifactPrefix = "blq"
	maxArtifact    = 256 << 20 // max bytes of a zip file
	maxArtifacts   = 300
)

// read imports the runs in the folder of the input artifacts. Without this input, it downloads the artifacts whose
// names begin with artifactPrefix, and imports the runs in these artifacts.
func (r *reporter) read(ctx context.Context, i *importer, dir string) error {
	if r.in.Artifacts != "" {
		root, err := os.OpenRoot(r.in.Artifacts) // os.Root refuses names that lead out of the folder
		if err != nil {
			return store.Errorf(store.NotFound, "input artifacts: %w", err)
		}
		defer root.Close()
		return i.all(r.local, root.FS())
	}
	if r.github == nil {
		return store.Hint(store.Errorf(store.Unauthorized, "the artifacts of the jobs cannot be read without a token"),
			"give the input github-token, or artifacts, the folder that they were downloaded to")
	}
	list, err := r.github.Artifacts(ctx, r.subject.repo, r.subject.run)
	if err != nil {
		return err
	}
	taken := 0
	for _, a := range list {
		if !strings.HasPrefix(a.Name, artifactPrefix) {
			continue
		}
		if a.Expired {
			i.complain("artifact %d is not read: it is expired", a.ID)
			continue
		}
		if taken++; taken > maxArtifacts {
			i.complain("only the first %d artifacts are read", maxArtifacts)
			break
		}
		if err := r.download(ctx, i, a.ID, filepath.Join(dir, fmt.Sprintf("%d.zip", a.ID))); err != nil {
			i.complain("artifact %d is not read: %v", a.ID, err)
		}
	}
	return ctx.Err()
}

// download imports the runs of one artifact.
func (r *reporter) download(ctx context.Context, i *importer, id int64, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	err = r.github.Download(ctx, r.subject.repo, id, f, maxArtifact)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return store.Errorf(store.Invalid, "it is not a zip file")
	}
	defer z.Close()
	var fsys fs.FS = z
	return i.all(r.local, fsys)
}
