package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/lease"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Entries of an audit list are sealed into a chain: each has a position and an HMAC over itself and the one before, so
// that a row cannot be changed, removed, added or moved without the key. The chain of the instance is 0.

// auditKey is where the key of the chains is: encrypted, as other secrets are.
var auditKey = secrets.Name{Kind: secrets.Audit, Owner: 1}

// AuditKey returns the key of the chains, nil if there is none yet. It is the one place that knows where the key is: not
// beside the rows, so a reader of the whole database cannot compute the chains anew.
func AuditKey(ctx context.Context, q *db.Queries, keys *secrets.Keys) ([]byte, error) {
	key, err := keys.Get(ctx, q, auditKey)
	if !db.IsNotFound(err) {
		return key, err
	}
	row, err := db.Read(q.Sealer(ctx)) // where it was in the clear
	if err != nil {
		return nil, fmt.Errorf("read the key of the audit chains: %w", err)
	}
	if len(row.Secret) == 0 {
		return nil, nil
	}
	return row.Secret, nil
}

func makeAuditKey(ctx context.Context, tx *db.Tx, keys *secrets.Keys) ([]byte, error) {
	key, err := AuditKey(ctx, tx.Queries, keys)
	if err != nil || key != nil {
		return key, err
	}
	return keys.Make(ctx, tx, auditKey)
}

// sealed is an entry as its HMAC has it.
type sealed = db.SealedAuditRow

func rowMAC(key, before []byte, chain id.Company, seq uint64, r sealed) []byte {
	var account uint64
	if r.AccountID != nil {
		account = uint64(*r.AccountID)
	}
	existing := uint64(0)
	if r.Existing {
		existing = 1
	}
	return mac(key, "entry", []uint64{uint64(chain), seq, uint64(r.ID), account, uint64(r.CreatedAt.UnixMicro()), existing},
		before, []byte(r.Kind), []byte(r.Detail), []byte(r.Address))
}

func headMAC(key []byte, chain id.Company, seq uint64, last []byte) []byte {
	return mac(key, "head", []uint64{uint64(chain), seq}, last)
}

// intact reports whether the chain's head and checkpoint are signed, or the chain has just begun. A head that is not is
// never signed again, so that verify goes on finding it.
func intact(key []byte, c db.AuditChain) bool {
	if c.LastSeq == 0 && c.PurgedSeq == 0 {
		return len(c.LastMac) == 0 && len(c.HeadMac) == 0
	}
	return hmac.Equal(c.HeadMac, headMAC(key, c.Chain, c.LastSeq, c.LastMac)) &&
		(c.PurgedSeq == 0 || hmac.Equal(c.PurgeMac, purgeMAC(key, c.Chain, c.PurgedSeq, c.PurgedMac)))
}

func purgeMAC(key []byte, chain id.Company, seq uint64, last []byte) []byte {
	return mac(key, "purged", []uint64{uint64(chain), seq}, last)
}

// mac frames each text by its length, so that no two lists of them have the same bytes.
func mac(key []byte, purpose string, numbers []uint64, texts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	var frame []byte
	for _, text := range append([][]byte{[]byte(purpose)}, texts...) {
		frame = binary.BigEndian.AppendUint64(frame, uint64(len(text)))
		frame = append(frame, text...)
	}
	for _, n := range numbers {
		frame = binary.BigEndian.AppendUint64(frame, n)
	}
	h.Write(frame)
	return h.Sum(nil)
}

const (
	sealAtOnce = 500
	sealLease  = 5 * time.Second
	// sealLate is when an entry is sealed too late to vouch for what happened to it before.
	sealLate = 24 * time.Hour
)

// Sealer seals entries. Of all processes one at a time does: it holds a lease.
type Sealer struct {
	db    *db.DB
	keys  *secrets.Keys
	owner uint64
	lease *lease.Lease
	heads map[id.Company]uint64 // that were logged last
}

