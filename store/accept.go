package store

import (
	"fmt"
	"strings"
)

// The functions of this file check the data that a Recorder accepts.

// Checked returns the run in the form that StartRun stores. Invalid: the run has no attempt, its source is latest, or
// IsSourceName does not accept its source.
func (r Run) Checked() (Run, error) {
	switch {
	case r.Attempt == "":
		return r, Errorf(Invalid, "the run has no attempt ID")
	case !IsSourceName(r.Source) || r.Source == "latest":
		return r, Errorf(Invalid, "%q cannot name a source", r.Source)
	}
	if r.HeartbeatAt.IsZero() {
		r.HeartbeatAt = r.StartedAt
	}
	r.State, r.OpenedAt = StateRunning, r.HeartbeatAt
	if r.CI != nil {
		r.Git.Branch = HeadBranch(r.Git.Branch, r.CI.Fork, r.CI.PR)
	}
	return r, nil
}

// HeadBranch returns the name that blq stores for a run's branch. The branch of a fork gets the number of its pull
// request, as in pull/9:main, or the prefix fork: if the pull request is unknown. So a fork's branch main is not the
// repository's branch main. Git allows no colons in names of branches.
func HeadBranch(name string, fork bool, pr int) string {
	switch {
	case !fork || name == "" || strings.Contains(name, ":"):
		return name
	case pr > 0:
		return fmt.Sprintf("pull/%d:%s", pr, name)
	}
	return "fork:" + name
}

// CheckSame checks that a stored run with the same attempt is the same run. Conflict: the stored run is in another
// repository.
func (r Run) CheckSame(stored Run) error {
	if stored.Repo != r.Repo {
		return Errorf(Conflict, "attempt %s is taken", r.Attempt)
	}
	return nil
}

// CheckNew checks that the run can start. Conflict: a run with the same attempt was pruned.
func (r Run) CheckNew(pruned bool) error {
	if pruned {
		return Errorf(Conflict, "%w", NoAttempt(r.Attempt, true))
	}
	return nil
}

// CheckOpen checks that the run accepts more data. Conflict: the run is completed.
func (r Run) CheckOpen() error {
	if r.State == StateCompleted {
		return Errorf(Conflict, "run %s is completed", r.Ref())
	}
	return nil
}

// CheckRepeated checks that the chunk c is equal to the stored chunk with the same sequence. digest is the digest of
// the stored chunk. Conflict: the digests differ.
func (r Run) CheckRepeated(c Chunk, digest string) error {
	if digest != c.Digest {
		return Errorf(Conflict, "chunk %d of run %s exists with another digest", c.Sequence, r.Ref())
	}
	return nil
}

// Check checks that the event can be stored. Invalid: the event has no number, or an unknown severity.
func (e Event) Check() error {
	switch e.Severity {
	case SeverityError, SeverityWarning, SeverityInfo:
		if e.ID > 0 {
			return nil
		}
	}
	return Errorf(Invalid, "event %d of severity %q: events have a number from 1 and are error, warning or info",
		e.ID, e.Severity)
}

// EventsTaken returns the Conflict error for a batch of events in which a number occurs twice, or is already the number
// of a stored event.
func EventsTaken(events []Event) error {
	return Errorf(Conflict, "events %d to %d: a number is taken twice, or by an event of another batch", events[0].ID,
		events[len(events)-1].ID)
}

// Hashes returns the numbers of the event's fingerprint and pattern. If the event has no fingerprint or no pattern,
// Hashes computes it.
func (e Event) Hashes() (fingerprint, pattern int64) {
	fingerprint, ok := FingerprintHash(e.Fingerprint)
	if !ok {
		fingerprint, _ = FingerprintHash(Fingerprint(e))
	}
	pattern, ok = FingerprintHash(e.Pattern)
	if !ok {
		pattern, _ = FingerprintHash(Pattern(e))
	}
	return fingerprint, pattern
}

// NewReceived returns a summary of received data. chunks and batches hold the sequence numbers of received chunks and
// batches, in order.
func NewReceived(chunks, batches []int) Received {
	return Received{Chunks: contiguous(chunks), Batches: contiguous(batches), AllChunks: len(chunks),
		AllBatches: len(batches)}
}

// contiguous returns how many sequences there are from 0 to the first gap.
func contiguous(sequences []int) int {
	n := 0
	for n < len(sequences) && sequences[n] == n {
		n++
	}
	return n
}

// CommitRange returns the range of the hashes that begin with a prefix, from the first result up to the second, which
// is not in the range. Invalid: the prefix is too short.
func CommitRange(prefix string) (from, to string, err error) {
	if len(prefix) < 4 {
		return "", "", Errorf(Invalid, "commit %q is too short: at least 4 characters", prefix)
	}
	prefix = strings.ToLower(prefix)
	return prefix, prefix + "g", nil // g sorts after all hexadecimal digits, so the range ends there
}
