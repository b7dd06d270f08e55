package realm

import (
	"encoding/base32"
	"encoding/binary"
	"time"

	"github.com/blq-ci/blq/store"
)

// crockford is the alphabet of ULIDs.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// Notice returns the notification of a change that was found at a time. The ID is a ULID of the time and the change,
// so equal changes at the same time have equal IDs.
func (c Change) Notice(realm, realmName, fromRepo string, at time.Time) store.Notification {
	n := store.Notification{Key: c.key(realm), Realm: realmName, Domain: c.Domain, Contract: c.Contract, From: c.From,
		FromRepo: fromRepo, Change: string(c.Type), OldVersion: c.OldVersion, NewVersion: c.NewVersion, Breaking: c.Breaking,
		CreatedAt: at.UTC().Truncate(time.Microsecond)}
	var id [18]byte // the first two bits are cut: 130 bits are 26 characters
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli()))
	copy(id[8:], sum([]byte(n.Key)))
	n.ID = "notif-" + ulid(id)
	return n
}

// ulid encodes 48 bits of time and 80 further bits as 26 characters.
func ulid(id [18]byte) string {
	var bits [20]byte // 4 zero bytes make the length a multiple of 5
	copy(bits[4:], id[2:])
	return crockford.EncodeToString(bits[:])[6:]
}