// NewSealer returns a sealer.
func NewSealer(d *db.DB, keys *secrets.Keys) *Sealer {
	return &Sealer{db: d, keys: keys, owner: mathrand.Uint64() >> 1, lease: lease.New(), heads: map[id.Company]uint64{}}
}

// errNotSealer ends a transaction of a process that does not hold the lease.
var errNotSealer = errors.New("another process seals")

// SealOnce seals the oldest entries, up to 500, and reports whether there may be more. It does nothing while another
// process holds the lease.
func (s *Sealer) SealOnce(ctx context.Context) (more bool, err error) {
	waiting, err := db.Read(s.db.UnsealedAudit(ctx, 1))
	if err != nil || len(waiting) == 0 {
		return false, err
	}
	err = s.within(ctx, func(tx *db.Tx) error {
		more = false
		key, err := makeAuditKey(ctx, tx, s.keys)
		if err != nil {
			return err
		}
		state, err := tx.Sealer(ctx)
		if err != nil {
			return err
		}
		rows, err := tx.UnsealedAudit(ctx, sealAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		more = len(rows) == sealAtOnce
		return seal(ctx, tx, key, state.ExistingTo, rows)
	})
	return more, err
}

// within runs fn in a transaction that holds the lease, or not at all.
func (s *Sealer) within(ctx context.Context, fn func(tx *db.Tx) error) error {
	err := s.db.InTx(ctx, func(tx *db.Tx) error {
		sent := time.Now()
		n, err := tx.AcquireSealer(ctx, db.AcquireSealerParams{Owner: s.owner, LeaseUs: sealLease.Microseconds()})
		if err != nil {
			return err
		}
		if n == 0 {
			return errNotSealer
		}
		s.lease.Begin(sent, sealLease)
		if err := fn(tx); err != nil {
			return err
		}
		if !s.lease.Valid() {
			return errNotSealer // a late batch is not committed
		}
		return nil
	})
	if errors.Is(err, errNotSealer) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("seal audit entries: %w", err)
	}
	return nil
}

func seal(ctx context.Context, tx *db.Tx, key []byte, existingTo id.Audit, rows []db.UnsealedAuditRow) error {
	heads := map[id.Company]*db.AuditChain{}
	forged := map[id.Company]bool{}
	seals := make([]db.Seal, len(rows))
	for i, row := range rows {
		chain := chainOf(row.CompanyID)
		head := heads[chain]
		if head == nil {
			if err := tx.AddAuditChain(ctx, chain); err != nil {
				return err
			}
			found, err := tx.AuditChain(ctx, chain)
			if err != nil {
				return err
			}
			head = &found
			heads[chain], forged[chain] = head, !intact(key, found)
		}
		r := sealed{ID: row.ID, AccountID: row.AccountID, Kind: row.Kind, Detail: row.Detail, Address: row.Address,
			CreatedAt: row.CreatedAt, Existing: row.ID <= existingTo || tx.Now.Sub(row.CreatedAt) > sealLate}
		head.LastSeq++
		head.LastMac = rowMAC(key, head.LastMac, chain, head.LastSeq, r)
		seals[i] = db.Seal{ID: row.ID, Seq: head.LastSeq, MAC: head.LastMac, Existing: r.Existing}
	}
	n, err := tx.SealAudit(ctx, seals)
	if err != nil {
		return err
	}
	if n != int64(len(seals)) {
		return fmt.Errorf("%d of %d entries were sealed", n, len(seals))
	}
	for chain, head := range heads {
		signature := headMAC(key, chain, head.LastSeq, head.LastMac)
		if forged[chain] {
			signature = head.HeadMac
		}
		err := tx.SetAuditHead(ctx, db.SetAuditHeadParams{LastSeq: head.LastSeq, LastMac: head.LastMac,
			HeadMac: signature, Chain: chain})
		if err != nil {
			return err
		}
	}
	return nil
}

func chainOf(company *id.Company) id.Company {
	if company == nil {
		return 0
	}
	return *company
}

func companyOf(chain id.Company) *id.Company {
	if chain == 0 {
		return nil
	}
	return &chain
}

