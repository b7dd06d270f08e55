package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// schemas writes a schema for each kind in Kubernetes' API into a folder, with the file names that kubeconform expects.
// The schemas forbid unknown properties.
func schemas(swagger, dir string) error {
	text, err := os.ReadFile(swagger)
	if err != nil {
		return err
	}
	var api struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(text, &api); err != nil {
		return fmt.Errorf("%s: %w", swagger, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, d := range api.Definitions {
		if d["format"] == "int-or-string" || strings.HasSuffix(name, ".Quantity") {
			api.Definitions[name] = map[string]any{"oneOf": []any{
				map[string]any{"type": "string"}, map[string]any{"type": "number"}}}
		} else if d["properties"] != nil {
			d["additionalProperties"] = false
		}
	}
	all, err := json.Marshal(map[string]any{"definitions": api.Definitions})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "_definitions.json"), all, 0o644); err != nil {
		return err
	}
	for name, d := range api.Definitions {
		kinds, _ := d["x-kubernetes-group-version-kind"].([]any)
		for _, k := range kinds {
			if err := writeKind(dir, name, k.(map[string]any)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeKind writes the schema of a kind into a file such as deployment-apps-v1.json or service-v1.json.
func writeKind(dir, definition string, kind map[string]any) error {
	group, _, _ := strings.Cut(kind["group"].(string), ".")
	parts := []string{strings.ToLower(kind["kind"].(string)), group, kind["version"].(string)}
	if group == "" {
		parts = []string{parts[0], parts[2]}
	}
	text := fmt.Sprintf(`{"$ref": "_definitions.json#/definitions/%s"}`, definition)
	return os.WriteFile(filepath.Join(dir, strings.Join(parts, "-")+".json"), []byte(text), 0o644)
}
