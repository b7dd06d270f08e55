package action

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// factsWanted describes which facts of its commit a job should send.
type factsWanted struct {
	kinds   []store.FactKind // kinds of facts; nil means that no facts are sent
	empty   bool             // also send kinds for which the commit has no file
	exclude []string         // files and directories that are left out
}

// facts reads the input "facts": auto, off, or a list of kinds. An entry -PATH in the list excludes a path.
func (r *reader) facts() factsWanted {
	var w factsWanted
	var named []store.FactKind
	off := false
	for word := range strings.FieldsSeq(r.look("facts")) {
		path, excluded := strings.CutPrefix(word, "-")
		kind := store.FactKind(strings.ToLower(word))
		switch {
		case excluded:
			w.exclude = append(w.exclude, path)
		case slices.Contains(store.FactKinds, kind):
			named = append(named, kind)
		case kind == "off":
			off = true
		case kind != "auto":
			r.complain("facts", "%q is none of auto, off, docs, code, graph, contracts, deps and -PATH; it is left out", word)
		}
	}
	switch {
	case off:
	case named != nil:
		w.kinds, w.empty = named, true
	default:
		w.kinds = []store.FactKind{store.FactDocs, store.FactDeps, store.FactGraph, store.FactContracts,
			store.FactCode}
	}
	return w
}

// sendFacts sends the facts of a run's commit, once per job. It stops when ctx ends, and never fails the step.
func (x *sending) sendFacts(ctx context.Context, r store.Run) {
	if x.to == nil || len(x.in.Facts.kinds) == 0 {
		return
	}
	from := &worktree.Source{Root: x.w.Root(), Cache: x.w.FactsCache(), Exclude: x.in.Facts.exclude}
	snapshot, err := from.Told(ctx, r)
	if store.CodeOf(err) == store.NotFound {
		return // the repository is not checked out yet
	}
	note := x.to.URL() + " " + snapshot.Commit
	if text, unread := os.ReadFile(x.state.path("facts")); unread == nil && string(text) == note {
		return
	}
	if err == nil {
		err = x.pushFacts(ctx, from, snapshot)
	}
	switch {
	case err == nil, store.CodeOf(err) == store.NotFound: // NotFound: the server accepts no facts
	case ctx.Err() != nil || client.Passing(err):
		x.lost = append(x.lost, "the facts of the commit are not sent yet: "+err.Error()+"; a later step tries again")
		return
	default:
		x.lost = append(x.lost, "the facts of the commit are not sent: "+err.Error())
	}
	_ = os.WriteFile(x.state.path("facts"), []byte(note), 0o644) // if this fails, the next step asks the server again
}

// pushFacts sends the wanted kinds of facts. If one kind fails, it still sends the other kinds, and returns the first
// error. A Conflict is no failure: the service has other facts of the commit.
func (x *sending) pushFacts(ctx context.Context, from *worktree.Source, snapshot store.Snapshot) error {
	ancestors, err := from.Ancestors(ctx, snapshot.Commit, api.MaxAncestors)
	if err != nil {
		return err
	}
	record.HideSnapshot(x.Redactor, &snapshot)
	secrets := x.Redactor.ForDocuments()
	var failed []error
	declared := false // whether the commit has nodes or rules; if not, source files are not read
	for _, kind := range x.in.Facts.kinds {
		found, err := from.AtCommit(ctx, snapshot.Commit, kind)
		if err == nil {
			set := found.Set.(*facts.Listed)
			declared = declared || kind == store.FactGraph && findings.Declares(set.Files())
			if !x.in.Facts.empty && (len(set.Files()) == 0 && kind != store.FactDocs || kind == store.FactCode && !declared) {
				continue
			}
			snapshot.Kind = kind
			if set, _, err = set.Hidden(ctx, secrets.Blank); err != nil {
				return err
			}
			_, err = client.FactsPush{Client: x.to, Snapshot: snapshot, Ancestors: ancestors, Set: set}.Push(ctx)
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil && store.CodeOf(err) != store.Conflict {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return failed[0]
	}
	return nil
}