// chainsAtOnce is how many chains are read at once.
const chainsAtOnce = 100

// eachChain calls fn for every chain.
func eachChain(ctx context.Context, q *db.Queries, fn func(db.AuditChain) error) error {
	instance, err := q.AuditChain(ctx, 0)
	if err == nil {
		err = fn(instance)
	}
	if err != nil && !db.IsNotFound(err) {
		return err
	}
	for after := id.Company(0); ; {
		list, err := db.Read(q.AuditChainsAfter(ctx, after, chainsAtOnce))
		if err != nil {
			return err
		}
		for _, chain := range list {
			after = chain.Chain
			if err := fn(chain); err != nil {
				return err
			}
		}
		if len(list) < chainsAtOnce {
			return nil
		}
	}
}

// LogHeads logs the head of each chain that grew, for comparison with a database that someone has set back.
func (s *Sealer) LogHeads(ctx context.Context, log *slog.Logger) error {
	return eachChain(ctx, s.db.Queries, func(c db.AuditChain) error {
		if s.heads[c.Chain] == c.LastSeq {
			return nil
		}
		s.heads[c.Chain] = c.LastSeq
		log.Info("audit head", "chain", uint64(c.Chain), "position", c.LastSeq, "mac", fmt.Sprintf("%x", c.LastMac))
		return nil
	})
}

