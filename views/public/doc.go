// Package public draws the pages of strangers: public forms, and the pages of codes and private links.
package public
