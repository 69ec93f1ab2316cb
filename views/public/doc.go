// Package public draws the pages of strangers: public forms, and what a code or a private link leads to.
package public
