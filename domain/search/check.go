package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
)

// check reads all files of an index, and returns why one is not whole. What a library reads later in the background would
// end the program.
func check(path string) error {
	parts, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := checkPart(part); err != nil {
			return fmt.Errorf("check %s: %w", part, err)
		}
	}
	return guard(func() error { return checkRoot(filepath.Join(path, "store", "root.bolt")) })
}

// checkPart compares a part with the checksum at its end.
func checkPart(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < crc32.Size {
		return errors.New("it is cut off")
	}
	hash := crc32.NewIEEE()
	if _, err := io.CopyN(hash, file, info.Size()-crc32.Size); err != nil {
		return err
	}
	var sum [crc32.Size]byte
	if _, err := io.ReadFull(file, sum[:]); err != nil {
		return err
	}
	if hash.Sum32() != binary.BigEndian.Uint32(sum[:]) {
		return errors.New("its checksum is another")
	}
	return nil
}

// checkRoot reads all of the file that says which parts there are.
func checkRoot(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // there is no index yet
	}
	if err != nil {
		return err
	}
	root, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 2 * time.Second, ReadOnly: true})
	if err != nil {
		return err
	}
	defer root.Close()
	return root.View(func(tx *bbolt.Tx) error {
		if info.Size() < tx.Size() {
			return errors.New("it is cut off")
		}
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return checkBucket(b) })
	})
}

func checkBucket(b *bbolt.Bucket) error {
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			if below := b.Bucket(key); below != nil {
				return checkBucket(below)
			}
		}
		crc32.ChecksumIEEE(value) // reads it
		return nil
	})
}

// guard returns a panic of f as an error, also that of reading behind the end of a file in memory.
func guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the index cannot be read: %v", p)
		}
	}()
	return f()
}
