package markdown

var Formats = formats
