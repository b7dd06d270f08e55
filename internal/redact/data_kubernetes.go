package redact

import (
	"bytes"
)

const (
	kindSecret  = "kind: Secret"
	longestData = 8 << 10 // max bytes of the data of a Secret that are read
	maxKind     = 40      // max bytes between the data and the kind of a Secret
)

// kubernetesData finds the values below "data:" in a Kubernetes Secret, in YAML or JSON. The text begins with the
// word data. The field kind may come before the data, as people write it, or after the data, as kubectl sorts it.
func kubernetesData(p position) match {
	text := p.text[:min(len(p.text), longestData)]
	final := p.final || len(text) == longestData
	margin := bytes.TrimSuffix(thisLine(p.before), []byte("string"))
	if hasTail(margin, `"`) {
		margin = nil
	}
	if len(bytes.Trim(margin, " -")) > 0 {
		return match{}
	}
	from, to, more := dataBlock(text, margin, final)
	if more || to <= from {
		return match{more: more}
	}
	if isSecretKind(lastDocument(p.before)) {
		return match{from: from, to: to, ok: true}
	}
	behind := text[to:]
	if len(behind) < maxKind && !final {
		return match{more: true}
	}
	return match{from: from, to: to, ok: isSecretKind(behind[:min(len(behind), maxKind)])}
}

// mayHaveFields reports whether fields may follow the word data at the beginning of a text.
func mayHaveFields(text []byte) bool {
	return len(text) < len(`data": {`) || text[len("data")] == ':' || text[len("data")] == '"'
}

// isSecretKind reports whether a text declares an object of kind Secret.
func isSecretKind(text []byte) bool {
	text = bytes.ReplaceAll(text, []byte(`"`), nil)
	for _, kind := range []string{kindSecret, "kind:Secret"} {
		if i := bytes.Index(text, []byte(kind)); i >= 0 && (i+len(kind) == len(text) || !wordBytes[text[i+len(kind)]]) {
			return true
		}
	}
	return false
}

// lastDocument returns the last YAML document in a text.
func lastDocument(text []byte) []byte {
	if i := bytes.LastIndex(text, []byte("\n---")); i >= 0 {
		return text[i:]
	}
	return text
}

// dataBlock returns the range of the fields below the word data, in YAML or JSON. The text begins with that word. If
// there are no fields, the range is empty. margin is the text before the word on its line. undecided is true if further
// text is needed.
func dataBlock(text, margin []byte, final bool) (from, to int, undecided bool) {
	rest := text[min(len(text), len("data")):]
	if !bytes.EqualFold(text[:len(text)-len(rest)], []byte("data")) {
		return 0, 0, false
	}
	for _, open := range []string{":\n", ":\r\n"} {
		if !bytes.HasPrefix(rest, []byte(open)[:min(len(open), len(rest))]) || len(rest) == 0 {
			continue
		}
		from = len("data") + len(open)
		if len(text) <= from {
			return 0, 0, !final
		}
		to = from
		for line := range bytes.Lines(text[from:]) {
			if blankLen(line) <= blankLen(margin) || line[len(line)-1] != '\n' {
				return from, to, line[len(line)-1] != '\n' && !final
			}
			to += len(line)
		}
		return from, to, !final
	}
	if i := bytes.IndexByte(rest[:min(len(rest), len(`": {`))], '{'); i >= 0 && hasHead(rest, `":`) {
		from = len("data") + i + 1
		end := bytes.IndexByte(text[from:], '}')
		return from, from + end, end < 0 && !final
	}
	return 0, 0, !final && len(rest) < len(`": {`)
}
