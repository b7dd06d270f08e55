package report

var Fitting = fitting
