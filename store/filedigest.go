package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
)

// FileDigests holds digests of the files in a run's events. The keys are the names of the files in the events. The
// digests were computed at the end of the run. A new digest of a file shows whether the file has changed since then.
type FileDigests map[string]string

// These limits bound the digests of a run. Further files have no digest.
const (
	MaxFileDigests     = 200
	maxFileDigestBytes = 32 << 10 // max bytes of the digests as JSON
)

// FileDigest returns the digest of a file's content: the first eight bytes of its SHA-256 as hexadecimal digits.
func FileDigest(content io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Text returns the digests in the form that stores use. It returns "" if there are no digests. If there are too many,
// it leaves some out.
func (d FileDigests) Text() string {
	kept, size := FileDigests{}, 2
	for file, digest := range d {
		text, err := json.Marshal(FileDigests{file: digest})
		if err != nil || len(kept) == MaxFileDigests || size+len(text) > maxFileDigestBytes {
			continue
		}
		kept[file], size = digest, size+len(text)
	}
	if len(kept) == 0 {
		return ""
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return ""
	}
	return string(text)
}

// ReadFileDigests parses the result of Text.
func ReadFileDigests(text string) (FileDigests, error) {
	if text == "" {
		return nil, nil
	}
	var d FileDigests
	return d, json.Unmarshal([]byte(text), &d)
}
