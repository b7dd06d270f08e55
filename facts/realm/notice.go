package realm

import (
	"encoding/base32"
	"encoding/binary"
	"time"

	"github.com/blq-ci/blq/store"
)

// crockford is the alphabet of ULIDs.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// Notice returns the notification of a change that was found at a time. Its ID is a ULID of the time and the change, so
// that the same change at the same time has the same.
func (c Change) Notice(realm, realmName, fromRepo string, at time.Time) store.Notification {
	n := store.Notification{Key: c.key(realm), Realm: realmName, Domain: c.Domain, Contract: c.Contract, From: c.From,
		FromRepo: fromRepo, Change: string(c.Type), OldVersion: c.OldVersion, NewVersion: c.NewVersion, Breaking: c.Breaking,
		CreatedAt: at.UTC().Truncate(time.Microsecond)}
	var id [18]byte // of which the first two bits are cut: 130 bits are 26 characters
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli()))
	copy(id[8:], sum([]byte(n.Key)))
	n.ID = "notif-" + ulid(id)
	return n
}

// ulid writes 48 bits of time and 80 others as 26 characters.
func ulid(id [18]byte) string {
	var bits [20]byte // 4 bytes of zeros make a multiple of 5
	copy(bits[4:], id[2:])
	return crockford.EncodeToString(bits[:])[6:]
}
