package db

import (
	"context"
	"database/sql"
	"fmt"

	"odysseus/fleet"
)

const userColumns = "SELECT id, email, tenant, role, password_hash, session_epoch, created_at FROM users"

func scanUser(s scanner) (fleet.User, error) {
	var u fleet.User
	var tenant sql.NullString
	var created int64
	err := s.Scan(&u.ID, &u.Email, &tenant, &u.Role, &u.PasswordHash, &u.SessionEpoch, &created)
	u.Tenant, u.CreatedAt = tenant.String, timeOf(created)
	return u, err
}

// CountUsers of the whole installation: 0 means that it was never set up.
func (tx *Tx) CountUsers(ctx context.Context) (int, error) {
	var n int
	if err := tx.value(ctx, "SELECT count(*) FROM users", nil, &n); err != nil {
		return 0, fmt.Errorf("count users: %w", err)
	}
	return n, nil
}

// UserByEmail ignores the case of ASCII letters, as the uniqueness of emails does.
func (tx *Tx) UserByEmail(ctx context.Context, email string) (fleet.User, error) {
	u, err := get(ctx, tx, scanUser, userColumns+" WHERE email = ?", email)
	if err != nil {
		return fleet.User{}, fmt.Errorf("read user by email: %w", err)
	}
	return u, nil
}

// User by ID.
func (tx *Tx) User(ctx context.Context, id string) (fleet.User, error) {
	u, err := get(ctx, tx, scanUser, userColumns+" WHERE id = ?", id)
	if err != nil {
		return fleet.User{}, fmt.Errorf("read user %s: %w", id, err)
	}
	return u, nil
}

// Users of a tenant by email; the platform's own with an empty tenant.
func (tx *Tx) Users(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.User, string, error) {
	l := list[fleet.User]{from: userColumns, order: "email", scan: scanUser, key: func(u fleet.User) []any { return []any{u.Email} }}
	l.where.and("tenant IS ?", optionalText(tenant))
	l.where.contains("email", o.Query)
	if err := l.where.afterName("email", o.After); err != nil {
		return nil, "", fmt.Errorf("list users: %w", err)
	}
	users, next, err := l.page(ctx, tx, o)
	if err != nil {
		return nil, "", fmt.Errorf("list users: %w", err)
	}
	return users, next, nil
}

// InsertUser stores a new user; fleet.ErrExists where the email is taken.
func (tx *Tx) InsertUser(ctx context.Context, u fleet.User) error {
	_, err := tx.exec(ctx, "INSERT INTO users (id, email, tenant, role, password_hash, session_epoch, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		u.ID, u.Email, optionalText(u.Tenant), u.Role, u.PasswordHash, u.SessionEpoch, millis(u.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert user %s: %w", u.ID, refersError(err))
	}
	return nil
}

// UpdateUser writes PasswordHash and SessionEpoch.
func (tx *Tx) UpdateUser(ctx context.Context, u fleet.User) error {
	if err := tx.must(ctx, "UPDATE users SET password_hash = ?, session_epoch = ? WHERE id = ?", u.PasswordHash, u.SessionEpoch, u.ID); err != nil {
		return fmt.Errorf("update user %s: %w", u.ID, err)
	}
	return nil
}

// DeleteUser of a tenant; of the platform with an empty tenant.
func (tx *Tx) DeleteUser(ctx context.Context, tenant, id string) error {
	if err := tx.must(ctx, "DELETE FROM users WHERE id = ? AND tenant IS ?", id, optionalText(tenant)); err != nil {
		return fmt.Errorf("delete user %s: %w", id, err)
	}
	return nil
}
