package store

import (
	"context"
	"strings"
	"time"
)

// Usage is the amount of data that is stored for a repository, or for all repositories of an owner together.
type Usage struct {
	Owner string // name in lower case; "" for runs without a repository
	Repo  string // name of the repository; AllRepos for the total of the owner's repositories

	Runs   int   // number of stored runs
	Events int   // number of stored events
	Bytes  int64 // approximate size of the objects of logs, the texts and the rows

	DayRuns   int           // number of runs that started today, in UTC by the store's clock
	DayEvents int           // number of events that were added today; live events count each time they are set
	DayLeft   time.Duration // time until the next day
}

// AllRepos is used as the name of all repositories of an owner. No repository has this name.
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

// Meter counts the usage of repositories and owners. The numbers change in the same transactions as the runs, so they
// stay exact with several processes and after a crash.
type Meter interface {
	// Usage returns the usage of a repository, and the total of its owner.
	Usage(ctx context.Context, repo string) (of, owner Usage, err error)

	// Usages returns the usage of all repositories that have had data, and of their owners. The list is sorted by
	// owner. The usage of an owner comes before the usage of the owner's repositories.
	Usages(ctx context.Context) ([]Usage, error)

	// Crowded reports whether a new repository would exceed the limit of its owner. This is so if the repository has no
	// runs, and the owner has at least max other repositories with runs.
	Crowded(ctx context.Context, repo string, max int) (bool, error)

	// Recount compares the stored usage with the stored data. It corrects the usage of repositories and owners, and
	// returns the number of corrections. A call handles all owners, but only one part of the repositories; see Part.
	Recount(ctx context.Context, part, parts int) (int, error)

	// Shrink removes the oldest runs of the repository or owner, until the remaining data takes at most the given
	// number of bytes. It does not remove running runs. Before the runs, it removes other data in this order:
	//
	//  - dead jobs of the queue, for an owner;
	//  - versions of sources, if they take more than a quarter of the bytes (see SourceExcess);
	//  - the oldest snapshots, if facts take more than half of the bytes (see FactShare).
	//
	// The bytes of removed snapshots count as free at once, although their objects are dropped later.
	Shrink(ctx context.Context, of Usage, bytes int64) (Pruned, error)
}

// These are the sizes of rows without their text. The size of a chunk's row includes the unused rest of the last block
// that the chunk's object takes in a file system.
const (
	RunRow   = 1024
	EventRow = 128
	ChunkRow = 4096
	BatchRow = 64
	WorkRow  = 512
)

// TextBytes returns the size of the texts of a run that has started, in bytes.
func (r Run) TextBytes() int64 {
	n := len(r.Attempt) + len(r.Repo) + len(r.Source) + len(r.Command) + len(r.Cwd) + len(r.Hostname) + len(r.Platform) +
		len(r.Arch) + len(r.Git.Commit) + len(r.Git.Branch) + len(r.Git.Root) + len(r.Format) + len(r.Shape)
	if ci := r.CI; ci != nil {
		n += len(ci.Repo) + len(ci.Workflow) + len(ci.Job) + len(ci.Step) + len(ci.Matrix) + len(ci.URL) + len(ci.RunID) +
			len(ci.HeadRef) + len(ci.BaseRef)
	}
	return int64(n)
}

// StoredBytes returns the size of the job in bytes. The size counts for the owner of the job's repository, but not for
// the repository.
func (w Work) StoredBytes() int64 { return WorkRow + int64(len(w.Key)+len(w.Body)+len(w.Error)) }

// TextBytes returns the size of the event's texts in bytes.
func (e Event) TextBytes() int64 {
	return int64(len(e.File) + len(e.Message) + len(e.Tool) + len(e.Category) + len(e.Code) + len(e.Test) + len(e.Stream))
}

// Part returns the number of the part to which a repository belongs. parts is the number of parts, as in Recount.
func Part(repo string, parts int) int {
	h := uint32(2166136261) // start value of the FNV-1a hash
	for i := range len(repo) {
		h = (h ^ uint32(repo[i])) * 16777619
	}
	return int(h % uint32(max(1, parts)))
}

// PartOf returns the repositories that belong to a part; see Part.
func PartOf(repos []string, part, parts int) []string {
	var some []string
	for _, r := range repos {
		if Part(r, parts) == part {
			some = append(some, r)
		}
	}
	return some
}

// PickUsage returns the usage of a repository, and the usage of its owner, from a list of these two. If the list lacks
// a usage, the numbers of the returned usage are 0.
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

// FactShare is the space that the facts of a repository or owner take.
type FactShare struct {
	Bytes     int64 // bytes of the objects of facts
	Manifests int   // number of manifests with a snapshot
	Dropped   int   // number of manifests without a snapshot whose objects are not yet dropped
}

// each returns the average number of bytes of a manifest.
func (f FactShare) each() int64 { return f.Bytes / int64(max(1, f.Manifests+f.Dropped)) }

// Excess returns the number of snapshots that Shrink removes. bytes is the limit, and excess is the number of bytes
// by which the usage exceeds the limit. Shrink removes facts until they take at most half of the limit.
func (f FactShare) Excess(excess, bytes int64) int {
	excess = min(excess, f.Bytes-bytes/2)
	if excess <= 0 || f.Bytes <= 0 {
		return 0
	}
	each := max(1, f.each())
	return max(0, int((excess+each-1)/each)-f.Dropped)
}

// Pending returns the number of bytes above the limit that become free later, when objects are
// dropped. The parameters mean the same as those of Excess.
func (f FactShare) Pending(over, bytes int64) int64 {
	return max(0, min(over, f.Bytes-bytes/2, int64(f.Dropped)*f.each()))
}

// SourceExcess returns the number of bytes of sources that Shrink must remove. sources is the size of all sources.
// bytes is the limit, and excess is the number of bytes by which the usage exceeds the limit. Shrink removes sources
// until the usage is within the limit, or until the sources take at most a quarter of the limit. First it removes the
// oldest versions that have a newer version, because only citations need them. Then it removes the sources that have
// not been added again for the longest time.
func SourceExcess(excess, sources, bytes int64) int64 { return max(0, min(excess, sources-bytes/4)) }

// HeadsSQL is an SQL condition for a name n in the table commit_names, for all engines. It is true for names of
// branches and tags. When a quota is used up, commits with such a name keep their snapshots.
const HeadsSQL = `n.name LIKE 'branch:%' OR n.name LIKE 'tag:%'`
