package comment

const MaxBody = maxBody
