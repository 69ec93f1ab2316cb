package views

import (
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// FileFacts are the type and the size of a file, such as "PDF, 1.2 MB".
func FileFacts(a tickets.Attachment) string {
	return fileKind(a.File.Type) + ", " + Bytes(a.File.Bytes)
}

// fileKind is a type by the usual extension of its files.
func fileKind(kind string) string {
	known := mimetype.Lookup(kind)
	if known == nil || known.Extension() == "" {
		return "File"
	}
	return strings.ToUpper(strings.TrimPrefix(known.Extension(), "."))
}
