package secrets

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/counterfoil/counterfoil/db"
)

// Kind says what a secret is.
type Kind string

// Kinds of secrets.
const (
	Webhook    Kind = "webhook"     // signs messages
	WebhookOld Kind = "webhook-old" // the one before, for a while
	Audit      Kind = "audit"       // of the chains of the audit lists
	Signing    Kind = "signing"     // of setup codes and cookies of known browsers
	TOTP       Kind = "totp"        // of an account's authenticator app
	Issuer     Kind = "issuer"      // of this server at an issuer
)

// Name says whose a secret is. Owner is 1 for what there is once.
type Name struct {
	Kind  Kind
	Owner uint64
}

func (n Name) String() string {
	switch n.Kind {
	case Webhook:
		return fmt.Sprint("secret of webhook ", n.Owner)
	case WebhookOld:
		return fmt.Sprint("former secret of webhook ", n.Owner)
	case Audit:
		return "key of the audit chains"
	case Signing:
		return "key that servers sign with"
	case TOTP:
		return fmt.Sprint("key of the authenticator app of account ", n.Owner)
	case Issuer:
		return fmt.Sprint("client secret of issuer ", n.Owner)
	}
	return fmt.Sprintf("secret %s of %d", n.Kind, n.Owner)
}

// Keys encrypt secrets and decrypt them. They are read from the file when they are needed, and again when a secret has a
// key that was not there. A nil *Keys has none.
type Keys struct {
	path string // "" for fixed ones

	mu   sync.Mutex
	list []key
	made bool // this process made the file, and the database does not know its key yet
}

// New returns the keys of a file.
func New(path string) *Keys { return &Keys{path: path} }

// Fixed returns one key that no file has, for tests and seeds of tests.
func Fixed(secret [32]byte) *Keys { return &Keys{list: []key{withID(secret[:])}} }

// Path is that of the file.
func (k *Keys) Path() string { return k.path }

// IDs are those of the keys in the file, the newest first.
func (k *Keys) IDs() ([]string, error) {
	if k == nil {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.load()
	return ids(k.list), err
}

func (k *Keys) load() error {
	if k.path == "" {
		return nil
	}
	list, err := readFile(k.path)
	if err == nil {
		k.list = list
	}
	return err
}

// key returns the key with an id, or OtherKey.
func (k *Keys) key(id string) (key, error) {
	if k == nil {
		return key{}, noKey()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if found, ok := find(k.list, id); ok {
		return found, nil
	}
	if err := k.load(); err != nil {
		return key{}, err
	}
	if found, ok := find(k.list, id); ok {
		return found, nil
	}
	return key{}, otherKey(k.path, k.list, id)
}

// newest returns the newest key of the file. It makes the file if there is none.
func (k *Keys) newest() (key, error) {
	if k == nil {
		return key{}, noKey()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(); err != nil {
		return key{}, err
	}
	if len(k.list) > 0 {
		return k.list[0], nil
	}
	made, err := makeFile(k.path, []key{newKey()})
	if err != nil {
		return key{}, err
	}
	if err := k.load(); err != nil {
		return key{}, err
	}
	k.made = made
	return k.list[0], nil
}

// Bind makes the newest key of the file that of the database if it has none, and the file if there is none either. Of
// servers that do so at once one wins. It returns OtherKey if the file lacks the database's key.
func (k *Keys) Bind(ctx context.Context, d *db.DB) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		_, err := k.current(ctx, tx)
		return err
	})
}

// current returns the key that new secrets are encrypted with. It stays that until the transaction ends.
func (k *Keys) current(ctx context.Context, tx *db.Tx) (key, error) {
	n, err := tx.LockSecretKey(ctx)
	if err == nil && n == 0 {
		err = k.register(ctx, tx)
	}
	if err != nil {
		return key{}, fmt.Errorf("lock the id of the key: %w", err)
	}
	id, err := tx.SecretKey(ctx)
	if err != nil {
		return key{}, fmt.Errorf("read the id of the key: %w", err)
	}
	found, err := k.key(id)
	k.settle(err)
	return found, err
}

