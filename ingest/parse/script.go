package parse

// maxScript is how many drafts of a script wait for its directory.
const maxScript = 1000

// BeginScript notes that a runner begins another script of a package in this lane.
func (s *Scan) BeginScript() { s.cur.script = nil }

// RanIn notes the directory of the newest script of this lane, which its runner names when it has failed. What the
// script named is relative to it.
func (s *Scan) RanIn(dir string) { s.cur.ranIn(dir) }

// LaneRanIn notes the directory of what a lane has printed.
func (s *Scan) LaneRanIn(name, dir string) {
	if l := s.lanes[name]; l != nil {
		l.ranIn(dir)
	}
}

func (l *lane) ranIn(dir string) {
	for _, d := range l.script {
		if d.Dir == "" {
			d.Dir = dir
		}
	}
	l.script = nil
}

// wait notes a draft of the newest script.
func (l *lane) wait(d *Draft) {
	if d.Dir == "" && len(l.script) < maxScript {
		l.script = append(l.script, d)
	}
}

// settleIn gives a new lane the directory of its package.
func (s *Scan) settleIn(l *lane, name string) {
	dir, pkg := laneHome(name)
	if dir == "" && pkg != "" && s.paths.tree != nil {
		dir, _ = s.paths.tree.Package("package.json", pkg)
	}
	if dir != "" {
		l.home = s.paths.root + "/" + dir
		if s.paths.root == "" {
			l.home = dir
		}
	}
	l.pkg = l.home
}
