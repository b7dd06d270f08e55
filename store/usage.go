package store

import (
	"context"
	"strings"
	"time"
)

// Usage is the amount of data that a repository has stored, or all repositories of an owner together.
type Usage struct {
	Owner string // in lower case; "" for runs without a repository
	Repo  string // AllRepos for the total of the owner's repositories

	Runs   int   // stored runs
	Events int   // stored events
	Bytes  int64 // approximate size: objects of logs, text and rows

	DayRuns   int           // runs that started today, in UTC by the store's clock
	DayEvents int           // events that were added today; live events count each time they are set
	DayLeft   time.Duration // time until the next day
}

// AllRepos stands for all repositories of an owner. No repository has that name.
const AllRepos = "/"

// IsOwner reports whether the usage is the total of an owner.
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

// Meter counts the usage of repositories and their owners. The counts change in the same transactions as the runs. So
// the counts are exact for any number of processes, and after a crash.
type Meter interface {
	// Usage returns the usage of a repository, and the total of its owner.
	Usage(ctx context.Context, repo string) (of, owner Usage, err error)

	// Usages returns the usage of all repositories that have had runs, and of their owners. It is sorted by owner, and
	// an owner comes before its repositories.
	Usages(ctx context.Context) ([]Usage, error)

	// Crowded reports whether a new repository would be too many. Its owner then has at least max repositories with
	// runs, and this repository is not one of them.
	Crowded(ctx context.Context, repo string, max int) (bool, error)

	// Recount takes one of several parts of the repositories, and compares their counts with their runs. It corrects
	// wrong counts, and returns their number.
	Recount(ctx context.Context, part, parts int) (int, error)

	// Shrink removes the oldest runs of the repository or owner until the rest takes at most that many bytes. It does
	// not remove running runs. Before runs, it removes dead jobs of the queue, if it shrinks an owner, and versions of
	// sources if they take more than a quarter of the bytes; see SourceExcess. After that it removes the oldest
	// snapshots if facts take more than half; see FactShare. The bytes of snapshots count as freed at once, although
	// their objects are dropped later.
	Shrink(ctx context.Context, of Usage, bytes int64) (Pruned, error)
}

// These are the sizes of rows without their text. The size for a chunk includes the unused rest of the last block of
// its object in a file system.
const (
	RunRow   = 1024
	EventRow = 128
	ChunkRow = 4096
	BatchRow = 64
	WorkRow  = 512
)

// TextBytes returns the size of the texts of a started run.
func (r Run) TextBytes() int64 {
	n := len(r.Attempt) + len(r.Repo) + len(r.Source) + len(r.Command) + len(r.Cwd) + len(r.Hostname) + len(r.Platform) +
		len(r.Arch) + len(r.Git.Commit) + len(r.Git.Branch) + len(r.Git.Root) + len(r.Format) + len(r.Shape)
	if ci := r.CI; ci != nil {
		n += len(ci.Repo) + len(ci.Workflow) + len(ci.Job) + len(ci.Step) + len(ci.Matrix) + len(ci.URL) + len(ci.RunID) +
			len(ci.HeadRef) + len(ci.BaseRef)
	}
	return int64(n)
}

// StoredBytes returns the size of the job. It counts for the owner of its repository, but for no repository.
func (w Work) StoredBytes() int64 { return WorkRow + int64(len(w.Key)+len(w.Body)+len(w.Error)) }

// TextBytes returns the size of the event's texts.
func (e Event) TextBytes() int64 {
	return int64(len(e.File) + len(e.Message) + len(e.Tool) + len(e.Category) + len(e.Code) + len(e.Test) + len(e.Stream))
}

// Part returns the number of a repository's part. parts is the same number as in Recount.
func Part(repo string, parts int) int {
	h := uint32(2166136261) // FNV-1a
	for i := range len(repo) {
		h = (h ^ uint32(repo[i])) * 16777619
	}
	return int(h % uint32(max(1, parts)))
}

// PartOf returns the repositories in a part.
func PartOf(repos []string, part, parts int) []string {
	var some []string
	for _, r := range repos {
		if Part(r, parts) == part {
			some = append(some, r)
		}
	}
	return some
}

// PickUsage returns the usage of a repository and its owner from stored usages. A usage that is not stored is 0.
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

// FactShare is the storage that the facts of a repository or owner take.
type FactShare struct {
	Bytes     int64 // bytes of their objects
	Manifests int   // manifests of snapshots
	Dropped   int   // manifests without a snapshot whose objects are not yet dropped
}

// each returns the approximate number of bytes in files that only one manifest has.
func (f FactShare) each() int64 { return f.Bytes / int64(max(1, f.Manifests+f.Dropped)) }

// Excess returns how many snapshots Shrink removes. over is the number of bytes above the limit, and bytes is the
// limit. Facts are removed until they take half of the limit.
func (f FactShare) Excess(over, bytes int64) int {
	over = min(over, f.Bytes-bytes/2)
	if over <= 0 || f.Bytes <= 0 {
		return 0
	}
	each := max(1, f.each())
	return max(0, int((over+each-1)/each)-f.Dropped)
}

// Pending returns how many of these bytes become free later.
func (f FactShare) Pending(over, bytes int64) int64 {
	return max(0, min(over, f.Bytes-bytes/2, int64(f.Dropped)*f.each()))
}

// SourceExcess returns the min number of bytes of sources that Shrink removes. over is the number of bytes above the
// limit, and bytes is the limit. Sources are removed until they take a quarter of the limit. First Shrink removes the
// oldest versions that have a newer version, because only citations need them. After that it removes the sources that
// have not been added again for the longest time.
func SourceExcess(over, sources, bytes int64) int64 { return max(0, min(over, sources-bytes/4)) }

// HeadsSQL is the condition for names in commit_names n whose commits keep their snapshots when a quota is used up, in
// SQL for all engines.
const HeadsSQL = `n.name LIKE 'branch:%' OR n.name LIKE 'tag:%'`
