package control

import (
	"context"
	"errors"

	"odysseus/fleet"
)

// Bootstrap is the first operator as the environment gives it. All may be empty.
type Bootstrap struct {
	Operator string // ODYSSEUS_BOOTSTRAP_OPERATOR, an email
	Password string // ODYSSEUS_BOOTSTRAP_PASSWORD
	Token    string // ODYSSEUS_BOOTSTRAP_TOKEN, an API token
}

// settingSetup keeps the hash of the one-time set-up secret.
const settingSetup = "setup.secret"

// minBootstrapToken is the least characters of a token that somebody else made up.
const minBootstrapToken = 20

// setupActor writes what nobody is signed in for.
func setupActor(address string) Actor {
	return Actor{Name: "set-up", Role: fleet.RoleOperator, Address: address}
}

type bootstrapDraft struct {
	user   *fleet.User
	token  *fleet.Token
	secret string
}

// Bootstrap creates the first operator on an empty database. Where the environment names none and nobody can sign
// in, it answers a one-time set-up secret, to be printed as a link; the one of an earlier start is void then.
// On a database with users it does nothing.
func (c *Control) Bootstrap(ctx context.Context, b Bootstrap) (secret string, refused fleet.FieldErrors, err error) {
	users := 0
	err = c.deps.Store.View(ctx, func(tx Reader) (err error) {
		users, err = tx.CountUsers(ctx)
		return err
	})
	if err != nil || users > 0 {
		return "", nil, wrap("bootstrap", err)
	}
	faults := b.check()
	hash := ""
	if len(faults) == 0 && b.Operator != "" {
		if hash, err = c.passwords.hash(ctx, b.Password); err != nil {
			return "", nil, wrap("bootstrap", err)
		}
	}
	s := &subject{verb: "bootstrap", kind: kindUser, name: foldEmail(b.Operator)}
	draft, refused, err := record(ctx, c, setupActor(""), s, false,
		func(tx Reader) (bootstrapDraft, fleet.FieldErrors, error) {
			var d bootstrapDraft
			users, err := tx.CountUsers(ctx)
			if err != nil || users > 0 {
				return d, nil, err
			}
			if len(faults) > 0 {
				return d, faults, nil
			}
			now := c.deps.Now().UTC()
			if b.Token != "" {
				_, err := tx.TokenByHash(ctx, hashSecret(b.Token))
				known, err := isTaken(err)
				if err != nil {
					return d, nil, err
				}
				if !known {
					d.token = &fleet.Token{ID: c.deps.NewID(), Name: "bootstrap", Role: fleet.RoleOperator, Hash: hashSecret(b.Token), CreatedAt: now}
				}
			}
			if b.Operator != "" {
				d.user = &fleet.User{ID: c.deps.NewID(), Email: foldEmail(b.Operator), Role: fleet.RoleOperator, PasswordHash: hash, CreatedAt: now, SessionEpoch: 1}
				return d, nil, nil
			}
			d.secret, err = c.secret(prefixSetup)
			return d, nil, err
		},
		func(tx Writer, d *bootstrapDraft) (effect, error) {
			if d.secret != "" {
				if err := tx.PutSetting(ctx, settingSetup, hashSecret(d.secret)); err != nil {
					return effect{}, err
				}
			}
			if d.token != nil {
				if err := tx.InsertToken(ctx, *d.token); err != nil {
					return effect{}, err
				}
			}
			if d.user != nil {
				if err := tx.InsertUser(ctx, *d.user); err != nil {
					return effect{}, err
				}
			}
			return effect{nothing: d.user == nil && d.token == nil}, nil
		})
	return draft.secret, refused, err
}

// check holds what the environment gives to the rules of every account. Fields are the variables' names.
func (b Bootstrap) check() fleet.FieldErrors {
	var faults fleet.FieldErrors
	if (b.Operator == "") != (b.Password == "") {
		missing := "ODYSSEUS_BOOTSTRAP_OPERATOR"
		if b.Password == "" {
			missing = "ODYSSEUS_BOOTSTRAP_PASSWORD"
		}
		faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: missing, Want: "required"})
	}
	if b.Operator != "" {
		shape := fleet.ValidateStruct(&NewUser{Email: b.Operator, Password: "-", Role: fleet.RoleOperator})
		for _, f := range append(shape, checkPassword(b.Password, b.Operator)...) {
			f.Field = map[string]string{"email": "ODYSSEUS_BOOTSTRAP_OPERATOR", "password": "ODYSSEUS_BOOTSTRAP_PASSWORD"}[f.Field]
			faults = append(faults, f)
		}
	}
	if b.Token != "" && len(b.Token) < minBootstrapToken {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: "ODYSSEUS_BOOTSTRAP_TOKEN", Want: "long_token"})
	}
	return faults
}

// SetupOpen says whether the first-run set-up is still to be done.
func (c *Control) SetupOpen(ctx context.Context) (bool, error) {
	open := false
	err := c.deps.Store.View(ctx, func(tx Reader) error {
		users, err := tx.CountUsers(ctx)
		if err != nil || users > 0 {
			return err
		}
		_, err = tx.Setting(ctx, settingSetup)
		open, err = isTaken(err)
		return err
	})
	return open, wrap("read set-up", err)
}

// SetupForm is what the first-run set-up asks.
type SetupForm struct {
	Secret   string
	Email    string
	Password string
}

// SetUp creates the first operator; ErrUnauthenticated where the secret is not the printed one or was used.
func (c *Control) SetUp(ctx context.Context, f SetupForm, address string) (fleet.User, fleet.FieldErrors, error) {
	s := &subject{verb: "set-up", kind: kindUser, name: foldEmail(f.Email)}
	if err := c.failures.allow("", address); err != nil {
		return fleet.User{}, nil, s.wrap(err)
	}
	b := Body[NewUser]{Value: NewUser{Email: f.Email, Password: f.Password, Role: fleet.RoleOperator}}
	faults := b.check(checkPassword(f.Password, f.Email)...)
	hash := ""
	open, err := c.SetupOpen(ctx)
	if err == nil && open && len(faults) == 0 {
		hash, err = c.passwords.hash(ctx, f.Password)
	}
	if err != nil {
		return fleet.User{}, nil, s.wrap(err)
	}
	u, refused, err := record(ctx, c, setupActor(address), s, false,
		func(tx Reader) (fleet.User, fleet.FieldErrors, error) {
			users, err := tx.CountUsers(ctx)
			if err != nil {
				return fleet.User{}, nil, err
			}
			want, err := tx.Setting(ctx, settingSetup)
			if errors.Is(err, fleet.ErrNotFound) || err == nil && (users > 0 || want != hashSecret(f.Secret)) {
				return fleet.User{}, nil, ErrUnauthenticated
			}
			if err != nil || len(faults) > 0 {
				return fleet.User{}, faults, err
			}
			return fleet.User{ID: c.deps.NewID(), Email: foldEmail(f.Email), Role: fleet.RoleOperator, PasswordHash: hash, CreatedAt: c.deps.Now().UTC(), SessionEpoch: 1}, nil, nil
		},
		func(tx Writer, u *fleet.User) (effect, error) {
			if err := tx.InsertUser(ctx, *u); err != nil {
				return effect{}, err
			}
			return effect{}, tx.DeleteSetting(ctx, settingSetup)
		})
	if errors.Is(err, ErrUnauthenticated) {
		if tooMany := c.failures.add("", address); tooMany != nil {
			err = tooMany
		}
	}
	return u, refused, err
}
