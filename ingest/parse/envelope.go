package parse

import "bytes"

// envelope removes what CI systems and runners add to a line of output.
type envelope struct {
	ctest bool // ctest -V runs; it numbers what tests print
	clock int  // number of consecutive lines that began with a time of day, up to the newest line
	gulp  bool // gulp runs; its own lines begin with a clock in brackets
	work  workspace
}

// enveloped is a line whose envelope was removed. text is valid until the next line is read.
type enveloped struct {
	text  []byte
	lane  string // stream of an interleaved log, "" if there is only one
	level string // level from ##[level], "" for plain output
}

// strip removes the envelope of a line that has no escape sequences.
func (e *envelope) strip(raw []byte) enveloped {
	var out enveloped
	raw = stripTimestamp(raw)
	if len(raw) > 3 {
		if mayAnnounce[raw[0]] || raw[0] == ' ' && (raw[1] == 'N' || raw[1] == 'L' || raw[3] == 0xe2) {
			e.work.announce(raw)
		}
		if e.work.runner != noRunner {
			out.lane, raw = e.work.strip(raw)
		}
	}
	if len(raw) > 7 && (raw[0] == ' ' || raw[0] == '[' || raw[0] == 'S' || raw[0] == '+' || raw[0] == '.') {
		raw = out.stripRunner(raw)
	}
	if len(raw) > 3 {
		if !IsDigit(raw[0]) {
			e.clock = 0
		}
		switch c := raw[0]; {
		case c == '#':
			raw = out.hash(raw)
		case c == ' ':
			raw = stripAntTask(raw)
		case c == '[':
			raw = out.browser(e.stripBracketTimestamp(raw))
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			raw = out.compose(raw)
		case IsDigit(c):
			raw = e.stripCTest(e.stripClock(raw))
		}
	}
	out.text = raw
	return out
}

// stripCTest removes the "12: " that ctest -V puts before each line of test 12.
func (e *envelope) stripCTest(b []byte) []byte {
	i := 1
	for i < len(b) && IsDigit(b[i]) {
		i++
	}
	if i+1 >= len(b) || b[i] != ':' || b[i+1] != ' ' {
		return b
	}
	e.ctest = e.ctest || bytes.HasPrefix(b[i+2:], []byte("Test command: "))
	if !e.ctest {
		return b
	}
	return b[i+2:]
}

// mayBeDocument reports whether a line may begin a JSON or XML document. The line begins with partial, or with b if
// partial is empty. Such a line may be longer than other lines.
func (e *envelope) mayBeDocument(t *triggers, partial, b []byte) bool {
	if len(partial) == 0 {
		partial = b
	}
	return t.startsDocument(stripTimestamp(partial[:min(len(partial), 200)]))
}

// maxNames is the max length in bytes of a job name and a step name together.
const maxNames = 200

// stripTimestamp removes the timestamps of GitHub, Azure and GitLab, and the job and step names of `gh run view --log`.
func stripTimestamp(b []byte) []byte {
	if n := timestampLen(b); n > 0 {
		return stripGitLabStream(b[n:])
	}
	head := b[:min(len(b), maxNames)]
	if i := bytes.IndexByte(head, '\t'); i > 0 && len(b) > i+20 {
		if j := bytes.IndexByte(head[i+1:], '\t'); j > 0 {
			rest := bytes.TrimPrefix(b[i+j+2:], []byte("\xef\xbb\xbf"))
			if n := timestampLen(rest); n > 0 {
				return rest[n:]
			}
		}
	}
	return b
}

// timestampLen returns the length of a timestamp like "2026-08-17T13:15:44.0830000Z " at the start of b. It returns 0
// if there is none.
func timestampLen(b []byte) int {
	if len(b) < 20 || b[0] < '0' || b[0] > '9' || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' ||
		b[16] != ':' {
		return 0
	}
	i := 19
	if b[i] == '.' {
		for i++; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		}
	}
	if i >= len(b) || b[i] != 'Z' {
		return 0
	}
	if i++; i < len(b) && b[i] == ' ' {
		i++
	}
	return i
}

// stripGitLabStream removes "00O " or "01E+" after GitLab's timestamp.
func stripGitLabStream(b []byte) []byte {
	if len(b) >= 4 && IsDigit(b[0]) && isHex(b[1]) && (b[2] == 'O' || b[2] == 'E') && (b[3] == ' ' || b[3] == '+') {
		return b[4:]
	}
	return b
}

// stripBracketTimestamp removes three kinds of timestamps. Jenkins prints "[2026-08-17T13:15:44.083Z] ". Builds with
// sbt may print "[08-17 13:15:44.083] " before a level. Some scripts print "[13:15:44] " before each output line of
// their commands, and fastlane prints "[13:15:44]: ▸ ". The time stays before gulp's own lines, because formats
// recognize gulp's lines by it.
func (e *envelope) stripBracketTimestamp(b []byte) []byte {
	if len(b) >= 10 && b[9] == ']' && startsWithClock(b[1:]) {
		rest := bytes.TrimPrefix(bytes.TrimPrefix(b[10:], []byte(":")), []byte(" "))
		e.gulp = e.gulp || bytes.HasPrefix(rest, []byte("Using gulpfile ")) || bytes.HasPrefix(rest, []byte("Starting '"))
		if e.gulp {
			return b
		}
		return bytes.TrimPrefix(rest, []byte("▸ "))
	}
	if len(b) > 23 && b[3] == '-' && b[6] == ' ' && b[19] == ']' && startsWithClock(b[7:]) && isLevel(b[21:]) {
		return b[21:] // [12-31 13:15:44.083] [info]
	}
	n := timestampLen(b[1:])
	if n > 0 && len(b) > n+1 && b[n+1] == ']' {
		return bytes.TrimPrefix(b[n+2:], []byte(" "))
	}
	return b
}

