package formats

import (
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// jsonObject is a JSON object whose members are in the order of the text. So findings are found in the order of the
// log.
type jsonObject []jsonMember

type jsonMember struct {
	key   string
	value any
}

func (o jsonObject) get(key string) any {
	for i := range o {
		if o[i].key == key {
			return o[i].value
		}
	}
	return nil
}

// decodeOrdered reads a value. It does not limit the depth of objects and lists, because the collector accepts only
// documents up to maxJSONDepth.
func decodeOrdered(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	var list []any
	var object jsonObject
	for dec.More() {
		var key string
		if delim == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			key, _ = token.(string)
		}
		value, err := decodeOrdered(dec)
		if err != nil {
			return nil, err
		}
		if delim == '{' {
			object = append(object, jsonMember{key, value})
		} else {
			list = append(list, value)
		}
	}
	if _, err := dec.Token(); err != nil { // the closing bracket
		return nil, err
	}
	if delim == '{' {
		return object, nil
	}
	return list, nil
}

// textOf returns the value of the first key whose value is a non-empty string. It returns "" if there is no such key.
func textOf(o jsonObject, keys []string) string {
	for _, key := range keys {
		if text, ok := o.get(key).(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// numberOf returns the number of the first key that has a number. The value may be a number, a text, or a list that
// starts with a number. It returns false if no key has a number.
func numberOf(o jsonObject, keys []string) (int, bool) {
	for _, key := range keys {
		value := o.get(key)
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		var digits string
		switch v := value.(type) {
		case json.Number:
			digits = v.String()
		case string:
			digits, _, _ = strings.Cut(v, "-") // gosec: "12-14"
		}
		if n, size := parse.Number(digits); size > 0 && size == len(digits) {
			return n, true
		}
	}
	return 0, false
}
