package parse

// maxScript is the max number of drafts of a script that wait for its directory.
const maxScript = 1000

// BeginScript notes that a runner begins another package script in this lane.
func (s *Scan) BeginScript() { s.cur.script = nil }

// RanIn sets the directory of the newest script in this lane. A runner names the directory only after its script has
// failed. File names of the script are relative to it.
func (s *Scan) RanIn(dir string) { s.cur.ranIn(dir) }

// LaneRanIn sets the directory of the output of a lane.
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

// wait notes a draft of the newest script in the lane. The draft waits until the directory of the script is known.
func (l *lane) wait(d *Draft) {
	if d.Dir == "" && len(l.script) < maxScript {
		l.script = append(l.script, d)
	}
}

// settleIn sets the directory of a new lane. It is the directory of the package in the lane's name.
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
