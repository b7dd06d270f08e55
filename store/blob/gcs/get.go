package gcs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"

	"cloud.google.com/go/storage"

	"github.com/blq-ci/blq/store"
)

// Get implements store.Blobs. It returns exactly the bytes that were put, or an error.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	o, err := b.object(key)
	if err != nil {
		return nil, err
	}
	var data []byte
	err = b.retry(ctx, func(ctx context.Context) error {
		if data, err = read(ctx, o); errors.Is(err, storage.ErrObjectNotExist) {
			return b.missing(ctx, key)
		}
		return err
	})
	if err != nil {
		return nil, b.failed("get", key, err)
	}
	return data, nil
}

// preallocated is the max number of bytes that read allocates for an announced size, before the bytes have arrived.
const preallocated = 16 << 20

// read returns the bytes of an object, and checks their checksum. It does this itself, because Google's client does
// not check all objects: it skips objects that were decompressed on the way.
func read(ctx context.Context, o *storage.ObjectHandle) ([]byte, error) {
	r, err := o.NewReader(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var buf bytes.Buffer
	buf.Grow(int(min(max(r.Attrs.Size, 0), preallocated)) + bytes.MinRead)
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, err
	}
	if sum := crc32.Checksum(buf.Bytes(), castagnoli); sum != r.Attrs.CRC32C {
		return nil, fmt.Errorf("the object came damaged: its checksum is %08x, not %08x", sum, r.Attrs.CRC32C)
	}
	if buf.Len() == 0 { // a response without a checksum has the checksum 0
		return buf.Bytes(), empty(ctx, o)
	}
	return buf.Bytes(), nil
}

func empty(ctx context.Context, o *storage.ObjectHandle) error {
	attrs, err := o.Attrs(ctx)
	if err == nil && attrs.Size != 0 {
		err = fmt.Errorf("the object came empty instead of with %d bytes", attrs.Size)
	}
	return err
}

// missing returns the NotFound error for an object that does not exist. If the bucket cannot be listed, it returns the
// error of listing instead, unless listing is forbidden.
func (b *Bucket) missing(ctx context.Context, key string) error {
	if err := b.look(ctx); err != nil && status(err) != http.StatusForbidden {
		return err
	}
	return store.Errorf(store.NotFound, "no object %s", key)
}

// Delete implements store.Blobs.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	o, err := b.object(key)
	if err != nil {
		return err
	}
	err = b.retry(ctx, func(ctx context.Context) error {
		err := o.Delete(ctx)
		if isNotFound(err) {
			err = b.missing(ctx, key)
		}
		return err
	})
	if store.CodeOf(err) == store.NotFound {
		return nil
	}
	return b.failed("delete", key, err)
}
