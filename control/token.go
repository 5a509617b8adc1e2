package control

import (
	"context"
	"errors"
	"time"

	"odysseus/fleet"
)

// NewToken is the body of a POST. Without expiresIn a token lives for DefaultTokenLife.
type NewToken struct {
	Name      string     `json:"name" validate:"required,name"`
	Role      fleet.Role `json:"role" validate:"required"`
	ExpiresIn string     `json:"expiresIn" validate:"omitempty,duration"`
}

// Lives of API tokens.
const (
	DefaultTokenLife = 90 * 24 * time.Hour
	maxTokenLife     = 10 * 365 * 24 * time.Hour
)

// Issued is a token with its secret, which is shown this once and stored nowhere.
type Issued[T any] struct {
	Token  T
	Secret string
}

// tokenKind tells the platform's tokens from a tenant's: the table has a line for each.
func tokenKind(tenant string) string {
	if tenant == "" {
		return kindPlatformToken
	}
	return kindToken
}

// Tokens of a tenant, without their secrets; of the platform, with an empty tenant.
func (c *Control) Tokens(ctx context.Context, a Actor, tenant string, o fleet.ListOptions) (Page[fleet.Token], error) {
	var page Page[fleet.Token]
	err := c.readTokens(ctx, a, tenant, func(tx Reader) (err error) {
		page, err = listOf(o, nil, func(o fleet.ListOptions) ([]fleet.Token, string, error) { return tx.Tokens(ctx, tenant, o) })
		return err
	})
	return page, wrap("list tokens", err)
}

// readTokens answers 404 for somebody else's tokens before a role is asked: whether there are any is not told.
func (c *Control) readTokens(ctx context.Context, a Actor, tenant string, fn func(Reader) error) error {
	if a.Role == "" {
		return ErrUnauthenticated
	}
	return c.deps.Store.View(ctx, func(tx Reader) error {
		if err := ownTenant(ctx, tx, a, tenant); err != nil {
			return err
		}
		if err := mayRead(a, tokenKind(tenant)); err != nil {
			return err
		}
		return fn(tx)
	})
}

// CreateToken issues an API token.
func (c *Control) CreateToken(ctx context.Context, a Actor, tenant string, b Body[NewToken], o WriteOptions) (Written[Issued[fleet.Token]], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: tokenKind(tenant), tenant: tenant, name: b.Value.Name}
	issued, refused, err := record(ctx, c, a, s, o.DryRun,
		func(tx Reader) (Issued[fleet.Token], fleet.FieldErrors, error) {
			if err := ownTenant(ctx, tx, a, tenant); err != nil {
				return Issued[fleet.Token]{}, nil, err
			}
			life, further := lifetime(b.Value.ExpiresIn, DefaultTokenLife, maxTokenLife)
			faults, err := c.mayCreate(a, s.kind, b.check(append(further, checkRole(b.Value.Role, tenant)...)...))
			if err != nil || len(faults) > 0 {
				return Issued[fleet.Token]{}, faults, err
			}
			secret, err := c.secret(prefixToken)
			now := c.deps.Now().UTC()
			return Issued[fleet.Token]{Secret: secret, Token: fleet.Token{ID: c.deps.NewID(), Name: b.Value.Name, Tenant: tenant, Role: b.Value.Role,
				Hash: hashSecret(secret), CreatedAt: now, ExpiresAt: now.Add(life)}}, nil, err
		},
		func(tx Writer, i *Issued[fleet.Token]) (effect, error) {
			err := tx.InsertToken(ctx, i.Token)
			if errors.Is(err, fleet.ErrExists) {
				return effect{refused: located(b.Doc, exists("name", i.Token.Name))}, nil
			}
			return effect{changes: []fleet.Change{{Field: "role", After: string(i.Token.Role)}, {Field: "expiresAt", After: i.Token.ExpiresAt.Format(time.RFC3339)}}}, err
		})
	if err != nil || len(refused) > 0 {
		return Written[Issued[fleet.Token]]{}, refused, err
	}
	return Written[Issued[fleet.Token]]{Object: issued, Created: true}, nil, nil
}

// DeleteToken revokes a token at once.
func (c *Control) DeleteToken(ctx context.Context, a Actor, tenant, id string, o WriteOptions) (Written[fleet.Token], fleet.FieldErrors, error) {
	s := &subject{verb: "delete", kind: tokenKind(tenant), tenant: tenant, name: id}
	t, refused, err := record(ctx, c, a, s, o.DryRun,
		func(tx Reader) (fleet.Token, fleet.FieldErrors, error) {
			if err := ownTenant(ctx, tx, a, tenant); err != nil {
				return fleet.Token{}, nil, err
			}
			if err := mayRead(a, s.kind); err != nil {
				return fleet.Token{}, nil, err
			}
			t, err := tokenByID(ctx, tx, tenant, id)
			if err != nil {
				return fleet.Token{}, nil, err
			}
			s.name = t.Name
			return t, nil, mayWrite(a, s.kind)
		},
		func(tx Writer, t *fleet.Token) (effect, error) {
			return effect{changes: []fleet.Change{{Field: "role", Before: string(t.Role)}}}, tx.DeleteToken(ctx, tenant, id)
		})
	if err != nil || len(refused) > 0 {
		return Written[fleet.Token]{}, refused, err
	}
	return Written[fleet.Token]{Object: t}, nil, nil
}

func tokenByID(ctx context.Context, tx Reader, tenant, id string) (fleet.Token, error) {
	o := fleet.ListOptions{Limit: maxPage}
	for {
		tokens, next, err := tx.Tokens(ctx, tenant, o)
		if err != nil {
			return fleet.Token{}, err
		}
		for _, t := range tokens {
			if t.ID == id {
				return t, nil
			}
		}
		if next == "" {
			return fleet.Token{}, fleet.ErrNotFound
		}
		o.After = next
	}
}
