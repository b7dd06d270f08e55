package jobmasks

import (
	"bytes"
	"fmt"
	"os"
)

// maxAncestors is the max number of processes between a command and the step that runs it.
const maxAncestors = 100

// inheritedKey returns the key in the environment of the nearest ancestor process that has a key, or nil. The system
// shows the environment with which a process began, and only to the user of that process.
func inheritedKey() []byte {
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxAncestors; pid, n = parentOf(pid), n+1 {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // it stays empty if we may not read it
		for _, v := range bytes.Split(environ, []byte{0}) {
			if text, ok := bytes.CutPrefix(v, []byte(KeyVariable+"=")); ok && KeyOf(string(text)) != nil {
				return KeyOf(string(text))
			}
		}
	}
	return nil
}

// parentOf returns the ID of a process's parent, or 0 if the parent is unknown.
func parentOf(pid int) int {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var parent int
	var state string
	// The state comes after the name of the program. The name is in brackets and may contain any characters.
	_, _ = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
	return parent
}
