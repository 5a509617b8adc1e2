package control

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/trustelem/zxcvbn/frequency"
	"golang.org/x/crypto/argon2"

	"odysseus/fleet"
)

// Argon2id with 19 MiB, two passes, one lane, and at most two hashes at once: what a sign-in costs is bounded
// whatever comes in.
const (
	hashMemory  = 19 * 1024 // KiB
	hashPasses  = 2
	hashLanes   = 1
	hashLength  = 32
	saltLength  = 16
	hashesAtOne = 2
)

// Lengths of a password, in characters.
const (
	minPassword = 8
	maxPassword = 128
)

// cost is what one hash takes.
type cost struct {
	memory, passes uint32
	lanes          uint8
}

// hasher hashes passwords, a bounded number at a time.
type hasher struct {
	random io.Reader
	cost   cost
	slots  chan struct{}
}

func newHasher(random io.Reader) *hasher {
	return &hasher{random: random, cost: cost{hashMemory, hashPasses, hashLanes}, slots: make(chan struct{}, hashesAtOne)}
}

// enter waits for one of the slots; leave gives it back.
func (h *hasher) enter(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash: %w", ctx.Err())
	}
}

func (h *hasher) leave() { <-h.slots }

// hash answers what is stored of a password: salt and hash, in PHC's form.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", fmt.Errorf("read random: %w", err)
	}
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	sum := argon2.IDKey([]byte(password), salt, h.cost.passes, h.cost.memory, h.cost.lanes, hashLength)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.cost.memory, h.cost.passes, h.cost.lanes, encode(salt), encode(sum)), nil
}

// verify says whether a password is the one that was hashed. An empty hash is nobody's: it takes as long and
// answers no, so that an unknown account cannot be told from a known one.
func (h *hasher) verify(ctx context.Context, stored, password string) (bool, error) {
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer h.leave()
	return h.compare(stored, password)
}

// compare is verify for a caller that holds a slot.
func (h *hasher) compare(stored, password string) (bool, error) {
	salt, sum, with := make([]byte, saltLength), make([]byte, hashLength), h.cost
	if stored != "" {
		parts := strings.Split(stored, "$")
		if len(parts) != 6 || parts[1] != "argon2id" {
			return false, errors.New("read password hash: not in PHC's form")
		}
		if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &with.memory, &with.passes, &with.lanes); err != nil {
			return false, fmt.Errorf("read password hash: %w", err)
		}
		var err error
		if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
			return false, fmt.Errorf("read password hash: %w", err)
		}
		if sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
			return false, fmt.Errorf("read password hash: %w", err)
		}
	}
	got := argon2.IDKey([]byte(password), salt, with.passes, with.memory, with.lanes, uint32(len(sum)))
	return subtle.ConstantTimeCompare(got, sum) == 1 && stored != "", nil
}

// mostCommon is how many of the most common passwords long enough to be taken are refused.
const mostCommon = 3000

// commonPasswords are refused whatever their case. The list is zxcvbn's, most common first.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	refused := make(map[string]bool, mostCommon)
	for _, password := range frequency.FrequencyLists["passwords"] {
		if utf8.RuneCountInString(password) >= minPassword && len(refused) < mostCommon {
			refused[strings.ToLower(password)] = true
		}
	}
	return refused
})

// checkPassword refuses a password by its length, as one of the most common, or as the account's own address. It is
// never quoted back.
func checkPassword(password, email string) fleet.FieldErrors {
	n := utf8.RuneCountInString(password)
	lower := strings.ToLower(password)
	local, _, _ := strings.Cut(foldEmail(email), "@")
	if n >= minPassword && n <= maxPassword && !commonPasswords()[lower] && lower != foldEmail(email) && lower != local {
		return nil
	}
	if password == "" {
		return nil // refused with the shape: required
	}
	return fleet.FieldErrors{{Code: fleet.CodePasswordInvalid, Field: "password", Want: "password"}}
}