// PurgeAudit removes sealed entries that are older than a time, from the beginning of each chain on, and signs where
// the chain begins now. It leaves a chain alone that is broken, and returns an error that says so: its signature would
// vouch for what somebody changed.
func (s *Sealer) PurgeAudit(ctx context.Context, before time.Time) error {
	var broken []error
	err := eachChain(ctx, s.db.Queries, func(c db.AuditChain) error {
		for more := true; more && ctx.Err() == nil; {
			more = false
			err := s.within(ctx, func(tx *db.Tx) (err error) {
				more, err = purgeSome(ctx, tx, s.keys, c.Chain, before)
				return err
			})
			if errors.As(err, new(brokenChain)) {
				broken = append(broken, err)
				return nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(append(broken, err)...)
}

// brokenChain reports a chain that is not purged.
type brokenChain struct{ chain id.Company }

func (e brokenChain) Error() string {
	return chainName(e.chain) + " is not purged, because its chain is broken: run counterfoil verify"
}

func purgeSome(
	ctx context.Context, tx *db.Tx, keys *secrets.Keys, chain id.Company, before time.Time,
) (more bool, err error) {
	key, err := AuditKey(ctx, tx.Queries, keys)
	if err != nil || key == nil {
		return false, err
	}
	c, err := tx.AuditChain(ctx, chain)
	if err != nil {
		return false, err
	}
	rows, err := tx.SealedAudit(ctx, db.SealedAuditParams{CompanyID: companyOf(chain), After: &c.PurgedSeq,
		Limit: sealAtOnce})
	if err != nil {
		return false, err
	}
	var ids []id.Audit
	last := c
	for _, row := range rows {
		if !row.CreatedAt.Before(before) {
			break
		}
		if *row.Seq != last.PurgedSeq+1 || !hmac.Equal(row.Mac, rowMAC(key, last.PurgedMac, chain, *row.Seq, row)) {
			return false, brokenChain{chain}
		}
		ids = append(ids, row.ID)
		last.PurgedSeq, last.PurgedMac = *row.Seq, row.Mac
	}
	if len(ids) == 0 {
		return false, nil
	}
	if !intact(key, c) {
		return false, brokenChain{chain}
	}
	if err := tx.DeleteAudit(ctx, ids); err != nil {
		return false, err
	}
	_, err = tx.SetAuditPurged(ctx, db.SetAuditPurgedParams{PurgedSeq: last.PurgedSeq, PurgedMac: last.PurgedMac,
		PurgeMac: purgeMAC(key, chain, last.PurgedSeq, last.PurgedMac), Chain: chain, From: c.PurgedSeq})
	return len(ids) == sealAtOnce, err
}

// CheckChains calls found with each place where a chain is broken, and returns how many entries it checked.
func CheckChains(
	ctx context.Context, q *db.Queries, keys *secrets.Keys, found func(text string),
) (entries int64, err error) {
	key, err := AuditKey(ctx, q, keys)
	if err != nil {
		return 0, err
	}
	err = eachChain(ctx, q, func(c db.AuditChain) error {
		if key == nil { // an empty one proves nothing
			found(chainName(c.Chain) + " has a chain, but the key of the chains is gone")
			return nil
		}
		n, err := checkChain(ctx, q, key, c, found)
		entries += n
		return err
	})
	return entries, err
}

func chainName(chain id.Company) string {
	if chain == 0 {
		return "the audit of the server"
	}
	return fmt.Sprintf("the audit of company %d", chain)
}

func checkChain(
	ctx context.Context, q *db.Queries, key []byte, c db.AuditChain, found func(string),
) (entries int64, err error) {
	name := chainName(c.Chain)
	if c.PurgedSeq > 0 && !hmac.Equal(c.PurgeMac, purgeMAC(key, c.Chain, c.PurgedSeq, c.PurgedMac)) {
		found(name + " has a forged checkpoint: entries were removed, but not by a purge")
	}
	if !hmac.Equal(c.HeadMac, headMAC(key, c.Chain, c.LastSeq, c.LastMac)) {
		found(name + " has a forged head")
	}
	at, last := c.PurgedSeq, c.PurgedMac
	for {
		rows, err := db.Read(q.SealedAudit(ctx, db.SealedAuditParams{CompanyID: companyOf(c.Chain), After: &at,
			Limit: sealAtOnce}))
		if err != nil {
			return entries, err
		}
		for _, row := range rows {
			entries++
			switch seq := *row.Seq; {
			case seq > at+1:
				found(fmt.Sprintf("%s lacks its entries %d to %d", name, at+1, seq-1))
			case seq <= at:
				found(fmt.Sprintf("%s has two entries at position %d", name, seq))
			case !hmac.Equal(row.Mac, rowMAC(key, last, c.Chain, seq, row)):
				found(fmt.Sprintf("%s is broken at position %d: entry %d was changed, moved or added", name, seq, row.ID))
			}
			at, last = *row.Seq, row.Mac
		}
		if len(rows) < sealAtOnce {
			break
		}
	}
	if at != c.LastSeq || !hmac.Equal(last, c.LastMac) {
		found(fmt.Sprintf("%s ends at position %d, but its head is at %d", name, at, c.LastSeq))
	}
	return entries, nil
}

// BeginChainsAnew forgets the chains, whose key is lost with the key of that id: all entries are to be sealed as a first
// stretch again, marked as existing, and the server's log says so. It may be repeated; nobody seals meanwhile.
func BeginChainsAnew(ctx context.Context, d *db.DB, lost string) error {
	err := d.InTx(ctx, func(tx *db.Tx) error { return tx.BeginChainsAnew(ctx) })
	if err != nil {
		return fmt.Errorf("begin the audit chains anew: %w", err)
	}
	for n := int64(1); n > 0; {
		if n, err = db.Read(d.UnsealAudit(ctx, sealAtOnce)); err != nil {
			return fmt.Errorf("begin the audit chains anew: %w", err)
		}
	}
	err = eachChain(ctx, d.Queries, func(c db.AuditChain) error {
		return d.InTx(ctx, func(tx *db.Tx) error { return tx.DeleteAuditChain(ctx, c.Chain) })
	})
	if err != nil {
		return fmt.Errorf("begin the audit chains anew: %w", err)
	}
	return d.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.EmptySealerSecret(ctx); err != nil {
			return err
		}
		if err := RecordInstance(ctx, tx, 0, AuditKeyLost, AuditDetail{Name: lost}); err != nil {
			return err
		}
		return secrets.Delete(ctx, tx, auditKey)
	})
}
