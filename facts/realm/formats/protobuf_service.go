//go:build !job

package formats

import "strings"

// open reads a name and the brace after it.
func (p *protoParser) open() (name string, err error) {
	if name, err = p.word(); err == nil {
		err = p.want("{")
	}
	return name, err
}

// enum reads an enum. The word enum has been read.
func (p *protoParser) enum(scope string) error {
	name, err := p.open()
	if err != nil {
		return err
	}
	e := &protoEnum{name: inside(scope, name), values: map[int][]string{}, scope: scope, options: map[string]string{},
		file: p.options}
	p.enums[e.name] = e
	p.order = append(p.order, e.name)
	for !p.take("}") {
		switch head := p.peek(); head {
		case ";":
			p.at++
		case "option":
			p.at++
			err = p.setting(e.options)
		case "reserved":
			p.at++
			err = p.reserve(&e.reserved)
		default:
			err = p.value(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// value reads a value of an enum.
func (p *protoParser) value(e *protoEnum) error {
	name, err := p.word()
	if err == nil {
		err = p.want("=")
	}
	if err != nil {
		return err
	}
	n, err := p.integer()
	if err == nil {
		_, err = p.brackets()
	}
	if err != nil {
		return err
	}
	if e.values[n] == nil {
		e.numbers = append(e.numbers, n)
	}
	e.values[n] = append(e.values[n], name)
	return p.want(";")
}

// service reads a service. The word service has been read.
func (p *protoParser) service() error {
	name, err := p.open()
	if err != nil {
		return err
	}
	s := &protoService{name: inside(p.pkg, name), rpcs: map[string]protoRPC{}}
	p.services[s.name] = s
	p.order = append(p.order, s.name)
	for !p.take("}") {
		switch head := p.peek(); head {
		case ";":
			p.at++
		case "option":
			err = p.skip()
		case "rpc":
			p.at++
			err = p.rpc(s)
		default:
			err = p.errorf("%.40q is not a statement of a service", head)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *protoParser) rpc(s *protoService) error {
	name, err := p.word()
	r := protoRPC{scope: p.pkg, options: map[string]string{}}
	if err == nil {
		r.in, r.streamIn, err = p.side()
	}
	if err == nil {
		err = p.want("returns")
	}
	if err == nil {
		r.out, r.streamOut, err = p.side()
	}
	if err != nil {
		return err
	}
	s.rpcs[name] = r
	s.list = append(s.list, name)
	if !p.take("{") {
		return p.want(";")
	}
	for err == nil && !p.take("}") {
		if p.take("option") {
			err = p.setting(r.options)
		} else {
			err = p.want(";")
		}
	}
	p.take(";")
	return err
}

// side reads the type of a request or a response. stream reports whether the type is streamed.
func (p *protoParser) side() (typ string, stream bool, err error) {
	if err = p.want("("); err != nil {
		return "", false, err
	}
	if p.peek() == "stream" && p.at+1 < len(p.tokens) && p.tokens[p.at+1].text != ")" {
		p.at++
		stream = true
	}
	if typ, err = p.path(); err == nil {
		err = p.want(")")
	}
	return typ, stream, err
}

// group reads a group. A group declares a field and a message.
func (p *protoParser) group(m *protoMessage, f *protoField, depth int) error {
	p.at++
	if p.at == len(p.tokens) {
		return p.errorf("a name is missing")
	}
	name := p.tokens[p.at].text
	f.name, f.typ, f.json = strings.ToLower(name), name, strings.ToLower(name)
	p.at++
	err := p.want("=")
	if err == nil {
		f.number, err = p.integer()
	}
	if err == nil {
		f.options, err = p.brackets()
	}
	if err != nil {
		return err
	}
	if err := p.add(m, f); err != nil {
		return err
	}
	if depth == maxDepth {
		return p.errorf("messages are in each other more than %d deep", maxDepth)
	}
	in := p.newMessage(inside(m.name, name))
	p.messages[in.name] = in
	p.order = append(p.order, in.name)
	if err := p.want("{"); err != nil {
		return err
	}
	return p.members(in, "", depth+1)
}
