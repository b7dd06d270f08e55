//go:build !job

package formats

import (
	"cmp"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// serial compares the serialization of a parameter.
func (d *apiDiff) serial(where string, was, is map[string]any) {
	if before, now := d.from.styleOf(was), d.to.styleOf(is); before != now {
		d.add(Breaking, "parameter-style-changed", "%s has the style %s now, not %s", where, now, before)
	}
	many := func(doc *openAPI, of map[string]any) bool {
		kinds := typesIn(doc.says(doc.schemaOf(of), "type"))
		return kinds == nil || slices.Contains(kinds, "array") || slices.Contains(kinds, "object")
	}
	if !d.from.old && d.from.exploded(was) != d.to.exploded(is) && (many(d.from, was) || many(d.to, is)) {
		d.add(Breaking, "parameter-explode-changed", "%s writes its values otherwise: explode has changed", where)
	}
	for _, word := range []string{"allowReserved", "allowEmptyValue"} {
		if was[word] == true && is[word] != true {
			d.add(Dangerous, "parameter-value-forbidden", "%s has %s no more", where, word)
		}
	}
	if (was["content"] == nil) != (is["content"] == nil) {
		d.add(Breaking, "parameter-style-changed", "%s is written in another way: content or schema", where)
	}
}

// styleOf returns the serialization style of a parameter.
func (d *openAPI) styleOf(of map[string]any) string {
	if d.old {
		return cmp.Or(text(of["collectionFormat"]), "csv")
	}
	if style := text(of["style"]); style != "" {
		return style
	}
	if in := text(of["in"]); in == "query" || in == "cookie" {
		return "form"
	}
	return "simple"
}

// exploded reports whether each value of a parameter is written separately.
func (d *openAPI) exploded(of map[string]any) bool {
	if explode, ok := of["explode"].(bool); ok {
		return explode
	}
	return d.styleOf(of) == "form"
}

// servers compares the addresses of the servers.
func (d *apiDiff) servers() {
	was, is := d.from.addresses(), d.to.addresses()
	prefixes := map[string]bool{}
	for _, address := range is {
		prefixes[prefixOf(address)] = true
	}
	for _, address := range was {
		switch {
		case !d.spend(1+len(is)) || slices.Contains(is, address):
		case len(prefixes) > 0 && !prefixes[prefixOf(address)]:
			d.add(Breaking, "server-removed", "server '%.200s' was removed, and no other one has its path", address)
		default:
			d.add(Dangerous, "server-removed", "server '%.200s' was removed", address)
		}
	}
}

// addresses returns the addresses of the servers, or / if there are none.
func (d *openAPI) addresses() (list []string) {
	if d.old {
		path := "/" + strings.Trim(text(d.root["basePath"]), "/")
		if host := text(d.root["host"]); host != "" {
			path = "//" + host + path
		}
		return []string{path}
	}
	for _, v := range array(d.root["servers"]) {
		list = append(list, text(object(v)["url"]))
	}
	if len(list) == 0 {
		list = []string{"/"}
	}
	return list
}

// prefixOf returns the path of an address, or the whole address if it cannot be parsed.
func prefixOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.Trim(u.Path, "/")
}

// schemes compares the security schemes.
func (d *apiDiff) schemes() {
	was, is := d.from.schemes(), d.to.schemes()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		before, now := object(d.from.follow(was[name])), object(d.to.follow(is[name]))
		if now == nil {
			continue // operations that need another scheme are reported
		}
		for _, word := range []string{"type", "name", "in", "scheme", "openIdConnectUrl"} {
			if !strings.EqualFold(text(before[word]), text(now[word])) {
				d.add(Breaking, "api-security-scheme-changed", "credentials '%s' have another %s: '%s', not '%s'",
					name, word, text(now[word]), text(before[word]))
			}
		}
		if !reflect.DeepEqual(before["flows"], now["flows"]) || text(before["flow"]) != text(now["flow"]) {
			d.add(Dangerous, "api-security-scheme-changed", "credentials '%s' have other flows", name)
		}
	}
}

// schemes returns the security schemes by name.
func (d *openAPI) schemes() map[string]any {
	if d.old {
		return object(d.root["securityDefinitions"])
	}
	return object(object(d.root["components"])["securitySchemes"])
}
