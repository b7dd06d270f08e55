package parse

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"github.com/blq-ci/blq/store"
)

// identities finds the file names and fingerprints of events. Without a work tree, it caches them for recent events,
// because many logs report the same finding several times. For example, compilers repeat a finding for each file that
// includes a header, and builds repeat it for each configuration.
type identities struct {
	seed  maphash.Seed
	known []identity // indexed by a hash of the key; nil before the first event
	key   []byte     // key of the newest event
}

// identity is the file name and the fingerprint of events with the same key.
type identity struct{ key, file, fingerprint string }

const (
	knownIdentities = 1 << 12
	maxIdentity     = 4 << 10 // max bytes of a key that is cached
)

// set makes the file of e relative to the repository, and sets the fingerprint. dir is the directory in which the tool
// worked when it printed the file name, "" for the directory of the command.
func (ids *identities) set(e *store.Event, dir string, p *paths) {
	if p.tree != nil { // files may appear in the work tree at any time
		identify(e, dir, p)
		return
	}
	if ids.known == nil {
		ids.seed, ids.known = maphash.MakeSeed(), make([]identity, knownIdentities)
	}
	ids.key = ids.key[:0]
	for _, text := range [...]string{e.Message, e.Test, e.Tool, e.Code, e.File, string(e.Category), dir} {
		ids.key = append(binary.AppendUvarint(ids.key, uint64(len(text))), text...)
	}
	at := &ids.known[maphash.Bytes(ids.seed, ids.key)%knownIdentities]
	if at.key != string(ids.key) {
		identify(e, dir, p)
		if len(ids.key) <= maxIdentity {
			*at = identity{string(ids.key), strings.Clone(e.File), e.Fingerprint}
		}
		return
	}
	if e.File != "" {
		place(e, at.file)
	}
	e.Fingerprint = at.fingerprint
}

func identify(e *store.Event, dir string, p *paths) {
	if e.File != "" {
		place(e, p.clean(e.File, dir))
	}
	e.Fingerprint = store.Fingerprint(*e)
}

// place sets the file of e. If file is "", place also clears the line and the column.
func place(e *store.Event, file string) {
	if e.File = file; file == "" {
		e.Line, e.Column = 0, 0
	}
}
