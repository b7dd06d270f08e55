package parse

// maxScript is the max number of drafts of a lane that wait for the directory of their script.
const maxScript = 1000

// BeginScript records that a runner begins another package script in this lane.
func (s *Scan) BeginScript() { s.cur.script = nil }

// RanIn sets the directory of the newest script in this lane. The file names that the script has printed are relative
// to this directory. RanIn is called after the script, because a runner names the directory only when the script has
// failed.
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

// wait adds a draft without a directory to the newest script of the lane. The draft waits until the directory of the
// script is known.
func (l *lane) wait(d *Draft) {
	if d.Dir == "" && len(l.script) < maxScript {
		l.script = append(l.script, d)
	}
}

// settleIn sets the directory of a new lane, if the name of the lane contains a directory or the name of a known
// package.
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
