package markdown

var (
	Formats   = formats
	Mentioned = mentioned
)
