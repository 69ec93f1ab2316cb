package admin

import (
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/views"
)

// StorageProps is the space that is taken and left.
type StorageProps struct {
	Page                  views.Page
	Where                 Where
	Tables                []TableSize // the largest
	DatabaseBytes         int64
	Files                 string               // folder or bucket of stored files
	Images, ImagesCounted int                  // more than ImagesCounted: there are others
	ImageBytes            uint64               // of those that are counted
	Companies             []files.CompanyUsage // those with the largest attachments
	Findings              []Finding
}

// TableSize is the space of a table.
type TableSize struct {
	Name        string
	Rows, Bytes int64
}

// disks are the findings about disks.
func (p StorageProps) disks() (list []Finding) {
	for _, f := range p.Findings {
		if f.Name == "disk" {
			list = append(list, f)
		}
	}
	return list
}

func (p StorageProps) imagesText() string {
	more := p.Images > p.ImagesCounted
	text := atLeast(min(p.Images, p.ImagesCounted), more) + " images, " + views.Bytes(int64(p.ImageBytes))
	if more {
		return text + " at least"
	}
	return text
}
