package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// putObject stores a file or a manifest of facts.
func (s *Service) putObject(w http.ResponseWriter, r *http.Request) error {
	digest := r.PathValue("digest")
	if !store.IsDigest(digest) {
		return store.Errorf(store.Invalid, "%.80q is not a SHA-256 in hexadecimal", digest)
	}
	return s.takeObjects(w, r, bodyLimits{api.MaxObject, api.MaxObject}, func(in *unpacked) ([]facts.Content, error) {
		text, err := in.all()
		if err != nil {
			return nil, s.unreadable(err)
		}
		content := facts.ContentOf(text)
		if content.Digest != digest {
			return nil, store.Hint(store.Errorf(store.Invalid, "the body does not have the digest %.12s", digest),
				"send it again")
		}
		return []facts.Content{content}, nil
	})
}

// putObjects stores all objects of a body. If it fails, it stores none of them. The objects are files and manifests
// of facts.
func (s *Service) putObjects(w http.ResponseWriter, r *http.Request) error {
	limits := bodyLimits{api.MaxObjectsBody, api.MaxObjectsText}
	return s.takeObjects(w, r, limits, func(body *unpacked) ([]facts.Content, error) {
		in := bufio.NewReader(body)
		var contents []facts.Content
		for {
			content, err := s.nextObject(in, len(contents)+1)
			switch {
			case errors.Is(err, io.EOF):
				return contents, nil
			case err != nil:
				return nil, err
			case len(contents) == api.MaxObjects:
				return nil, s.limited(limitBody, store.Hint(store.Errorf(store.TooLarge,
					"the body has more than %d objects", api.MaxObjects), "send fewer at a time"))
			}
			contents = append(contents, content)
		}
	})
}

// nextObject reads the n-th object of a body: its line (see api.ObjectLine) and its content. It returns io.EOF at the
// end of the body.
func (s *Service) nextObject(in *bufio.Reader, n int) (facts.Content, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return facts.Content{}, io.EOF
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
		return facts.Content{}, s.unreadable(err)
	}
	digest, number, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	size, wrong := strconv.ParseUint(number, 10, 31)
	if err != nil || wrong != nil || !store.IsDigest(digest) {
		return facts.Content{}, store.Hint(store.Errorf(store.Invalid, "object %d begins with %.100q", n, line),
			"begin each object with a line of its SHA-256 in hexadecimal, a blank and its bytes")
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(size)))
	if err != nil {
		return facts.Content{}, s.unreadable(err)
	}
	if uint64(len(text)) != size {
		return facts.Content{}, store.Errorf(store.Invalid, "object %d (%.12s) has %d bytes, and the body ends after %d", n,
			digest, size, len(text))
	}
	content := facts.ContentOf(text)
	if content.Digest != digest {
		return facts.Content{}, store.Hint(store.Errorf(store.Invalid, "object %d does not have the digest %.12s", n, digest),
			"nothing of the body was stored: send it again")
	}
	return content, nil
}

// bodyLimits are the max bytes of a body as it is sent, and after decompression.
type bodyLimits struct{ sent, unpacked int64 }

// takeObjects calls decode with the body of a request, and stores the objects that decode returns.
func (s *Service) takeObjects(w http.ResponseWriter, r *http.Request, limits bodyLimits,
	decode func(in *unpacked) ([]facts.Content, error)) error {
	repo, err := objectsRepo(r)
	if err != nil {
		return err
	}
	if err := contentType(r, "application/octet-stream", "application/zstd", "text/plain"); err != nil {
		return err
	}
	if err := contentEncoding(r, "zstd"); err != nil {
		return err
	}
	size := bodySize(r, limits.sent)
	if err := s.limited(limitBytes, s.rates.body(repo, min(size, int64(s.Limits.BytesBurst)))); err != nil {
		return err
	}
	// The number of objects is known only after the body is read. Until then the claim is for one object.
	done, err := s.claim(r.Context(), repo, store.Claim{Bytes: store.ObjectRow + size})
	if err != nil {
		return err
	}
	body, err := s.readBody(w, r, limits.sent)
	var contents []facts.Content
	if err == nil {
		contents, err = s.unpackObjects(r, body, limits.unpacked, decode)
	}
	done()
	if err != nil {
		return err
	}
	added, err := s.keepObjects(r.Context(), repo, contents)
	if err != nil {
		return err
	}
	if added > 0 {
		s.Observer.Received(KindObject, added, int64(len(body)))
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// unpackObjects calls read with the decompressed body. The decompressed body may have at most max bytes.
func (s *Service) unpackObjects(r *http.Request, body []byte, max int64,
	read func(in *unpacked) ([]facts.Content, error)) ([]facts.Content, error) {
	leave, err := s.bodyTurn(r.Context(), body)
	if err != nil {
		return nil, err
	}
	defer leave()
	in, done, err := unpack(r, body, max)
	if err != nil {
		return nil, s.unreadable(err)
	}
	defer done()
	return read(in)
}

// objectsRepo returns the repository that a request sends objects for.
func objectsRepo(r *http.Request) (string, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", store.Errorf(store.Invalid, "the query cannot be read")
	}
	p := caller(r.Context())
	repo := q.Get(api.ParamRepo)
	if p.Facts != nil {
		repo = p.Facts.Repo
	}
	return writable(p, repo)
}

// keepObjects stores the contents that the repository does not have yet, if the quotas have room for them. It
// returns the number of stored objects.
func (s *Service) keepObjects(ctx context.Context, repo string, contents []facts.Content) (int, error) {
	byDigest := make(map[string]facts.Content, len(contents))
	digests := make([]string, 0, len(contents))
	for _, content := range contents {
		if _, twice := byDigest[content.Digest]; !twice {
			digests = append(digests, content.Digest)
		}
		byDigest[content.Digest] = content
	}
	known, err := s.Store.Objects(ctx, store.Repos(repo), repo, digests)
	if err != nil {
		return 0, err
	}
	for _, o := range known {
		delete(byDigest, o.Digest)
	}
	var added []facts.Content
	var c store.Claim
	for _, digest := range digests {
		if content, missing := byDigest[digest]; missing {
			added = append(added, content)
			c.Bytes += store.ObjectRow + int64(len(content.Text))
		}
	}
	if len(added) == 0 {
		return 0, nil
	}
	done, err := s.claim(ctx, repo, c)
	if err != nil {
		return 0, err
	}
	defer done()
	ctx, cancel := s.whole(ctx)
	defer cancel()
	return len(added), facts.AddObjects(ctx, s.Store, s.Blobs, repo, added, s.Now())
}
