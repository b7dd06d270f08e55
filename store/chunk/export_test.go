package chunk

const MaxLine = maxLine
