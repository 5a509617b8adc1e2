package control

import (
	"crypto/rand"
	"strings"
	"testing"
)

func TestAHashCostsWhatItShould(t *testing.T) {
	h := newHasher(rand.Reader)
	stored, err := h.hash(t.Context(), "correct horse battery staple")
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hashed to %q, error %v", stored, err)
	}
	again, err := h.hash(t.Context(), "correct horse battery staple")
	if err != nil || again == stored {
		t.Errorf("the salt is the same: %q, error %v", again, err)
	}
	if cap(h.slots) != 2 {
		t.Errorf("%d hashes at once", cap(h.slots))
	}
	for name, c := range map[string]struct {
		stored, password string
		want, broken     bool
	}{
		"right":                     {stored, "correct horse battery staple", true, false},
		"wrong":                     {stored, "correct horse battery stapler", false, false},
		"nothing":                   {stored, "", false, false},
		"of an unknown account":     {"", "correct horse battery staple", false, false},
		"nothing of an unknown one": {"", "", false, false},
		"of another form":           {"$2a$10$abc", "correct horse battery staple", false, true},
		"cut short":                 {"$argon2id$v=19$m=19456$x$y", "correct horse battery staple", false, true},
	} {
		got, err := h.verify(t.Context(), c.stored, c.password)
		if got != c.want || (err != nil) != c.broken {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
}

func TestTheMostCommonPasswordsAreKnown(t *testing.T) {
	if n := len(commonPasswords()); n != 3000 {
		t.Errorf("%d passwords", n)
	}
	for password := range commonPasswords() {
		if len(password) < minPassword || password != strings.ToLower(password) {
			t.Errorf("%q would never be compared", password)
		}
	}
}
