package code

import (
	"strconv"
	"strings"
)

// rustUse reads a tree of names: a::{b, c::*}.
func (p *parser) rustUse(prefix string, line, level int) {
	var names []string
	if p.modules > 0 {
		names = []string{strconv.Itoa(p.modules)}
	}
	path := prefix
	for !p.done() && len(path) <= maxName {
		switch {
		case p.word() == "as":
			p.advance()
			p.advance()
			p.imports(path, line, names...)
			return
		case p.tok.kind == aWord:
			path += strings.TrimPrefix(p.word(), "r#")
		case p.at(':'):
			path += ":"
		case p.at('*'):
			path += "*"
		case p.at('{') && level < 20:
			p.advance()
			for !p.done() && !p.take('}') {
				if !p.take(',') {
					before := p.tok.start
					if p.rustUse(path, p.tok.line, level+1); p.tok.start == before {
						p.advance()
					}
				}
			}
			return
		default:
			if path != prefix {
				p.imports(strings.TrimSuffix(strings.TrimPrefix(path, "::"), "::self"), line, names...)
			}
			return
		}
		p.advance()
	}
}
