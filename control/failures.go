package control

import (
	"sync"
	"time"
)

// How many failed attempts within a minute are judged: "from the sixth failed sign-in of an account within a
// minute (the thirtieth of an address) 429 with Retry-After".
const (
	failureWindow      = time.Minute
	failuresOfAccount  = 5
	failuresOfAddress  = 29
	failuresRemembered = 20_000
)

// failures remembers failed attempts to sign in or enrol, by account and by address. It touches no open session.
type failures struct {
	now Clock
	mu  sync.Mutex
	at  map[string][]time.Time
}

func newFailures(now Clock) *failures { return &failures{now: now, at: map[string][]time.Time{}} }

func accountKey(account string) string { return "account " + hashSecret(foldEmail(account)) }
func addressKey(address string) string { return "address " + address }

// allow answers a *TooManyError where the next attempt is not to be judged. An empty account or address has no
// limit of its own.
func (f *failures) allow(account, address string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.allowLocked(account, address)
}

func (f *failures) allowLocked(account, address string) error {
	var wait time.Duration
	if account != "" {
		wait = f.wait(accountKey(account), failuresOfAccount)
	}
	if address != "" {
		wait = max(wait, f.wait(addressKey(address), failuresOfAddress))
	}
	if wait > 0 {
		return &TooManyError{RetryAfter: wait}
	}
	return nil
}

// wait is how long until fewer than limit failures are left in the window; 0 where it is so now.
func (f *failures) wait(key string, limit int) time.Duration {
	recent := f.recent(key)
	if len(recent) < limit {
		return 0
	}
	return recent[len(recent)-limit].Add(failureWindow).Sub(f.now())
}

func (f *failures) recent(key string) []time.Time {
	now := f.now()
	kept := f.at[key][:0]
	for _, t := range f.at[key] {
		// A clock that was set back must not lock anybody out for longer than the window.
		if age := now.Sub(t); age < failureWindow && age >= 0 {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		delete(f.at, key)
		return nil
	}
	f.at[key] = kept
	return kept
}

// add remembers a failed attempt. It answers a *TooManyError where others, judged at the same time, used up what
// was left: then this one counts as one that was not judged.
func (f *failures) add(account, address string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.allowLocked(account, address); err != nil {
		return err
	}
	if len(f.at) >= failuresRemembered {
		f.forget()
	}
	if account != "" {
		f.at[accountKey(account)] = append(f.at[accountKey(account)], f.now())
	}
	if address != "" {
		f.at[addressKey(address)] = append(f.at[addressKey(address)], f.now())
	}
	return nil
}

// forget drops what is out of the window, so that memory is bounded by what a minute brings.
func (f *failures) forget() {
	for key := range f.at {
		f.recent(key)
	}
}
