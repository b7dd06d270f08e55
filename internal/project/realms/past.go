package realms

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Past implements query.Realms.
func (p Project) Past(ctx context.Context, found query.RealmFound, member, domain, name string, max int) (
	[]query.ContractWas, error) {
	dir, from, err := found.Clones[member], "HEAD", error(nil)
	switch {
	case member == found.Current:
		from = cmp.Or(found.Commit, from)
	case member != "" && dir != "": // the contracts of other members are read on their default branches
		if from = found.Tips[member]; from == "" {
			err = repository{dir: dir}.noBranch()
		}
	}
	if dir == "" {
		return nil, store.Errorf(store.NotFound, "the repository with its file is not on this machine")
	}
	if err != nil {
		return nil, err
	}
	if from = commitAt(ctx, dir, from); from == "" {
		return nil, store.Errorf(store.NotFound, "nothing is committed there")
	}
	return shared.Past(ctx, gitLine{dir}, member, domain, name, from, max)
}

// gitLine is the first-parent history of a clone.
type gitLine struct{ dir string }

// Changed implements shared.Line.
func (l gitLine) Changed(ctx context.Context, from string, files func(file string) bool, max int) ([]string, error) {
	has, err := atCommit(ctx, l.dir, from)
	if err != nil {
		return nil, err
	}
	args := []string{"log", "--first-parent", "--format=%H", "--max-count=" + strconv.Itoa(max), from, "--"}
	for _, f := range has {
		if files(f.Path) {
			args = append(args, f.Path)
		}
	}
	out, err := git(ctx, l.dir, args...)
	return strings.Fields(out), err
}

// Before implements shared.Line.
func (l gitLine) Before(ctx context.Context, commit string) (string, error) {
	return commitAt(ctx, l.dir, commit+"^"), nil
}

// Files implements shared.Line.
func (l gitLine) Files(ctx context.Context, commit string) (shared.Files, error) {
	return atCommit(ctx, l.dir, commit)
}
