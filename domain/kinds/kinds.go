// Package kinds has what several of the migrations that come with the program share: parameters that name a company,
// a board or the encoding of a file. Each migration is a package below it.
package kinds
