package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/blq-ci/blq/internal/regularfile"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// change edits the file under a lock. So if several processes register commands at the same time, no change is lost.
func (c *Config) change(edit func(text string) (string, error)) error {
	lock := flock.New(c.path + ".lock")
	if err := lock.Lock(); err != nil {
		return unwritable(filepath.Dir(c.path), err)
	}
	defer lock.Unlock()
	fresh, err := ReadConfig(c.path)
	if err != nil {
		return err
	}
	*c = *fresh
	data, err := regularfile.ReadFile(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := edit(string(data))
	if err != nil || text == string(data) {
		return err
	}
	return c.replace(text)
}

// replace checks a new text, writes it to the file atomically, and then uses it as the configuration.
func (c *Config) replace(text string) error {
	fresh, err := parseConfig(c.path, []byte(text))
	if err != nil {
		return c.byHand(err)
	}
	temp := c.path + ".new"
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return unwritable(filepath.Dir(c.path), err)
	}
	if err := os.Rename(temp, c.path); err != nil {
		return errors.Join(unwritable(filepath.Dir(c.path), err), os.Remove(temp))
	}
	*c = *fresh
	return nil
}

// byHand returns an error that asks the user to edit the file by hand, because the form of the file does not allow a
// safe change.
func (c *Config) byHand(err error) error {
	return store.Next(store.Errorf(store.Conflict, "the command is not in a table of its own: %w", err),
		store.Shell{Line: "${EDITOR:-vi} " + shellword.Quote(c.path)})
}

// table is the position of a [table] in a TOML text.
type table struct {
	key        []string
	start, end int // from the header to the last line, without the comments after it
}

// tables returns the tables of a TOML text.
func tables(text string) ([]table, error) {
	var list []table
	var p unstable.Parser
	p.Reset([]byte(text))
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		t := table{start: -1, end: len(text)}
		for it := e.Key(); it.Next(); {
			if t.start < 0 {
				t.start = strings.LastIndexByte(text[:it.Node().Raw.Offset], '\n') + 1
			}
			t.key = append(t.key, string(it.Node().Data))
		}
		if len(list) > 0 {
			list[len(list)-1].end = t.start
		}
		list = append(list, t)
	}
	for i := range list {
		list[i].end = list[i].start + contentLen(text[list[i].start:list[i].end])
	}
	return list, p.Error()
}

// contentLen returns the length of a text without the blank lines and comments at its end.
func contentLen(text string) int {
	for {
		rest := strings.TrimRight(text, " \t\r\n")
		last := strings.LastIndexByte(rest, '\n') + 1
		if !strings.HasPrefix(strings.TrimLeft(rest[last:], " \t"), "#") {
			if end := strings.IndexByte(text[len(rest):], '\n'); end >= 0 {
				return len(rest) + end + 1
			}
			return len(text)
		}
		text = text[:last]
	}
}

// putTable replaces the table of a command, or appends a new one. An empty body removes the table. Comments outside
// of the table and the order of other tables do not change.
func putTable(text, name, body string) (string, error) {
	list, err := tables(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	at, placed := 0, body == ""
	for _, t := range list {
		if len(t.key) < 2 || t.key[0] != "commands" || t.key[1] != name {
			continue
		}
		b.WriteString(text[at:t.start])
		at = t.end
		if !placed {
			b.WriteString(body)
			placed = true
		} else if strings.HasPrefix(text[at:], "\n") && strings.HasSuffix("\n"+b.String(), "\n\n") {
			at++ // keep one blank line
		}
	}
	b.WriteString(text[at:])
	if placed {
		return b.String(), nil
	}
	before := strings.TrimRight(b.String(), "\n")
	if before != "" {
		before += "\n\n"
	}
	return before + body, nil
}

// commandTable returns a command as a TOML table.
func commandTable(cmd Command) (string, error) {
	type fields struct {
		Cmd         string            `toml:"cmd,omitempty"`
		Tpl         string            `toml:"tpl,omitempty"`
		Defaults    map[string]string `toml:"defaults,omitempty,inline"`
		Description string            `toml:"description,omitempty"`
		Timeout     int               `toml:"timeout,omitempty"`
		Format      string            `toml:"format,omitempty"`
		Capture     *bool             `toml:"capture,omitempty"`
	}
	body, err := toml.Marshal(
		fields{cmd.Cmd, cmd.Tpl, cmd.Defaults, cmd.Description, cmd.Timeout, cmd.Format, cmd.Capture})
	return "[commands." + tomlKey(cmd.Name) + "]\n" + string(body), err
}

// tomlKey returns a command's name as a TOML key, quoted where necessary.
func tomlKey(name string) string {
	for _, r := range name {
		if r != '_' && r != '-' && !(r >= '0' && r <= '9') && !(r >= 'a' && r <= 'z') && !(r >= 'A' && r <= 'Z') {
			return `"` + name + `"`
		}
	}
	return name
}
