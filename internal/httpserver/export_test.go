package httpserver

var Status = statusOf
