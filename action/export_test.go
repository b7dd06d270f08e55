package action

var InputVariables = inputVariables
