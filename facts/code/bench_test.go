package code

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus returns the source files below the directory in BLQ_BENCH_CODE, or else the files of this module.
func corpus(b *testing.B) (texts map[string]string, bytes int64) {
	root := os.Getenv("BLQ_BENCH_CODE")
	if root == "" {
		root = "../.."
	}
	texts = map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || languageOf(path) == "" {
			return err
		}
		text, err := os.ReadFile(path)
		texts[filepath.ToSlash(strings.TrimPrefix(path, root))] = string(text)
		bytes += int64(len(text))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return texts, bytes
}

func BenchmarkBuild(b *testing.B) {
	texts, bytes := corpus(b)
	set := newFiles(texts)
	var x *Index
	b.Run("new", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			x, _ = Build(b.Context(), set, nil)
		}
		symbols, imports := 0, 0
		for _, f := range x.Files() {
			symbols += len(f.Symbols)
			imports += len(f.Imports)
		}
		b.ReportMetric(float64(symbols), "symbols")
		b.ReportMetric(float64(imports), "imports")
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			_, _ = Build(b.Context(), set, x)
		}
	})
	text := x.Bytes()
	b.Run(fmt.Sprintf("open %d KB", len(text)>>10), func(b *testing.B) {
		for b.Loop() {
			Open(text)
		}
	})
}
