package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

const tokenColumns = "SELECT id, name, tenant, role, hash, created_at, expires_at FROM tokens"

func scanToken(s scanner) (fleet.Token, error) {
	var t fleet.Token
	var tenant sql.NullString
	var created, expires int64
	err := s.Scan(&t.ID, &t.Name, &tenant, &t.Role, &t.Hash, &created, &expires)
	t.Tenant, t.CreatedAt, t.ExpiresAt = tenant.String, timeOf(created), timeOf(expires)
	return t, err
}

// TokenByHash finds an API token, expired or not: the caller has the clock.
func (tx *Tx) TokenByHash(ctx context.Context, hash string) (fleet.Token, error) {
	t, err := get(ctx, tx, scanToken, tokenColumns+" WHERE hash = ?", hash)
	if err != nil {
		return fleet.Token{}, fmt.Errorf("read token: %w", err)
	}
	return t, nil
}

// Tokens of a tenant by name; the platform's own with an empty tenant.
func (tx *Tx) Tokens(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Token, string, error) {
	l := list[fleet.Token]{from: tokenColumns, order: "name, id", scan: scanToken, key: func(t fleet.Token) []any { return []any{t.Name, t.ID} }}
	l.where.and("tenant IS ?", optionalText(tenant))
	l.where.contains("name", o.Query)
	var name, id string
	ok, err := after(o.After, &name, &id)
	if err != nil {
		return nil, "", fmt.Errorf("list tokens: %w", err)
	}
	if ok {
		l.where.and("(name, id) > (?, ?)", name, id)
	}
	tokens, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list tokens: %w", err)
	}
	return tokens, next, nil
}

// InsertToken stores a new API token. Names may repeat; IDs and hashes do not.
func (tx *Tx) InsertToken(ctx context.Context, t fleet.Token) error {
	_, err := tx.exec(ctx, "INSERT INTO tokens (id, name, tenant, role, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		t.ID, t.Name, optionalText(t.Tenant), t.Role, t.Hash, millis(t.CreatedAt), millis(t.ExpiresAt))
	if err != nil {
		return fmt.Errorf("insert token %s: %w", t.ID, refersError(err))
	}
	return nil
}

// DeleteToken of a tenant; of the platform with an empty tenant.
func (tx *Tx) DeleteToken(ctx context.Context, tenant, id string) error {
	if err := tx.must(ctx, "DELETE FROM tokens WHERE id = ? AND tenant IS ?", id, optionalText(tenant)); err != nil {
		return fmt.Errorf("delete token %s: %w", id, err)
	}
	return nil
}
