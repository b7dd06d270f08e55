# Writes the section titles that docutils finds in rst/*.rst to rst/*.headings: line, level and text as it is written.
# Made with docutils 0.19 (Debian's python3-docutils): python3 rst.py
import glob
import io

import docutils.frontend
import docutils.utils
from docutils.parsers import rst
from docutils.parsers.rst import states

found = []
subsection = states.RSTState.new_subsection


def new_subsection(self, title, lineno, messages):
    found.append((lineno, self.memo.section_level + 1, title))
    return subsection(self, title, lineno, messages)


states.RSTState.new_subsection = new_subsection
for name in sorted(glob.glob("rst/*.rst")):
    found.clear()
    settings = docutils.frontend.OptionParser(components=(rst.Parser,)).get_default_values()
    settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, io.StringIO()
    rst.Parser().parse(open(name, encoding="utf-8").read(), docutils.utils.new_document(name, settings))
    with open(name.replace(".rst", ".headings"), "w", encoding="utf-8") as out:
        for line, level, text in found:
            print(line, level, text, file=out)
