//go:build !job

package formats

import (
	"maps"
	"slices"
	"strings"
)

// direction says who writes the values of a schema.
type direction int

const (
	request  direction = iota // clients write the value
	response                  // clients read the value
)

// apiPair identifies two compared schemas. Each pair is compared only once.
type apiPair struct {
	was, is string
	dir     direction
}

// apiDiff compares two API descriptions by the rules of oasdiff.
type apiDiff struct {
	*list
	from, to *openAPI
	seen     map[apiPair]bool
	open     map[*any]bool // lists of alternatives under comparison, by the address of their first element
	steps    int           // number of compared schemas
	depth    int           // depth of nested schemas
	work     int           // number of values that were read
	cut      bool
}

// spend adds to the work done. It returns false if the comparison has exceeded a limit and must end.
func (d *apiDiff) spend(n int) bool {
	d.work += n
	d.cut = d.cut || d.work > maxWork
	return !d.cut
}

// methods are the HTTP methods of a path.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

func (d *apiDiff) all() {
	for _, key := range d.from.order {
		was, there := d.from.paths[key]
		is, still := d.to.paths[key]
		for _, method := range methods {
			before, now := object(was.item[method]), object(is.item[method])
			call := strings.ToUpper(method) + " " + was.template
			switch {
			case !there || before == nil:
			case !still || now == nil:
				level := Breaking
				if before["deprecated"] == true {
					level = Dangerous
				}
				d.add(level, "operation-removed", "%s was removed", call)
			default:
				d.operation(call, was, is, before, now)
			}
		}
	}
	d.calls("webhook", object(d.from.root["webhooks"]), object(d.to.root["webhooks"]))
	d.servers()
	d.schemes()
	if d.cut {
		d.add(Dangerous, "too-large", "the description is too large to be compared in full")
	}
}

func (d *apiDiff) operation(call string, was, is apiPath, before, now map[string]any) {
	for _, of := range []map[string]any{was.item, is.item, before, now} {
		if !d.spend(1 + len(array(of["parameters"])) + len(object(of["responses"]))) {
			return
		}
	}
	d.parameters(call, was, is, before, now)
	d.body(call, was, is, before, now)
	old, fresh := object(before["responses"]), object(now["responses"])
	for _, code := range slices.Sorted(maps.Keys(old)) {
		where := call + ": response " + code
		if _, there := fresh[code]; there {
			d.response(where, object(d.from.follow(old[code])), object(d.to.follow(fresh[code])))
			continue
		}
		rest, class := fresh["default"], fresh[code[:min(1, len(code))]+"XX"]
		switch {
		case class != nil:
			d.response(where, object(d.from.follow(old[code])), object(d.to.follow(class)))
		case strings.HasPrefix(code, "2") && rest == nil:
			d.add(Breaking, "response-success-status-removed", "%s was removed", where)
		default:
			d.add(Dangerous, "response-status-removed", "%s was removed", where)
			if rest != nil {
				d.response(where, object(d.from.follow(old[code])), object(d.to.follow(rest)))
			}
		}
	}
	d.security(call, d.from.security(before), d.to.security(now))
	back, forth := object(before["callbacks"]), object(now["callbacks"])
	for _, name := range slices.Sorted(maps.Keys(back)) {
		d.calls(call+": callback '"+name+"'", object(d.from.follow(back[name])), object(d.to.follow(forth[name])))
	}
}

func (d *apiDiff) parameters(call string, was, is apiPath, before, now map[string]any) {
	old, order := d.from.parameters(was, before)
	fresh, added := d.to.parameters(is, now)
	for _, name := range order {
		o, n := old[name], fresh[name]
		where := call + ": " + name
		if n == nil {
			d.add(Dangerous, "request-parameter-removed", "%s was removed", where)
			continue
		}
		if o["required"] != true && n["required"] == true {
			d.add(Breaking, "request-parameter-became-required", "%s became required", where)
		}
		d.serial(where, o, n)
		d.schemas(where, "", d.from.schemaOf(o), d.to.schemaOf(n), request)
	}
	for _, name := range added {
		if old[name] == nil && fresh[name]["required"] == true {
			d.add(Breaking, "new-required-request-parameter", "%s: required %s was added", call, name)
		}
	}
}

