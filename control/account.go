package control

import (
	"context"
	"strings"

	"odysseus/fleet"
)

// NewUser is the body of a POST.
type NewUser struct {
	Email    string     `json:"email" validate:"required,address"`
	Password string     `json:"password" validate:"required"`
	Role     fleet.Role `json:"role" validate:"required"`
}

// Users of a tenant; of the platform, with an empty tenant.
func (c *Control) Users(ctx context.Context, a Actor, tenant string, o fleet.ListOptions) (Page[fleet.User], error) {
	var page Page[fleet.User]
	err := c.read(ctx, a, kindUser, func(tx Reader) error {
		err := ownTenant(ctx, tx, a, tenant)
		if err == nil {
			page, err = listOf(o, nil, func(o fleet.ListOptions) ([]fleet.User, string, error) { return tx.Users(ctx, tenant, o) })
		}
		return err
	})
	return page, wrap("list users", err)
}

// CreateUser adds a person to a tenant; to the platform, with an empty tenant.
func (c *Control) CreateUser(ctx context.Context, a Actor, tenant string, b Body[NewUser], o WriteOptions) (Written[fleet.User], fleet.FieldErrors, error) {
	b.Faults = withoutSecrets(b.Faults)
	email := foldEmail(b.Value.Email)
	s := &subject{verb: "create", kind: kindUser, tenant: tenant, name: email}
	faults := withoutSecrets(b.check(append(checkRole(b.Value.Role, tenant), checkPassword(b.Value.Password, b.Value.Email)...)...))
	// The hash takes a while: it is made before the write transaction, and only for somebody who may use it.
	hash := ""
	if len(faults) == 0 && !o.DryRun && mayWrite(a, kindUser) == nil {
		var err error
		if hash, err = c.passwords.hash(ctx, b.Value.Password); err != nil {
			return Written[fleet.User]{}, nil, s.wrap(err)
		}
	}
	u, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.User, fleet.FieldErrors, error) {
			if err := ownTenant(ctx, tx, a, tenant); err != nil {
				return fleet.User{}, nil, err
			}
			faults, err := c.mayCreate(a, kindUser, faults)
			if err != nil || len(faults) > 0 {
				return fleet.User{}, faults, err
			}
			_, err = tx.UserByEmail(ctx, email)
			taken, err := isTaken(err)
			if err != nil || taken {
				return fleet.User{}, located(b.Doc, exists("email", b.Value.Email)), err
			}
			return fleet.User{ID: c.deps.NewID(), Email: email, Tenant: tenant, Role: b.Value.Role, PasswordHash: hash, CreatedAt: c.deps.Now().UTC(), SessionEpoch: 1}, nil, nil
		},
		func(tx Writer, u *fleet.User) (effect, error) {
			return effect{changes: []fleet.Change{{Field: "role", After: string(u.Role)}}}, tx.InsertUser(ctx, *u)
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.User]{}, refused, err
	}
	return Written[fleet.User]{Object: u, Created: true}, nil, nil
}

// DeleteUser removes a person; its sessions end with its next request.
func (c *Control) DeleteUser(ctx context.Context, a Actor, tenant, id string, o WriteOptions) (Written[fleet.User], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: kindUser, tenant: tenant, name: id}
	u, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.User, fleet.FieldErrors, error) {
			if err := ownTenant(ctx, tx, a, tenant); err != nil {
				return fleet.User{}, nil, err
			}
			u, err := tx.User(ctx, id)
			if err == nil && u.Tenant != tenant {
				err = fleet.ErrNotFound
			}
			if err != nil {
				return fleet.User{}, nil, err
			}
			s.name = u.Email
			if err := mayWrite(a, kindUser); err != nil {
				return fleet.User{}, nil, err
			}
			last, err := lastOperator(ctx, tx, u)
			if last {
				return fleet.User{}, fleet.FieldErrors{{Code: fleet.CodeLastOperator, Field: "email", Value: u.Email}}, err
			}
			return u, nil, err
		},
		func(tx Writer, u *fleet.User) (effect, error) {
			return effect{changes: []fleet.Change{{Field: "role", Before: string(u.Role)}}}, tx.DeleteUser(ctx, tenant, id)
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.User]{}, refused, err
	}
	return Written[fleet.User]{Object: u}, nil, nil
}

