package redact

import (
	"bytes"
)

// redisShape returns the shape of the passwords that clients send to Redis: AUTH VALUE after a prompt or after
// redis-cli, and "AUTH" "bob" "VALUE" in the output of MONITOR.
func redisShape() *shape {
	return &shape{name: "redis", within: redisPassword, triggers: []string{"AUTH", "auth"},
		may: func(text []byte) bool { return len(text) == 4 || text[4] == ' ' || text[4] == '"' }}
}

func redisPassword(p position) match {
	const command = len("AUTH")
	left := thisLine(p.before)
	isQuoted := hasTail(left, `] "`) ||
		hasTail(left, `"`) && (p.text[0] == 'A' || contains(left, `"hello"`))
	if !isQuoted && !isRedisPrompt(left) && !(hasTail(left, " ") && contains(left, "redis-cli")) {
		return match{}
	}
	line, whole := p.line()
	if !whole {
		return match{more: true}
	}
	var arguments []span
	for at := command; at < len(line) && len(arguments) < 2; {
		if isQuoted && !hasHead(line[at:], `" "`) {
			break
		}
		if isQuoted {
			at++
		}
		at += blankLen(line[at:])
		quote := quoteLen(line[at:])
		from := at + quote
		to := from + valueLen(line[from:], line[at:from])
		if to == from {
			break
		}
		arguments = append(arguments, span{from, from, to})
		if at = to; !isQuoted {
			at += quote
		}
	}
	if len(arguments) == 0 {
		return match{}
	}
	last := arguments[len(arguments)-1]
	v := string(line[last.from:last.to])
	return match{from: last.from, to: last.to, ok: !isVariable(v) && !isPlaceholder(v) && (isQuoted || v[0] != '-')}
}

// isRedisPrompt reports whether a line ends with the prompt of redis-cli: 127.0.0.1:6379>
func isRedisPrompt(line []byte) bool {
	end := len(line) - len("> ")
	if hasTail(line, "redis> ") {
		return true
	}
	if end < 1 || !hasTail(line, "> ") || bytes.IndexByte(line, ':') < 0 {
		return false
	}
	return line[end-1] >= '0' && line[end-1] <= '9' || line[end-1] == ']'
}
