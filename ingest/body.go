package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// readBody reads a body of up to max bytes. The error is TooLarge if the body is longer, Timeout if the body did not
// arrive in time, and Invalid if the body is incomplete. The error is Unavailable if there is no memory for the body at
// the moment.
func (s *Service) readBody(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	s.Observer.Uploads(int(s.receiving.Add(1)))
	defer func() { s.Observer.Uploads(int(s.receiving.Add(-1))) }()
	text, err := httpserver.ReadBody(w, r, max)
	switch store.CodeOf(err) {
	case store.Unavailable:
		return nil, s.limited(limitUploads, err)
	case store.TooLarge:
		return nil, s.limited(limitBody, err)
	case httpserver.Timeout:
		return nil, s.limited(limitSlow, err)
	}
	return text, err
}

// readJSON reads a body that is one JSON object. It ignores unknown keys, because a newer client may send more.
func (s *Service) readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	if err := contentType(r, "application/json"); err != nil {
		return err
	}
	if err := contentEncoding(r); err != nil {
		return err
	}
	text, err := s.readBody(w, r, api.MaxJSON)
	if err != nil {
		return err
	}
	if len(text) >= longBody {
		leave, err := s.bodyTurn(r.Context(), text)
		if err != nil {
			return err
		}
		defer leave()
	}
	if err := s.holdJSON(r, text); err != nil {
		return err
	}
	return unmarshal(text, v)
}

// holdJSON reserves the memory for decoding a body. The error is TooLarge if the body has too many values, and
// Unavailable if there is no memory for it now.
func (s *Service) holdJSON(r *http.Request, text []byte) error {
	err := httpserver.HoldJSON(r.Context(), text, 1)
	if store.CodeOf(err) == store.TooLarge {
		return s.limited(limitBody, err)
	}
	return s.limited(limitUploads, err)
}

// unmarshal reads one JSON object from a caller.
func unmarshal(text []byte, v any) error {
	if !utf8.Valid(text) {
		return store.Errorf(store.Invalid, "the text is not valid UTF-8")
	}
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return store.Errorf(store.Invalid, "a JSON object is wanted")
	}
	err := json.Unmarshal(text, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return store.Errorf(store.Invalid, "%.200s: %.100s does not fit", wrong.Field, wrong.Value)
	case err != nil:
		return store.Errorf(store.Invalid, "not valid JSON: %w", err)
	}
	return nil
}

// contentType returns an error if the body declares a type that is not in types.
func contentType(r *http.Request, types ...string) error {
	given := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(given)
	if given == "" || err == nil && slices.Contains(types, kind) {
		return nil
	}
	return store.Hint(store.Errorf(httpserver.UnsupportedType, "the body must not be %.100q", given),
		"send Content-Type: %s", types[0])
}

// contentEncoding returns an error if the body has an encoding that is not in codings.
func contentEncoding(r *http.Request, codings ...string) error {
	given := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ", ")))
	if given == "" || given == "identity" || slices.Contains(codings, given) {
		return nil
	}
	if codings == nil {
		codings = []string{"identity"}
	}
	return store.Hint(store.Errorf(httpserver.UnsupportedType, "the body must not be encoded as %.100q", given),
		"send Content-Encoding: %s", codings[0])
}

// checkDigest compares a body with the digest in the header of the request. The error is Invalid if they differ, if the
// header has no valid SHA-256 digest, or if a required header is missing.
func checkDigest(r *http.Request, body []byte, wanted bool) (digest string, err error) {
	given := r.Header.Get(api.DigestHeader)
	if given == "" && !wanted {
		return "", nil
	}
	for field := range strings.SplitSeq(given, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if !strings.EqualFold(name, "sha-256") {
			continue
		}
		sum := sha256.Sum256(body)
		want, err := base64.StdEncoding.Strict().DecodeString(strings.Trim(value, ":"))
		if err != nil || !strings.HasPrefix(value, ":") || !strings.HasSuffix(value, ":") || len(want) != len(sum) {
			break
		}
		if !bytes.Equal(want, sum[:]) {
			return "", store.Hint(store.Errorf(store.Invalid, "the body does not have the digest in %s", api.DigestHeader),
				"send it again")
		}
		return hex.EncodeToString(sum[:]), nil
	}
	return "", store.Hint(store.Errorf(store.Invalid, "%s is missing or has no SHA-256", api.DigestHeader),
		"send %s: sha-256=:BASE64:", api.DigestHeader)
}
