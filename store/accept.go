package store

import "strings"

// This file holds the rules of what a Recorder accepts.

// Checked returns the run as StartRun stores it. Invalid: it has no attempt, or
// its source is no name of one.
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
	return r, nil
}

// CheckSame says whether a run that has the attempt of a new one is the same.
// Conflict: it is of another repository.
func (r Run) CheckSame(stored Run) error {
	if stored.Repo != r.Repo {
		return Errorf(Conflict, "attempt %s is taken", r.Attempt)
	}
	return nil
}

// CheckNew says whether the run can be started. Conflict: a run of its attempt
// was pruned.
func (r Run) CheckNew(pruned bool) error {
	if pruned {
		return Errorf(Conflict, "%w", NoAttempt(r.Attempt, true))
	}
	return nil
}

// CheckOpen says whether the run takes more. Conflict: it is completed.
func (r Run) CheckOpen() error {
	if r.State == StateCompleted {
		return Errorf(Conflict, "run %s is completed", r.Ref())
	}
	return nil
}

// CheckRepeated says whether a chunk that is there already, with a digest, is
// the same as c. Conflict: it is another one.
func (r Run) CheckRepeated(c Chunk, digest string) error {
	if digest != c.Digest {
		return Errorf(Conflict, "chunk %d of run %s exists with another digest", c.Sequence, r.Ref())
	}
	return nil
}

// Check says whether an event can be stored. Invalid: it has no number, or a
// severity that does not exist.
func (e Event) Check() error {
	switch e.Severity {
	case SeverityError, SeverityWarning, SeverityInfo:
		if e.ID > 0 {
			return nil
		}
	}
	return Errorf(Invalid, "event %d of severity %q: events have a number from 1 and are error, warning or info", e.ID, e.Severity)
}

// EventsTaken returns the Conflict of events of which one has a number that is
// taken.
func EventsTaken(events []Event) error {
	return Errorf(Conflict, "events %d to %d: a number is taken twice, or by an event of another batch", events[0].ID, events[len(events)-1].ID)
}

// Hashes returns the numbers in the event's fingerprint and pattern, which are
// computed where the event has none.
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

// NewReceived says how much is there by the sequences of chunks and of batches,
// which are in order.
func NewReceived(chunks, batches []int) Received {
	return Received{Chunks: contiguous(chunks), Batches: contiguous(batches), AllChunks: len(chunks), AllBatches: len(batches)}
}

// contiguous returns how many numbers from 0 on there are without a gap.
func contiguous(sequences []int) int {
	n := 0
	for n < len(sequences) && sequences[n] == n {
		n++
	}
	return n
}

// CommitRange returns the bounds between which commits begin with a prefix: from
// is part of the range, to is not. Invalid: the prefix is too short.
func CommitRange(prefix string) (from, to string, err error) {
	if len(prefix) < 4 {
		return "", "", Errorf(Invalid, "commit %q is too short: at least 4 characters", prefix)
	}
	prefix = strings.ToLower(prefix)
	return prefix, prefix + "g", nil // the next after all hexadecimal digits
}
