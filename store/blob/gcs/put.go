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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Put implements store.Blobs. The bucket stores the whole object with a checksum, or nothing. When Put returns, the
// object is durable. Unavailable: the bucket cannot be reached or refuses the request. The error says why.
func (b *Bucket) Put(ctx context.Context, key string, data []byte) error {
	o, err := b.object(key)
	if err != nil {
		return err
	}
	err = b.retry(ctx, func(ctx context.Context) error {
		err := write(ctx, o, data)
		if status(err) == http.StatusPreconditionFailed { // an earlier attempt may have stored the object
			return same(ctx, o, key, data)
		}
		return err
	})
	return b.failed("put", key, err)
}

// write stores a new object in one request.
func write(ctx context.Context, o *storage.ObjectHandle, data []byte) error {
	w := o.If(storage.Conditions{DoesNotExist: true}).NewWriter(ctx)
	w.ChunkSize = 0
	w.ContentType = "application/octet-stream"
	w.CRC32C = crc32.Checksum(data, castagnoli)
	w.SendCRC32C = true
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}

// same checks that an existing object has the same data. Conflict: the object has other data.
func same(ctx context.Context, o *storage.ObjectHandle, key string, data []byte) error {
	have, err := read(ctx, o)
	switch {
	case errors.Is(err, storage.ErrObjectNotExist):
		return fmt.Errorf("the object went away while it was looked at")
	case err != nil:
		return err
	case !bytes.Equal(have, data):
		return store.Errorf(store.Conflict, "object %s exists with other content", key)
	}
	return nil
}
