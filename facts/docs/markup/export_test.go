package markup

var FrontMatter = frontMatter
