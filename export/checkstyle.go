package export

import "github.com/blq-ci/blq/store"

// In a Checkstyle document, a file element holds consecutive events of one file. The source of an error is
// "TOOL.rules.CODE", as in ESLint's output.

func checkstyleHead(d *document) { d.WriteString(xmlHead + `<checkstyle version="8.0">` + "\n") }
func checkstyleFoot(d *document) { d.WriteString("</checkstyle>\n") }

func checkstyleEvents(d *document, list []store.Event) {
	for i, e := range list {
		if i == 0 || list[i-1].File != e.File {
			d.WriteString(`  <file name="`)
			d.text(e.File)
			d.WriteString("\">\n")
		}
		d.WriteString("    <error")
		d.number("line", e.Line)
		if e.Column > 0 {
			d.number("column", e.Column)
		}
		d.attr("severity", string(e.Severity))
		d.attr("message", e.Message)
		if e.Tool != "" || e.Code != "" {
			d.attr("source", e.Tool+".rules."+e.Code)
		}
		d.WriteString("/>\n")
		if i == len(list)-1 || list[i+1].File != e.File {
			d.WriteString("  </file>\n")
		}
	}
}
