// Package public draws the pages of strangers: public forms, the pages of codes and private links, and boards by their
// public links.
package public
