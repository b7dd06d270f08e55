package gcs

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/blq-ci/blq/store/blob"
)

// page is the max number of names that a request can return.
const page = 1000

// List implements store.Blobs.
func (b *Bucket) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	var keys []string
	for token, more := "", true; more; more = token != "" {
		var found []*storage.ObjectAttrs
		var next string
		err := b.retry(ctx, func(ctx context.Context) (err error) {
			found, next, err = b.names(ctx, prefix, after, token, page)
			return err
		})
		if err != nil {
			return nil, b.failed("list", prefix, err)
		}
		for _, o := range found {
			if key := strings.TrimPrefix(o.Name, b.prefix); blob.CheckKey(key) == nil && key > after {
				keys = append(keys, key)
			}
		}
		if token = next; limit > 0 && len(keys) >= limit {
			break
		}
	}
	slices.Sort(keys)
	if limit > 0 && len(keys) > limit {
		keys = keys[:limit]
	}
	return keys, nil
}

// names returns the names of the objects on one page. nextToken is the token of the next page,
// or "" if this page is the last.
func (b *Bucket) names(ctx context.Context, prefix, after, token string, size int) (
	found []*storage.ObjectAttrs, nextToken string,
	err error) {
	q := &storage.Query{Prefix: b.prefix + prefix, Projection: storage.ProjectionNoACL}
	if after != "" {
		q.StartOffset = b.prefix + after // StartOffset is inclusive
	}
	if err := q.SetAttrSelection([]string{"Name"}); err != nil {
		return nil, "", err
	}
	nextToken, err = iterator.NewPager(b.bucket().Objects(ctx, q), size, token).NextPage(&found)
	return found, nextToken, err
}
