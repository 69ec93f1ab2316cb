package workflows_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// TestUploadsUnderWay: many at once bring no more to the disk than the quota has room for.
func TestUploadsUnderWay(t *testing.T) {
	t.Parallel()
	e := newEnv(t, apptest.Files(t))
	e.Exec(t, "INSERT INTO company_storage (company_id, quota) VALUES (1, 300000)")
	content := strings.Repeat("x", 200_000)
	file := func(r io.Reader, size int64) workflows.NewFile {
		return workflows.NewFile{Name: "x.txt", Content: r, Size: size}
	}
	for name, size := range map[string]int64{"of a known size": 200_000, "of an unknown size": -1} {
		t.Run(name, func(t *testing.T) {
			slow, write := io.Pipe()
			first := make(chan error, 1)
			go func() {
				_, err := e.Workflows.Upload(e.Ctx, file(slow, size))
				first <- err
			}()
			domaintest.OK(write.Write([]byte("x")))(t) // it is being read
			_, err := e.Workflows.Upload(e.Ctx, file(strings.NewReader(content), 200_000))
			if fault.CodeOf(err) != files.CodeQuotaExceeded {
				t.Errorf("the second is told %v", err)
			}
			write.CloseWithError(fmt.Errorf("the connection is gone"))
			if err := <-first; err == nil || !strings.Contains(err.Error(), "the connection is gone") {
				t.Errorf("the first is told %v", err)
			}
		})
	}
	domaintest.OK(e.Workflows.Upload(e.Ctx, file(strings.NewReader(content), 200_000)))(t) // there is room again
	if used := domaintest.OK(e.Workflows.StorageUsed(e.Ctx))(t).Used; used != 200_000 {
		t.Errorf("%d bytes are used", used)
	}
	_, err := e.Workflows.Upload(e.Ctx, file(strings.NewReader(content), -1)) // which is known at its end
	if fault.CodeOf(err) != files.CodeQuotaExceeded {
		t.Error(err)
	}
}
