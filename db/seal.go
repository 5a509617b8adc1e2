package db

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

var errSeal = errors.New("a sealed value does not open: it was changed, moved, or sealed with another key")

// sealer seals values with AES-256-GCM. Each has a nonce of its own, drawn afresh, before it.
type sealer struct {
	aead cipher.AEAD
	// print tells one key from another and gives nothing of it away.
	print string
}

func newSealer(key []byte) (*sealer, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("use key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("use key: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("the key that Secrets are sealed with"))
	return &sealer{aead: aead, print: hex.EncodeToString(mac.Sum(nil))}, nil
}

// seal binds the value to its place: a sealed value that is copied to another key or Secret does not open there.
func (s *sealer) seal(value []byte, place string) string {
	sealed := s.aead.Seal(nil, nil, value, []byte(place)) //nolint:gosec // G407 looks for a nonce here: this AEAD takes none and draws its own
	return base64.StdEncoding.EncodeToString(sealed)
}

func (s *sealer) open(sealed, place string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, errSeal
	}
	value, err := s.aead.Open(nil, nil, raw, []byte(place))
	if err != nil {
		return nil, errSeal // the driver of the cipher says no more
	}
	return value, nil
}
