package store

import (
	"context"
	"strings"
	"time"
)

// Usage is how much a repository has stored, or all repositories of an owner together.
type Usage struct {
	Owner string // in lower case; "" for runs without a repository
	Repo  string // AllRepos for the sum over the owner's repositories

	Runs   int   // that are stored
	Events int   // likewise
	Bytes  int64 // roughly what they take: objects of logs, text and rows

	DayRuns   int           // runs that were started today, in UTC by the clock of the store
	DayEvents int           // events that were added today; live events each time that they were set
	DayLeft   time.Duration // until the next day begins
}

// AllRepos stands for all repositories of an owner. No repository has that name.
const AllRepos = "/"

// IsOwner reports whether the usage is of all repositories of an owner.
func (u Usage) IsOwner() bool { return u.Repo == AllRepos }

// Name returns the name of the repository or the owner.
func (u Usage) Name() string {
	if u.IsOwner() {
		return u.Owner
	}
	return u.Repo
}

// OwnerOf returns the owner of a repository, in the form of Usage.Owner.
func OwnerOf(repo string) string {
	owner, _, _ := strings.Cut(repo, "/")
	return strings.ToLower(owner)
}

// Meter counts what repositories and their owners take. The counts change in the transactions that change the runs,
// so they are exact for any number of processes, and after a crash.
type Meter interface {
	// Usage returns what a repository takes, and what all repositories of its owner take.
	Usage(ctx context.Context, repo string) (of, owner Usage, err error)

	// Usages returns the usage of all repositories that have had runs, and of their owners. It is sorted by owner; an
	// owner comes before its repositories.
	Usages(ctx context.Context) ([]Usage, error)

	// Crowded reports whether the owner of a repository has at least max repositories with runs, and the repository is
	// not one of them.
	Crowded(ctx context.Context, repo string, max int) (bool, error)

	// Recount compares the counts of one of several parts of the repositories with their runs. It corrects the counts
	// that differ, and returns their number.
	Recount(ctx context.Context, part, parts int) (int, error)

	// Shrink removes the oldest runs of the repository or owner until the rest takes at most that many bytes. Running
	// runs stay. Before runs, it removes versions of sources if they take more than a quarter of the bytes, see
	// SourceExcess, and then the oldest snapshots if facts take more than half, see FactShare. The bytes of snapshots
	// count as freed at once, although their objects are dropped later.
	Shrink(ctx context.Context, of Usage, bytes int64) (Pruned, error)
}

// These are the bytes that rows take, besides their text. The bytes of a chunk also cover the unused rest of the last
// block of its object in a file system.
const (
	RunRow   = 1024
	EventRow = 128
	ChunkRow = 4096
	BatchRow = 64
)

// TextBytes returns the size of the texts of a run that has begun.
func (r Run) TextBytes() int64 {
	n := len(r.Attempt) + len(r.Repo) + len(r.Source) + len(r.Command) + len(r.Cwd) + len(r.Hostname) + len(r.Platform) +
		len(r.Arch) + len(r.Git.Commit) + len(r.Git.Branch) + len(r.Git.Root) + len(r.Format) + len(r.Shape)
	if ci := r.CI; ci != nil {
		n += len(ci.Repo) + len(ci.Workflow) + len(ci.Job) + len(ci.Step) + len(ci.Matrix) + len(ci.URL) + len(ci.RunID) +
			len(ci.HeadRef) + len(ci.BaseRef)
	}
	return int64(n)
}

// TextBytes returns the size of the event's texts.
func (e Event) TextBytes() int64 {
	return int64(len(e.File) + len(e.Message) + len(e.Tool) + len(e.Category) + len(e.Code) + len(e.Test) + len(e.Stream))
}

// Part returns the number of the part that a repository is in. parts is the number that Recount is given.
func Part(repo string, parts int) int {
	h := uint32(2166136261) // FNV-1a
	for i := range len(repo) {
		h = (h ^ uint32(repo[i])) * 16777619
	}
	return int(h % uint32(max(1, parts)))
}

// PartOf returns those repositories that are in a part.
func PartOf(repos []string, part, parts int) []string {
	var some []string
	for _, r := range repos {
		if Part(r, parts) == part {
			some = append(some, r)
		}
	}
	return some
}

// PickUsage returns the usage of a repository and of its owner, from those that are stored. A usage that is not stored
// is 0.
func PickUsage(repo string, stored []Usage) (of, owner Usage) {
	owner = Usage{Owner: OwnerOf(repo), Repo: AllRepos}
	of = Usage{Owner: owner.Owner, Repo: repo}
	for _, u := range stored {
		if u.IsOwner() {
			owner = u
		} else {
			of = u
		}
	}
	return of, owner
}

// FactShare is what the facts of a repository or owner take.
type FactShare struct {
	Bytes     int64 // of their objects
	Manifests int   // of snapshots
	Dropped   int   // manifests without a snapshot, whose objects are not dropped yet
}

// each returns roughly how many bytes the files of a manifest take that no other one has.
func (f FactShare) each() int64 { return f.Bytes / int64(max(1, f.Manifests+f.Dropped)) }

// Excess returns how many snapshots Shrink removes if a repository or owner takes that many bytes too much and may take
// bytes. Facts give way until they take half of the bytes.
func (f FactShare) Excess(over, bytes int64) int {
	over = min(over, f.Bytes-bytes/2)
	if over <= 0 || f.Bytes <= 0 {
		return 0
	}
	each := max(1, f.each())
	return max(0, int((over+each-1)/each)-f.Dropped)
}

// Pending returns how many of these bytes are freed later.
func (f FactShare) Pending(over, bytes int64) int64 {
	return max(0, min(over, f.Bytes-bytes/2, int64(f.Dropped)*f.each()))
}

// SourceExcess returns how many bytes of versions of sources Shrink removes at least if a repository or owner takes
// over bytes too many and may take bytes. Sources give way until they take a quarter of the bytes: first the oldest
// versions that have a newer one, because only citations need them, then the sources that were not added again for
// longest.
func SourceExcess(over, sources, bytes int64) int64 { return max(0, min(over, sources-bytes/4)) }

// HeadsSQL are the names in commit_names n whose commits keep their snapshots when a quota is used up, in the SQL of
// all engines.
const HeadsSQL = `n.name LIKE 'branch:%' OR n.name LIKE 'tag:%'`