// lastOperator says whether nobody could sign in as an operator any more without the user: tokens end, and the
// first-run set-up does not open again.
func lastOperator(ctx context.Context, tx Reader, u fleet.User) (bool, error) {
	if u.Role != operator {
		return false, nil
	}
	o := fleet.ListOptions{Limit: maxPage}
	for {
		users, next, err := tx.Users(ctx, "", o)
		if err != nil {
			return false, err
		}
		for _, other := range users {
			if other.ID != u.ID && other.Role == operator && other.PasswordHash != "" {
				return false, nil
			}
		}
		if next == "" {
			return true, nil
		}
		o.After = next
	}
}

// ChangePassword of the actor itself. All its sessions end; the answer's SessionEpoch is for the one that goes on.
func (c *Control) ChangePassword(ctx context.Context, a Actor, current, next string) (fleet.User, fleet.FieldErrors, error) {
	s := &subject{verb: "change-password", kind: kindUser, tenant: a.Tenant, name: a.Name}
	u, err := c.self(ctx, a)
	if err != nil {
		return fleet.User{}, nil, s.wrap(err)
	}
	if err := c.failures.allow(u.Email, a.Address); err != nil {
		return fleet.User{}, nil, s.wrap(err)
	}
	right, err := c.passwords.verify(ctx, u.PasswordHash, current)
	if err != nil {
		return fleet.User{}, nil, s.wrap(err)
	}
	faults := checkPassword(next, u.Email)
	for i := range faults {
		faults[i].Field = "newPassword"
	}
	if !right {
		if err := c.failures.add(u.Email, a.Address); err != nil {
			return fleet.User{}, nil, s.wrap(err)
		}
		faults = append(faults, fleet.FieldError{Code: fleet.CodeSignInFailed, Field: "password"})
	}
	hash := ""
	if len(faults) == 0 {
		if hash, err = c.passwords.hash(ctx, next); err != nil {
			return fleet.User{}, nil, s.wrap(err)
		}
	}
	u, refused, err := c.updateSelf(ctx, a, s, faults, func(u *fleet.User) { u.PasswordHash = hash })
	return u, refused, err
}

// EndSessions signs the actor out everywhere.
func (c *Control) EndSessions(ctx context.Context, a Actor) error {
	s := &subject{verb: "sign-out-everywhere", kind: kindUser, tenant: a.Tenant, name: a.Name}
	_, _, err := c.updateSelf(ctx, a, s, nil, func(*fleet.User) {})
	return err
}

func (c *Control) updateSelf(ctx context.Context, a Actor, s *subject, faults fleet.FieldErrors, change func(*fleet.User)) (fleet.User, fleet.FieldErrors, error) {
	return record(ctx, c, a, s, false,
		func(tx Reader) (fleet.User, fleet.FieldErrors, error) {
			if a.UserID == "" {
				return fleet.User{}, nil, ErrForbidden // a token has no password and no sessions
			}
			u, err := tx.User(ctx, a.UserID)
			return u, faults, err
		},
		func(tx Writer, u *fleet.User) (effect, error) {
			change(u)
			u.SessionEpoch++
			return effect{}, tx.UpdateUser(ctx, *u)
		})
}

// self is the person behind a session.
func (c *Control) self(ctx context.Context, a Actor) (fleet.User, error) {
	if a.UserID == "" {
		return fleet.User{}, ErrForbidden
	}
	var u fleet.User
	err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
		u, err = tx.User(ctx, a.UserID)
		return err
	})
	return u, err
}

// checkRole refuses a platform's role in a tenant and the other way round.
func checkRole(role fleet.Role, tenant string) fleet.FieldErrors {
	accepted := []fleet.Role{fleet.RoleEditor, fleet.RoleViewer}
	if tenant == "" {
		accepted = []fleet.Role{fleet.RoleOperator, fleet.RoleSupport}
	}
	if role == "" || role == accepted[0] || role == accepted[1] {
		return nil // one that is missing is refused with the shape
	}
	return fleet.FieldErrors{{Code: fleet.CodeRoleInvalid, Field: "role", Value: string(role), Want: "one_of",
		WantArgs: map[string]string{"Values": string(accepted[0]) + ", " + string(accepted[1])}}}
}

// foldEmail writes an address as it is stored and looked up: people type the same address with and without
// capitals.
func foldEmail(email string) string { return strings.ToLower(email) }

// withoutSecrets takes from faults what must not be repeated in an answer, the log or the audit.
func withoutSecrets(faults fleet.FieldErrors) fleet.FieldErrors {
	for i := range faults {
		switch faults[i].Field {
		case "password", "token", "": // "" is the whole body
			faults[i].Value = ""
		}
	}
	return faults
}
