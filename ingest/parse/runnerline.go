package parse

import "bytes"

// earthlyPad is the width to which Earthly pads the name of a target.
const earthlyPad = 20

// stripRunner removes the prefix that Cloud Build, act or Earthly puts before each line of a step. The name in the
// prefix becomes the name of the lane, so that each step is parsed alone.
func (out *enveloped) stripRunner(b []byte) []byte {
	switch b[0] {
	case 'S': // Cloud Build: "Step #1: ", `Step #1 - "test": `
		name, _, ok := bytes.Cut(b[:min(len(b), 100)], []byte(": "))
		if ok && bytes.HasPrefix(name, []byte("Step #")) && IsDigit(name[len(name)-1]) != (name[len(name)-1] == '"') {
			out.lane = string(name)
			return b[len(name)+2:]
		}
	case '[': // act: "[CI/build]   | "
		i := bytes.IndexByte(b[:min(len(b), 100)], ']')
		if i > 0 && bytes.HasPrefix(b[i+1:], []byte("   | ")) && bytes.IndexByte(b[:i], '/') > 0 {
			out.lane = string(b[:i+1])
			return b[i+len("]   | "):]
		}
	case ' ', '+', '.': // Earthly: "               +test | "
		if len(b) < earthlyPad+3 || !bytes.HasPrefix(b[earthlyPad:], []byte(" | ")) && b[0] == ' ' {
			return b
		}
		i := bytes.Index(b[:min(len(b), 100)], []byte(" | "))
		if i < earthlyPad {
			return b
		}
		name := bytes.TrimSuffix(bytes.TrimLeft(b[:i], " "), []byte(" *failed*"))
		if plus := bytes.IndexByte(name, '+'); plus < 0 || bytes.IndexByte(name, ' ') >= 0 {
			return b
		}
		out.lane = string(name)
		return bytes.TrimPrefix(b[i+3:], []byte("*cached* "))
	}
	return b
}
