// Package blob stores objects, such as chunks of logs, in files. Its Open accepts only file URLs. Package
// store/blob/gcs stores objects in Google Cloud Storage, and package store/blob/open opens both kinds by URL.
package blob

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Open returns the object storage at a file URL: file:///var/lib/blq, or file://logs for a relative path. Invalid:
// the URL is not a file URL.
func Open(_ context.Context, url string) (store.Blobs, error) {
	kind, rest, ok := strings.Cut(url, "://")
	switch {
	case ok && kind == "file" && rest != "":
		return OpenFile(rest)
	}
	return nil,
		store.Hint(store.Errorf(store.Invalid, "%.100q is not a place for logs", url),
			"write it like file:///var/lib/blq/logs")
}

const maxKey = 1000

// CheckKey checks the syntax of an object's key. An example of a key is logs/7f/a.zst. Every implementation of
// store.Blobs calls CheckKey. Invalid: the key or a part between slashes is empty or too long, a part begins with a
// dot, or a character is not allowed.
func CheckKey(key string) error {
	bad := key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool {
		return !strings.ContainsRune(keyCharacters, r)
	})
	for part := range strings.SplitSeq(key, "/") {
		bad = bad || part == "" || len(part) > 200 || part[0] == '.'
	}
	if bad {
		return store.Errorf(store.Invalid,
			"%.100q is not a key: it needs parts of letters, digits and ._-=+ separated by /",
			key)
	}
	return nil
}

const keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-=+/"
