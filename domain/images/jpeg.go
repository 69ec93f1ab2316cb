package images

import (
	"bytes"
	"encoding/binary"
)

// maxScans is how many scans a JPEG may have. A progressive one has about ten. A scan takes a few bytes and costs as
// much as the picture is large: a file of some megabytes can keep a processor busy for an hour.
const maxScans = 200

// scansOf counts the passes of a JPEG by its markers, as the decoder goes over them.
func scansOf(content []byte) (scans int) {
	for rest := content[2:]; ; {
		at := bytes.IndexByte(rest, 0xff)
		if at < 0 {
			return scans
		}
		for rest = rest[at:]; len(rest) > 0 && rest[0] == 0xff; {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return scans
		}
		marker := rest[0]
		rest = rest[1:]
		switch {
		case marker == 0, marker >= 0xd0 && marker <= 0xd8: // markers without a length
			continue
		case marker == 0xd9: // the end
			return scans
		case marker == 0xda:
			scans++
		}
		if len(rest) < 2 {
			return scans
		}
		size := int(binary.BigEndian.Uint16(rest))
		if size < 2 || size > len(rest) {
			return scans
		}
		rest = rest[size:]
	}
}
