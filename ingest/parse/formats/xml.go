package formats

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// readXML calls the function each for every token of a document. offset is where the token starts. The function may
// use dec to read the rest of an element. readXML accepts the invalid XML that some tools write.
func readXML(data []byte, each func(dec *xml.Decoder, tok xml.Token, offset int) error) error {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		offset := int(dec.InputOffset())
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(dec, tok, offset); err != nil {
			return err
		}
	}
}

func xmlAttr(el xml.StartElement, name string) string {
	for _, a := range el.Attr {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// xmlText reads to the end of the current element and returns its text. The text of an inner element is left out,
// unless the element is a stackTrace. Surefire puts the stack trace of a flaky test into such an element. After an
// error, xmlText returns the text so far.
func xmlText(dec *xml.Decoder) (string, error) {
	var b strings.Builder
	inTrace := 0
	for depth := 1; depth > 0; {
		tok, err := dec.Token()
		if err != nil {
			return b.String(), err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if depth++; t.Name.Local == "stackTrace" {
				inTrace = depth
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if b.Len() < maxJUnitText && (depth == 1 || depth == inTrace) {
				b.Write(t)
			}
		}
	}
	return b.String(), nil
}
