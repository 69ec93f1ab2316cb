package files

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeEmpty: the file has no content. Send another one.
const CodeEmpty fault.Code = "Attachment.Empty"

func Empty() error {
	return fault.Invalid.New(CodeEmpty, "file", "The file is empty. Choose another one.")
}

// CodeTooManyPixels: the picture has more pixels than any picture may have. Send it smaller, or in an archive.
const CodeTooManyPixels fault.Code = "Attachment.TooManyPixels"

func TooManyPixels(pixels int64) error {
	return fault.Invalid.New(CodeTooManyPixels, "file", fmt.Sprintf(
		"The picture has %d million pixels; at most %d million are accepted. Make it smaller, or attach it in an archive.",
		pixels/1_000_000, maxPixels/1_000_000))
}

// CodeQuotaExceeded: the company's attachments would have more bytes than its quota. Ask the operator of the server for
// a higher one.
const CodeQuotaExceeded fault.Code = "Attachment.QuotaExceeded"

func QuotaExceeded(bytes int64, usage Usage) error {
	return fault.TooLarge.New(CodeQuotaExceeded, "file", fmt.Sprintf(
		"There is no room for this file: it has %s, and of the %s for your company's files %s are left. Ask the operator of this server for more.",
		Size(bytes), Size(usage.Quota), Size(usage.Left())))
}

// CodeBadQuota: the quota is no size, or too large. Send one such as 20 GB.
const CodeBadQuota fault.Code = "Company.BadQuota"

func BadQuota() error {
	return fault.Invalid.New(CodeBadQuota, "quota", "Enter a size from 0 to 1024 TB, such as 500 MB or 20 GB.")
}

// CodeOtherPlace: this server keeps files in another place than the one that the database's files are in. Set
// COUNTERFOIL_BLOBS to the same folder or bucket on each server.
const CodeOtherPlace fault.Code = "Files.OtherPlace"

// OtherPlace says that a place has not the file of that name, which marks the place of the database's files.
func OtherPlace(place, name string) error {
	return fault.Unavailable.New(CodeOtherPlace, "", fmt.Sprintf(
		"This server keeps files in %s, but the files of its database are in another place. Set COUNTERFOIL_BLOBS to the same folder or bucket on each server. If this is the place, put an empty file named %s into it.",
		place, name))
}
