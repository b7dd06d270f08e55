package client

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// refused reports whether an error means that the service has no room for a part of a run. Either the run is over a
// limit, or a quota is used up.
func refused(err error) bool { return store.CodeOf(err) == store.TooLarge || used(err) }

// used reports whether an error means that a quota is used up. The quota may have room again later, but the end of a
// command does not wait for this room.
func used(err error) bool {
	code := store.CodeOf(err)
	_, soon := store.RetryAfter(err)
	return code == store.Full || code == store.RateLimited && !soon
}

// noteRefusal handles an error about missing room: it stores the error in note and returns nil. It returns all other
// errors unchanged.
func noteRefusal(err error, note *error) error {
	if !refused(err) {
		return err
	}
	*note = err
	return nil
}

// refusal returns the error with which the service refused a part of the run for lack of room. It returns nil if the
// service took everything so far.
func (u *upload) refusal() error { return cmp.Or(u.noLog, u.noEvents, u.noTests) }

// lost returns a text that names the parts for which the service has no room.
func (u *upload) lost() string {
	var parts, took []string
	if u.noLog != nil {
		parts = append(parts, "of the log")
		took = append(took, fmt.Sprintf("%d of %d pieces", u.Chunks, u.Of))
	}
	if u.noEvents != nil {
		parts = append(parts, "of the events")
		took = append(took, fmt.Sprintf("the first %d events", u.Batches*batchSize))
	}
	if u.noTests != nil {
		parts, took = append(parts, "of the results of tests"), append(took, "no results")
	}
	text := fmt.Sprintf("part %s: the service took %s: %v", strings.Join(parts, " and "), strings.Join(took, " and "),
		u.refusal())
	if u.Run.Lost != "" {
		text = u.Run.Lost + "; " + text
	}
	return text
}
