package source

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
)

// errSlow is the error of a fetch that is too slow.
var errSlow = errors.New("too little arrives")

// readText returns the body of a response as UTF-8. It calls end if the body arrives too slowly.
func readText(answer *http.Response, limits Limits, end func()) ([]byte, error) {
	charset, err := checkType(answer)
	if err != nil {
		return nil, err
	}
	if answer.ContentLength > limits.Bytes {
		return nil, tooLarge(limits)
	}
	raw := newPaced(answer.Body, limits, end)
	defer raw.timer.Stop()
	var body io.Reader = &capped{from: raw, left: limits.Bytes, err: tooLarge(limits)}
	switch strings.ToLower(answer.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", raw.reason(err))
		}
		body = &capped{from: unpacked, left: limits.Bytes, err: tooLarge(limits)}
	default:
		return nil, store.Errorf(store.Failed, "the answer has an encoding that was not asked for")
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read: %w", raw.reason(err))
	}
	if text, err = decode(text, charset); err != nil {
		return nil, err
	}
	return text, checkContent(answer, text)
}

func tooLarge(limits Limits) error {
	return store.Hint(store.Errorf(store.TooLarge, "the text has more than %d MB", limits.Bytes>>20),
		"give the address of a part of it, such as an llms.txt of one product")
}

// capped reads at most left bytes. A longer text is an error.
type capped struct {
	from io.Reader
	left int64
	err  error
}

func (c *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.from.Read(p)
	if int64(n) > c.left {
		return 0, c.err
	}
	c.left -= int64(n)
	return n, err
}

// checkType returns the charset of a response, or "" if there is none. The error is Failed if the response is not
// text.
func checkType(answer *http.Response) (string, error) {
	given := answer.Header.Get("Content-Type")
	if given == "" {
		return "", nil
	}
	kind, params, err := mime.ParseMediaType(given)
	if err != nil && kind == "" {
		return "", store.Errorf(store.Failed, "the answer has a content type that cannot be read")
	}
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return "", isPage(answer)
	case kind == "text/plain", kind == "text/markdown", kind == "text/x-markdown", kind == "text/mdx",
		kind == "text/x-rst",
		kind == "text/asciidoc", kind == "text/x-asciidoc", kind == "application/octet-stream" && hasTextName(answer):
		return strings.ToLower(params["charset"]), nil
	}
	return "", store.Hint(store.Errorf(store.Failed, "the answer is %.60s, not text", kind),
		"give the address of plain text or Markdown")
}

// hasTextName reports whether the path of a response has the ending of a text file.
func hasTextName(answer *http.Response) bool {
	switch strings.ToLower(path.Ext(answer.Request.URL.Path)) {
	case ".txt", ".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc":
		return true
	}
	return false
}

// isPage returns the error for a response that is a web page and not text.
func isPage(answer *http.Response) error {
	u := answer.Request.URL
	return store.Hint(store.Errorf(store.Failed, "it is a web page, not text"),
		"many sites have their documentation as text at %s://%s/llms-full.txt or /llms.txt", u.Scheme, u.Host)
}

// checkContent checks that a text is not a web page, not binary and not empty.
func checkContent(answer *http.Response, text []byte) error {
	head := bytes.ToLower(bytes.TrimSpace(text[:min(len(text), 512)]))
	switch {
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return isPage(answer)
	case bytes.IndexByte(head, 0) >= 0:
		return store.Hint(store.Errorf(store.Failed, "the answer is not text"), "give the address of plain text or Markdown")
	case len(bytes.TrimSpace(text)) == 0:
		return store.Hint(store.Errorf(store.Failed, "the text is empty"), "check the address")
	}
	return nil
}

// decode returns a text as UTF-8. Invalid bytes become U+FFFD.
func decode(text []byte, charset string) ([]byte, error) {
	switch {
	case bytes.HasPrefix(text, []byte{0xef, 0xbb, 0xbf}):
		text, charset = text[3:], "utf-8"
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return decode16(text[2:], binary.BigEndian), nil
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		return decode16(text[2:], binary.LittleEndian), nil
	}
	switch charset {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return bytes.ToValidUTF8(text, []byte("\uFFFD")), nil
	case "iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252":
		return decodeLatin(text), nil
	case "utf-16", "utf-16be":
		return decode16(text, binary.BigEndian), nil
	case "utf-16le":
		return decode16(text, binary.LittleEndian), nil
	}
	return nil,
		store.Hint(store.Errorf(store.Failed, "the text is in %.40q", charset), "give the address of a text in UTF-8")
}

// windows1252 are the characters 0x80 to 0x9f of windows-1252. Browsers use these characters for ISO 8859-1, too.
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

func decodeLatin(text []byte) []byte {
	high := []rune(windows1252)
	out := make([]byte, 0, len(text)+len(text)/8)
	for _, b := range text {
		r := rune(b)
		if b >= 0x80 && b <= 0x9f {
			r = high[b-0x80]
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

func decode16(text []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
