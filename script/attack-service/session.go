//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// equalize gives each process of PostgreSQL the priority of blqd's session. With autogroups, Linux divides CPU time
// between sessions. Each process of PostgreSQL is a session of its own, with the default priority.
func (s *service) equalize() error {
	nice, ok := sessionNice(os.Getpid())
	if !ok {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(s.database.Directory(), "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	for _, pid := range append(children(postmaster), postmaster) {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), []byte(strconv.Itoa(nice)), 0) // this needs privileges
	}
	return nil
}

// sessionNice returns the priority of a process's session. ok is false if Linux does not tell the priority.
func sessionNice(pid int) (nice int, ok bool) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", pid))
	_, value, ok := strings.Cut(strings.TrimSpace(string(text)), " nice ")
	if ok {
		nice, _ = strconv.Atoi(value)
	}
	return nice, ok
}

// children returns the process IDs of a process's children.
func children(pid int) (list []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, of := range lists {
		text, _ := os.ReadFile(of) // a thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}
