package db

import (
	"context"
	"errors"
	"fmt"

	"odysseus/fleet"
)

// GeoAwareness as stored, with its version; the zero value with version "0" where nothing is.
func (tx *Tx) GeoAwareness(ctx context.Context) (fleet.GeoAwareness, string, error) {
	var version int64
	var value string
	err := tx.value(ctx, "SELECT version, value FROM geo_awareness WHERE id = 1", nil, &version, &value)
	if errors.Is(err, fleet.ErrNotFound) {
		return fleet.GeoAwareness{}, "0", nil
	}
	if err != nil {
		return fleet.GeoAwareness{}, "", fmt.Errorf("read geo awareness: %w", err)
	}
	var g fleet.GeoAwareness
	if err := fromJSON(value, &g); err != nil {
		return fleet.GeoAwareness{}, "", err
	}
	return g, versionText(version), nil
}

// PutGeoAwareness replaces the declaration and answers its new version.
func (tx *Tx) PutGeoAwareness(ctx context.Context, g fleet.GeoAwareness) (string, error) {
	version, err := tx.nextVersion(ctx)
	if err == nil {
		_, err = tx.exec(ctx, `INSERT INTO geo_awareness (id, version, value) VALUES (1, ?, ?)
			ON CONFLICT (id) DO UPDATE SET version = excluded.version, value = excluded.value`, version, jsonText(g))
	}
	if err != nil {
		return "", fmt.Errorf("store geo awareness: %w", err)
	}
	return versionText(version), nil
}

// Setting reads one value that the control plane keeps for itself; fleet.ErrNotFound where there is none.
func (tx *Tx) Setting(ctx context.Context, key string) (string, error) {
	var value string
	if err := tx.value(ctx, "SELECT value FROM settings WHERE key = ?", []any{key}, &value); err != nil {
		return "", fmt.Errorf("read setting %s: %w", key, err)
	}
	return value, nil
}

// PutSetting stores a value under a key, over what was there.
func (tx *Tx) PutSetting(ctx context.Context, key, value string) error {
	_, err := tx.exec(ctx, "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	if err != nil {
		return fmt.Errorf("store setting %s: %w", key, err)
	}
	return nil
}

// DeleteSetting forgets a key; one that is not there is forgotten already.
func (tx *Tx) DeleteSetting(ctx context.Context, key string) error {
	if _, err := tx.exec(ctx, "DELETE FROM settings WHERE key = ?", key); err != nil {
		return fmt.Errorf("delete setting %s: %w", key, err)
	}
	return nil
}