func (d *apiDiff) body(call string, was, is apiPath, before, now map[string]any) {
	old, needed := d.from.body(was, before)
	fresh, needs := d.to.body(is, now)
	where := call + ": request body"
	switch {
	case old == nil && fresh == nil:
		return
	case fresh == nil:
		d.add(Breaking, "request-body-removed", "%s was removed", where)
		return
	case old == nil:
		if needs {
			d.add(Breaking, "request-body-added-required", "%s was added, and is required", where)
		}
		return
	case needs && !needed:
		d.add(Breaking, "request-body-became-required", "%s became required", where)
	}
	d.media(where, "request-body-media-type-removed", old, fresh, request)
}

// calls compares callbacks and webhooks. The owner sends these requests. Consumers read the requests and write the
// responses.
func (d *apiDiff) calls(where string, was, is map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		old, fresh := object(d.from.follow(was[name])), object(d.to.follow(is[name]))
		for _, method := range methods {
			before, now := object(old[method]), object(fresh[method])
			call := where + ": " + strings.ToUpper(method) + " " + name
			switch {
			case before == nil || !d.spend(1+len(object(before["responses"]))):
				continue
			case now == nil:
				d.add(Breaking, "call-removed", "%s was removed", call)
				continue
			}
			sent, _ := d.from.body(apiPath{}, before)
			sends, _ := d.to.body(apiPath{}, now)
			d.media(call+": request body", "call-media-type-removed", sent, sends, response)
			codes, accepted := object(before["responses"]), object(now["responses"])
			for _, code := range slices.Sorted(maps.Keys(codes)) {
				answer, there := accepted[code]
				at := call + ": response " + code
				if !there {
					d.add(Dangerous, "call-status-removed", "%s was removed", at)
					continue
				}
				d.media(at, "call-media-type-removed", d.from.content(object(d.from.follow(codes[code]))),
					d.to.content(object(d.to.follow(answer))), request)
			}
		}
	}
}

// media compares schemas by media type.
func (d *apiDiff) media(where, rule string, old, fresh map[string]any, dir direction) {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		schema, there := fresh[name]
		for kind, _, _ := strings.Cut(name, "/"); !there && kind != ""; kind = "" {
			if schema, there = fresh[kind+"/*"]; !there {
				schema, there = fresh["*/*"]
			}
		}
		if !there {
			d.add(Breaking, rule, "%s: media type '%s' was removed", where, name)
			continue
		}
		d.schemas(where, "", old[name], schema, dir)
	}
}

func (d *apiDiff) response(where string, was, is map[string]any) {
	for _, of := range []map[string]any{was, is} {
		if !d.spend(1 + len(object(of["headers"])) + len(object(of["content"]))) {
			return
		}
	}
	d.media(where, "response-media-type-removed", d.from.content(was), d.to.content(is), response)
	old, fresh := object(was["headers"]), map[string]any{}
	for name, header := range object(is["headers"]) {
		fresh[strings.ToLower(name)] = header
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		o, n := object(d.from.follow(old[name])), object(d.to.follow(fresh[strings.ToLower(name)]))
		header := where + ": header '" + name + "'"
		level := Dangerous
		if o["required"] == true {
			level = Breaking
		}
		switch {
		case n == nil:
			d.add(level, "response-header-removed", "%s was removed", header)
		case o["required"] == true && n["required"] != true:
			d.add(Breaking, "response-header-became-optional", "%s became optional", header)
		default:
			d.schemas(header, "", d.from.schemaOf(o), d.to.schemaOf(n), response)
		}
	}
}

// security compares security requirements. A caller with access before must have access now.
func (d *apiDiff) security(call string, was, is []map[string]any) {
	if len(is) == 0 {
		return
	}
	if len(was) == 0 {
		was = []map[string]any{{}}
	}
	for _, before := range was {
		if !d.spend(len(is)) {
			return
		}
		if !slices.ContainsFunc(is, func(now map[string]any) bool { return suffices(before, now) }) {
			d.add(Breaking, "api-security-changed", "%s needs other credentials", call)
			return
		}
	}
}

// suffices reports whether credentials contain everything that is needed.
func suffices(have, need map[string]any) bool {
	for scheme, scopes := range need {
		granted, ok := have[scheme]
		if !ok {
			return false
		}
		has := map[string]bool{}
		for _, scope := range array(granted) {
			has[text(scope)] = true
		}
		for _, scope := range array(scopes) {
			if !has[text(scope)] {
				return false
			}
		}
	}
	return true
}