// register stores the id of the newest key unless another server was faster, and locks it.
func (k *Keys) register(ctx context.Context, tx *db.Tx) error {
	first, err := k.newest()
	if err != nil {
		return err
	}
	if err := tx.AddSecretKey(ctx, first.id, tx.Now); err != nil {
		return err
	}
	_, err = tx.LockSecretKey(ctx)
	return err
}

// settle removes the file that this process made if another server's key won.
func (k *Keys) settle(err error) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made && errors.Is(err, CodeOtherKey) {
		_ = os.Remove(k.path)
	}
	k.made = false
}

// Put encrypts a secret and stores it in place of the one before. It returns Unreadable.
func (k *Keys) Put(ctx context.Context, tx *db.Tx, name Name, secret []byte) error {
	current, err := k.current(ctx, tx)
	if err != nil {
		return forUsers(err)
	}
	return put(ctx, tx, current, name, secret)
}

func put(ctx context.Context, tx *db.Tx, with key, name Name, secret []byte) error {
	err := tx.PutSealedSecret(ctx, db.PutSealedSecretParams{Kind: string(name.Kind), OwnerID: name.Owner, KeyID: with.id,
		Sealed: with.seal(name, secret)})
	if err != nil {
		return fmt.Errorf("store the %s: %w", name, err)
	}
	return nil
}

// Get returns a secret. Its error is db.IsNotFound if there is none, or Unreadable.
func (k *Keys) Get(ctx context.Context, q *db.Queries, name Name) ([]byte, error) {
	row, err := db.Read(q.SealedSecret(ctx, string(name.Kind), name.Owner))
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", name, err)
	}
	return k.Open(name, row.KeyID, row.Sealed)
}

// Open decrypts a secret as it is stored, with the key of that id. It returns Unreadable.
func (k *Keys) Open(name Name, id string, sealed []byte) ([]byte, error) {
	secret, err := k.open(name, id, sealed)
	if err != nil {
		return nil, forUsers(err)
	}
	return secret, nil
}

func (k *Keys) open(name Name, id string, sealed []byte) ([]byte, error) {
	with, err := k.key(id)
	if err != nil {
		return nil, err
	}
	return with.open(name, sealed)
}

// Make returns a secret of 32 random bytes. Of several callers the first makes it. It returns Unreadable.
func (k *Keys) Make(ctx context.Context, tx *db.Tx, name Name) ([]byte, error) {
	current, err := k.current(ctx, tx)
	if err != nil {
		return nil, forUsers(err)
	}
	there, err := k.Get(ctx, tx.Queries, name)
	if !db.IsNotFound(err) {
		return there, err
	}
	secret := make([]byte, keySize)
	rand.Read(secret)
	return secret, put(ctx, tx, current, name, secret)
}

// Delete removes secrets.
func Delete(ctx context.Context, tx *db.Tx, names ...Name) error {
	for _, name := range names {
		if err := tx.DeleteSealedSecret(ctx, string(name.Kind), name.Owner); err != nil {
			return fmt.Errorf("delete the %s: %w", name, err)
		}
	}
	return nil
}

// seal encrypts with AES-256-GCM under a random nonce. What the secret is of is authenticated with it.
func (k key) seal(name Name, secret []byte) []byte {
	return k.cipher().Seal(nil, nil, secret, k.about(name))
}

func (k key) open(name Name, sealed []byte) ([]byte, error) {
	secret, err := k.cipher().Open(nil, nil, sealed, k.about(name))
	if err != nil {
		return nil, damaged(name)
	}
	return secret, nil
}

// about is unlike that of any other name or key: no part has a zero byte.
func (k key) about(name Name) []byte {
	return fmt.Appendf(nil, "counterfoil\x00%s\x00%d\x00%s", name.Kind, name.Owner, k.id)
}

func (k key) cipher() cipher.AEAD {
	block, err := aes.NewCipher(k.secret)
	if err != nil {
		panic(err) // it has 32 bytes
	}
	sealed, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return sealed
}
