package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// Authenticate finds whose API token a bearer is; ErrUnauthenticated where it is nobody's, or expired.
func (c *Control) Authenticate(ctx context.Context, bearer, address string) (Actor, error) {
	if bearer == "" {
		return Actor{}, ErrUnauthenticated
	}
	var t fleet.Token
	err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
		t, err = tx.TokenByHash(ctx, hashSecret(bearer))
		return err
	})
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		return Actor{}, ErrUnauthenticated
	case err != nil:
		return Actor{}, wrap("read token", err)
	case !t.ExpiresAt.IsZero() && !c.deps.Now().Before(t.ExpiresAt):
		return Actor{}, ErrUnauthenticated
	}
	return Actor{Name: "token " + t.Name, Role: t.Role, Tenant: t.Tenant, Address: address}, nil
}

// ActorOf is the person of a signed-in session, as it is now; ErrUnauthenticated where the user is gone or the
// session's epoch is over.
func (c *Control) ActorOf(ctx context.Context, userID string, epoch int64, address string) (Actor, error) {
	var u fleet.User
	err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
		u, err = tx.User(ctx, userID)
		return err
	})
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		return Actor{}, ErrUnauthenticated
	case err != nil:
		return Actor{}, wrap("read user", err)
	case u.SessionEpoch != epoch:
		return Actor{}, ErrUnauthenticated
	}
	return Actor{Name: u.Email, Role: u.Role, Tenant: u.Tenant, UserID: u.ID, Address: address}, nil
}

// SignIn checks a password: ErrSignInFailed, or *TooManyError after too many failures. The answer and its time are
// the same for an account that exists and one that does not.
func (c *Control) SignIn(ctx context.Context, email, password, address string) (fleet.User, error) {
	// Who is over the limit is told at once; the rest wait for their turn and are asked again, since many may
	// have failed meanwhile.
	if err := c.failures.allow(email, address); err != nil {
		return fleet.User{}, err
	}
	var u fleet.User
	err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
		u, err = tx.UserByEmail(ctx, foldEmail(email))
		return err
	})
	if err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return fleet.User{}, wrap("read user", err)
	}
	right, err := c.judge(ctx, u, email, password, address)
	if err != nil {
		return fleet.User{}, wrap("sign in", err)
	}
	var answer error
	if !right {
		answer = ErrSignInFailed
	}
	a := Actor{Name: email, Role: u.Role, Tenant: u.Tenant, Address: address}
	err = c.deps.Store.Update(ctx, func(tx Writer) error {
		return tx.AppendAudit(ctx, c.auditEntry(a, subject{verb: "sign-in", kind: kindSession, tenant: u.Tenant, name: email}, nil, answer, nil))
	})
	if err != nil {
		return fleet.User{}, wrap("record sign-in", err)
	}
	if answer != nil {
		return fleet.User{}, answer
	}
	return u, nil
}

func (c *Control) judge(ctx context.Context, u fleet.User, email, password, address string) (bool, error) {
	if err := c.passwords.enter(ctx); err != nil {
		return false, err
	}
	defer c.passwords.leave()
	if err := c.failures.allow(email, address); err != nil {
		return false, err
	}
	if len(password) > 4*maxPassword {
		password = "" // longer than any that was ever accepted
	}
	right, err := c.passwords.compare(u.PasswordHash, password)
	if err != nil || right {
		return right, err
	}
	return false, c.failures.add(email, address)
}
