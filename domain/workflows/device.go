package workflows

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// A browser that signed in to an account has a cookie that says so, and nothing else: a random name, when it was made,
// and a signature over both and the account's address. With it, a user signs in when strangers at the same address have
// used up its attempts.

// DeviceLife is how long a browser is known after a sign-in.
const DeviceLife = 90 * 24 * time.Hour

// What such a cookie is for.
const (
	forAttempts = "device"  // to sign in although the address is locked out
	forNotices  = "browser" // to sign in by an issuer without a notice
)

// DeviceCookie returns the cookie of a browser that has signed in to an account. The name in an earlier cookie of the
// same account stays.
func (w *Workflows) DeviceCookie(ctx context.Context, account accounts.Account, earlier string) (string, error) {
	if err := accounts.Know(ctx, w.db, account.ID); err != nil {
		return "", err
	}
	return w.deviceCookie(ctx, forAttempts, account.Email, earlier)
}

// BrowserCookie is DeviceCookie for a browser in which an issuer signed the user in: it only spares the user a notice.
func (w *Workflows) BrowserCookie(ctx context.Context, account accounts.Account, earlier string) (string, error) {
	return w.deviceCookie(ctx, forNotices, account.Email, earlier)
}

func (w *Workflows) deviceCookie(ctx context.Context, purpose, email, earlier string) (string, error) {
	name, err := w.device(ctx, purpose, email, earlier)
	if err != nil {
		return "", err
	}
	if name == "" {
		name = rand.Text()
	}
	made := strconv.FormatInt(w.db.Now().Unix(), 36)
	mac, err := w.signDevice(ctx, purpose, email, name, made)
	if err != nil {
		return "", err
	}
	return name + "." + made + "." + mac, nil
}

// device returns the name in a cookie that is valid for a purpose and an address, else "".
func (w *Workflows) device(ctx context.Context, purpose, email, cookie string) (string, error) {
	parts := strings.Split(cookie, ".")
	if len(parts) != 3 || len(cookie) > 200 {
		return "", nil
	}
	seconds, err := strconv.ParseInt(parts[1], 36, 64)
	if err != nil || w.db.Now().Sub(time.Unix(seconds, 0)) >= DeviceLife {
		return "", nil //nolint:nilerr // no cookie of ours
	}
	mac, err := w.signDevice(ctx, purpose, email, parts[0], parts[1])
	if err != nil || !hmac.Equal([]byte(mac), []byte(parts[2])) {
		return "", err
	}
	return parts[0], nil
}

func (w *Workflows) signDevice(ctx context.Context, purpose, email, name, made string) (string, error) {
	mac, err := w.sign(ctx, purpose, strings.ToLower(strings.TrimSpace(email)), name, made)
	if err != nil {
		return "", fmt.Errorf("sign a browser's cookie: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(mac), nil
}