// isLevel reports whether b begins with a level of sbt in brackets.
func isLevel(b []byte) bool {
	return bytes.HasPrefix(b, []byte("[info]")) || bytes.HasPrefix(b, []byte("[error]")) ||
		bytes.HasPrefix(b, []byte("[warn]"))
}

// clocked is a max number of consecutive lines that begin with a time of day. In that many lines, the time counts as
// output of the program. In further consecutive lines, the time counts as part of the envelope.
const clocked = 5

// stripClock removes the time of day: "13:15:44  " of Jenkins' Timestamper, "1:15:44 PM: " of Netlify, and "13:15:44 "
// if more than clocked consecutive lines begin with a time of day.
func (e *envelope) stripClock(b []byte) []byte {
	if i := bytes.IndexByte(b[:3], ':'); i > 0 && len(b) >= i+10 && b[i+3] == ':' && b[i+6] == ' ' &&
		(b[i+7] == 'A' || b[i+7] == 'P') && b[i+8] == 'M' && b[i+9] == ':' {
		return bytes.TrimPrefix(b[i+10:], []byte(" "))
	}
	if len(b) < 8 || !startsWithClock(b) || len(b) > 8 && b[8] != ' ' {
		e.clock = 0
		return b
	}
	e.clock++
	switch {
	case len(b) > 9 && b[9] == ' ':
		return b[10:]
	case e.clock > clocked:
		return b[min(9, len(b)):]
	}
	return b
}

// startsWithClock reports whether b begins with a time of day like 13:15:44.
func startsWithClock(b []byte) bool {
	return b[2] == ':' && b[5] == ':' && IsDigit(b[0]) && IsDigit(b[1]) && IsDigit(b[3]) && IsDigit(b[4]) &&
		IsDigit(b[6]) && IsDigit(b[7])
}

// hash reads "##[level]" of GitHub and "#12 3.456 " of BuildKit.
func (out *enveloped) hash(b []byte) []byte {
	if b[1] == '#' && b[2] == '[' {
		if i := bytes.IndexByte(b, ']'); i > 3 && i < 16 {
			out.level = levelName(b[3:i])
			return b[i+1:]
		}
		return b
	}
	i := 1
	for i < len(b) && IsDigit(b[i]) {
		i++
	}
	if i == 1 || i == len(b) || b[i] != ' ' {
		return b
	}
	// A debugger prints the numbers of frames in this form.
	if bytes.HasPrefix(b[i:], []byte("  ")) || bytes.HasPrefix(b[i:], []byte(" 0x")) {
		return b
	}
	out.lane = string(b[:i])
	rest := b[i+1:]
	j := 0
	for j < len(rest) && (IsDigit(rest[j]) || rest[j] == '.') {
		j++
	}
	if j > 2 && j < len(rest) && rest[j] == ' ' && bytes.IndexByte(rest[:j], '.') > 0 {
		return rest[j+1:]
	}
	return rest
}

func levelName(b []byte) string {
	for _, name := range [...]string{"error", "warning", "notice", "debug", "group", "endgroup", "command", "section",
		"add-matcher"} {
		if string(b) == name {
			return name
		}
	}
	return "other"
}

// stripAntTask removes Ant's task name, which ends in column 11: "    [javac] ".
func stripAntTask(b []byte) []byte {
	if len(b) < 12 || b[10] != ']' || b[11] != ' ' {
		return b
	}
	i := 0
	for b[i] == ' ' {
		i++
	}
	if b[i] != '[' || !IsLower(b[i+1]) {
		return b
	}
	for _, c := range b[i+1 : 10] {
		if !IsLower(c) && !IsDigit(c) && c != '-' && c != ':' && c != '.' && c < 'A' {
			return b
		}
	}
	return b[12:]
}

// compose removes the prefix "web-1  | ". Docker Compose mixes the output of several services, and writes such a prefix
// before each line. The name in the prefix becomes the name of the lane, so that each service is parsed alone.
func (out *enveloped) compose(b []byte) []byte {
	i := bytes.IndexByte(b[:min(len(b), 64)], '|')
	if i < 4 || i+1 >= len(b) || b[i-1] != ' ' || b[i+1] != ' ' {
		return b
	}
	name := bytes.TrimRight(b[:i], " ")
	n := len(name)
	for n > 0 && IsDigit(name[n-1]) {
		n--
	}
	if n == len(name) || n < 2 || (name[n-1] != '-' && name[n-1] != '_') || bytes.IndexByte(name, ' ') >= 0 {
		return b
	}
	out.lane = string(name)
	return b[i+2:]
}

// browser removes the prefix "[chrome #01-2] ". Protractor mixes the output of several browsers, and writes such a
// prefix before each line. The text in brackets becomes the name of the lane, so that each browser is parsed alone.
func (out *enveloped) browser(b []byte) []byte {
	if len(b) < 12 || b[0] != '[' || !IsLower(b[1]) {
		return b
	}
	end := bytes.Index(b[:min(len(b), 40)], []byte("] "))
	at := bytes.Index(b[:max(end, 0)], []byte(" #"))
	if at < 3 || len(bytes.Trim(b[at+2:end], "0123456789-")) > 0 {
		return b
	}
	out.lane = string(b[1:end])
	return b[end+2:]
}

func isHex(c byte) bool { return IsDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
