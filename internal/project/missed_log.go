package project

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/glob"
)

// maxMissedLog is the max number of bytes of a log that is kept next to a note.
const maxMissedLog = 64 << 20

const logEnd = ".log"

// missedLog is the log of a run that could not be recorded: a file for each stream, next to the note.
type missedLog struct {
	files  map[string]*os.File // by stream
	size   int
	broken bool // the log is too large, or could not be written
}

// Keep adds output to the log next to the note. The output must not have secrets. If the log cannot be written, or gets
// too large, it is removed.
func (n *MissedNote) Keep(stream string, text []byte) {
	if n == nil || n.log.broken {
		return
	}
	l := &n.log
	f, err := l.files[stream], error(nil)
	if f == nil {
		f, err = os.OpenFile(logPath(strings.TrimSuffix(n.path, noteEnd), stream), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil && l.files == nil {
			l.files = map[string]*os.File{}
		}
		if err == nil {
			l.files[stream] = f
		}
	}
	if l.size += len(text); err == nil && l.size <= maxMissedLog {
		_, err = f.Write(text)
	}
	if err != nil || l.size > maxMissedLog {
		l.close()
		removeLog(strings.TrimSuffix(n.path, noteEnd))
		l.broken = true
	}
}

// close closes the files, and reports whether they have the whole log.
func (l *missedLog) close() bool {
	var err error
	for _, f := range l.files {
		err = errors.Join(err, f.Close())
	}
	l.files = nil
	return err == nil && !l.broken
}

// logPath returns the path of the log of a stream. path is the path of the note, without extension.
func logPath(path, stream string) string { return path + "." + stream + logEnd }

// ReadLog passes the kept log of a stream to write, in parts.
func (m Missed) ReadLog(stream string, write func(text []byte)) error {
	f, err := os.Open(logPath(strings.TrimSuffix(m.Path, noteEnd), stream))
	if errors.Is(err, os.ErrNotExist) {
		return nil // the stream is empty
	}
	if err != nil {
		return err
	}
	defer f.Close()
	part := make([]byte, 256<<10)
	for {
		n, err := f.Read(part)
		write(part[:n])
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// LogSize returns the number of bytes of the kept log.
func (m Missed) LogSize() (size int64) {
	for _, name := range logsOf(strings.TrimSuffix(m.Path, noteEnd)) {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}

// logsOf returns the files of a kept log. path is the path of the note, without extension.
func logsOf(path string) []string {
	return slices.DeleteFunc(logsIn(filepath.Dir(path)), func(name string) bool {
		return !strings.HasPrefix(name, path+".")
	})
}

// logsIn returns the kept logs in a folder.
func logsIn(place string) []string { return glob.In(place, "*"+logEnd) }

func removeLog(path string) {
	for _, name := range logsOf(path) {
		os.Remove(name)
	}
}

// removeLogs removes logs whose notes are gone.
func removeLogs(place string) {
	for _, name := range logsIn(place) {
		attempt, _, _ := strings.Cut(filepath.Base(name), ".")
		if _, err := os.Stat(filepath.Join(place, attempt+noteEnd)); errors.Is(err, os.ErrNotExist) {
			os.Remove(name)
		}
	}
}
