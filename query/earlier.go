package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// These limits bound the search for an event by its fingerprint.
const (
	maxEarlier = 20   // max fingerprints of a filter
	maxLike    = 5000 // max events with the fingerprint's tool and category
)

// addEarlier adds fingerprints to the conditions of a filter. Earlier versions of blq stored the same event under
// another fingerprint, so each fingerprint in a condition gets the earlier fingerprints of its event, too.
func (a *Asker) addEarlier(ctx context.Context, where []store.Condition) error {
	for i, c := range where {
		if c.Field != "fingerprint" || c.Op == store.Contains || len(c.Values) > maxEarlier {
			continue
		}
		for _, v := range c.Values {
			e, found, err := a.withFingerprint(ctx, "", v)
			if err != nil {
				return err
			}
			if found {
				where[i].Values = append(where[i].Values, store.EarlierFingerprints(e)...)
			}
		}
	}
	return nil
}

// withFingerprint searches for an event that has the given fingerprint under today's rules. If no event is stored with
// this fingerprint, it reads the newest events of the same tool and category. The repository "" means any repository.
// The bool result reports whether there is such an event.
func (a *Asker) withFingerprint(ctx context.Context, repo, fingerprint string) (store.Event, bool, error) {
	if _, ok := store.FingerprintHash(fingerprint); !ok {
		return store.Event{}, false, nil
	}
	f := store.EventFilter{Runs: store.RunFilter{Repo: repo}, Fingerprints: []string{fingerprint}, Limit: 1,
		Uncounted: true}
	page, err := a.Store.Events(ctx, a.Scope, f)
	if err != nil || len(page.Events) > 0 {
		return first(page.Events), err == nil, err
	}
	label := fingerprint[:strings.LastIndexByte(fingerprint, '_')]
	cut := strings.LastIndexByte(label, '_')
	if cut < 0 {
		return store.Event{}, false, nil
	}
	f.Fingerprints, f.Limit = nil, maxLike
	f.Where = []store.Condition{
		{Field: "tool_name", Op: store.Equal, Values: []string{label[:cut]}},
		{Field: "category", Op: store.Equal, Values: []string{label[cut+1:]}},
	}
	page, err = a.Store.Events(ctx, a.Scope, f)
	for _, e := range page.Events {
		if e.Fingerprint == fingerprint {
			return e.Event, true, err
		}
	}
	return store.Event{}, false, err
}

func first(events []store.RunEvent) store.Event {
	if len(events) == 0 {
		return store.Event{}
	}
	return events[0].Event
}
