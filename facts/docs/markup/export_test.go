package markup

// FrontMatter is frontMatter.
var FrontMatter = frontMatter
