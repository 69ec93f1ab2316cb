// Package kinds has what several of the built-in migrations share: parameters for a company, a board or the encoding
// of a file. Each migration is in a package below it, is registered in domain/app, and uses the use cases of
// workflows, which do not know it.
package kinds
