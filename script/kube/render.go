package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/oasdiff/yaml"
)

// render renders the templates of a chart, with its values and the values in files. It implements the functions of Helm
// that the chart uses. Any other function is an error.
func render(chart string, files []string) (string, error) {
	values, err := readYAML(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return "", err
	}
	for _, name := range files {
		more, err := readYAML(name)
		if err != nil {
			return "", err
		}
		merge(values, more)
	}
	about, err := readYAML(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return "", err
	}
	data := map[string]any{"Values": values, "Release": map[string]any{"Name": "blqd"},
		"Chart": map[string]any{"AppVersion": about["appVersion"]}}
	names, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil || len(names) == 0 {
		return "", fmt.Errorf("%s has no templates: %w", chart, err)
	}
	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	if _, err := all.ParseFiles(names...); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		if filepath.Ext(name) == ".tpl" {
			continue
		}
		b.WriteString("---\n# " + filepath.Base(name) + "\n")
		if err := all.ExecuteTemplate(&b, filepath.Base(name), data); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func readYAML(name string) (map[string]any, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if _, err := yaml.Unmarshal(text, &values, yaml.DecodeOpts{}); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return values, nil
}

// merge overwrites values of the map into with the values of the map more. If both values are maps, it merges these
// maps key by key.
func merge(into, more map[string]any) {
	for key, value := range more {
		old, isMap := into[key].(map[string]any)
		if m, also := value.(map[string]any); isMap && also {
			merge(old, m)
		} else {
			into[key] = value
		}
	}
}

// functions are the functions of Helm's templates.
func functions(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var b strings.Builder
			err := all.ExecuteTemplate(&b, name, data)
			return b.String(), err
		},
		"default":    func(other, text string) string { return cmp.Or(text, other) },
		"hasPrefix":  func(prefix, text string) bool { return strings.HasPrefix(text, prefix) },
		"quote":      strconv.Quote,
		"toString":   func(v any) string { return fmt.Sprint(v) },
		"trim":       strings.TrimSpace,
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trunc":      func(n int, text string) string { return text[:min(n, len(text))] },
		"nindent": func(n int, text string) string {
			pad := "\n" + strings.Repeat(" ", n)
			return pad + strings.ReplaceAll(text, "\n", pad)
		},
		"required": func(message string, v string) (string, error) {
			if v == "" {
				return "", errors.New(message)
			}
			return v, nil
		},
		"toYaml": func(v any) (string, error) {
			text, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(text), "\n"), err
		},
	}
}
