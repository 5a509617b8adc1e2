package control

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"odysseus/fleet"
)

// Prefixes tell a person, and a scanner of leaked secrets, what a secret opens.
const (
	prefixToken      = "ody_"
	prefixEnrolment  = "odyenrol_"
	prefixCredential = "odynode_"
	prefixSetup      = "odysetup_"
)

// secret makes 256 bits that cannot be guessed, as text for headers and URLs.
func (c *Control) secret(prefix string) (string, error) {
	raw := make([]byte, 32)
	if _, err := io.ReadFull(c.deps.Random, raw); err != nil {
		return "", fmt.Errorf("read random: %w", err)
	}
	return prefix + base64.RawURLEncoding.EncodeToString(raw), nil
}

// hashSecret is what is stored of a secret. It needs no salt and no slowness: the secret is random.
func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// lifetime reads expiresIn: Go's spelling of a duration, def where it was left out, most at most. Its syntax was
// checked with the shape.
func lifetime(text string, def, most time.Duration) (time.Duration, fleet.FieldErrors) {
	if text == "" {
		return def, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, nil // refused as duration_invalid with the shape
	}
	if d > most {
		return 0, fleet.FieldErrors{{Code: fleet.CodeOutOfRange, Field: "expiresIn", Value: text, Want: "at_most", WantArgs: map[string]string{"Limit": most.String()}}}
	}
	return d, nil
}
