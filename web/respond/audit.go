package respond

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// AuditReader returns a page of an audit list, and whether there are more.
type AuditReader func(ctx context.Context, before id.Audit) ([]accounts.AuditEntry, bool, error)

// AuditSheet is an audit list as a file, the newest first. Nothing is written if its first page cannot be read.
func AuditSheet(ctx context.Context, name string, read AuditReader) (*migrations.Sheet, error) {
	list, more, err := read(ctx, 0)
	if err != nil {
		return nil, err
	}
	head := []string{"id", "at", "kind", "user", "email", "address", "event", "detail", "position", "seal"}
	return migrations.NewSheet(name, head, func(ctx context.Context, write func(...string)) (bool, error) {
		for _, e := range list {
			detail, err := json.Marshal(e.Detail)
			if err != nil {
				return false, fmt.Errorf("write audit entry: %w", err)
			}
			write(strconv.FormatUint(uint64(e.ID), 10), e.At.UTC().Format(time.RFC3339Nano), e.Kind, e.Account.Name,
				e.Account.Email, e.Address, views.AuditText(e), string(detail),
				strconv.FormatUint(e.Position, 10), hex.EncodeToString(e.Seal))
		}
		if !more {
			return false, nil
		}
		list, more, err = read(ctx, list[len(list)-1].ID)
		return err == nil, err
	}), nil
}
