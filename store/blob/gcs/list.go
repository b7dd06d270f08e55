package gcs

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/blq-ci/blq/store/blob"
)

// page is how many names one request asks for, the max of an answer.
const page = 1000

// List implements store.Blobs.
func (b *Bucket) List(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	for token, more := "", true; more; more = token != "" {
		var found []*storage.ObjectAttrs
		var next string
		err := b.retry(ctx, func(ctx context.Context) (err error) {
			found, next, err = b.names(ctx, prefix, token, page)
			return err
		})
		if err != nil {
			return nil, b.failed("list", prefix, err)
		}
		for _, o := range found {
			if key := strings.TrimPrefix(o.Name, b.prefix); blob.CheckKey(key) == nil {
				keys = append(keys, key)
			}
		}
		token = next
	}
	slices.Sort(keys)
	return keys, nil
}

// names returns the names of the objects on one page.
func (b *Bucket) names(ctx context.Context, prefix, token string, size int) (found []*storage.ObjectAttrs, next string,
	err error) {
	q := &storage.Query{Prefix: b.prefix + prefix, Projection: storage.ProjectionNoACL}
	if err := q.SetAttrSelection([]string{"Name"}); err != nil {
		return nil, "", err
	}
	next, err = iterator.NewPager(b.bucket().Objects(ctx, q), size, token).NextPage(&found)
	return found, next, err
}
