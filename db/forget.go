package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"odysseus/fleet"
)

// ForgetSecrets empties the Secrets of a database whose key is lost for good, so that it can be served again with the key
// in keyFile, which is made where there is none. It answers how many Secrets lost their values. A database whose
// key is there is refused with a *KeyError, as is one that a server runs on with ErrLocked: nothing is changed then.
func ForgetSecrets(ctx context.Context, path, keyFile string) (n int, err error) {
	d, err := Open(ctx, path, Options{KeyFile: keyFile, forget: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	err = d.Update(ctx, func(tx *Tx) error {
		n, err = tx.forgetSecrets(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("forget Secrets: %w", err)
	}
	return n, nil
}

// forgottenSealer is the one of a key that replaces the lost one.
func forgottenSealer(file, known string) (*sealer, error) {
	var lost *KeyError
	_, err := knownSealer(file, known)
	switch {
	case err == nil:
		return nil, &KeyError{file, "it is the key that the database's Secrets are sealed with: nothing is lost"}
	case !errors.As(err, &lost):
		return nil, err
	}
	key, err := LoadKey(file)
	if err != nil {
		return nil, err
	}
	return newSealer(key)
}

// forgetSecrets leaves the Secrets without a value: those who name one wait until it is written again.
func (tx *Tx) forgetSecrets(ctx context.Context) (int, error) {
	type row struct{ uid, object string }
	secrets, err := all(ctx, tx, func(s scanner) (r row, err error) {
		err = s.Scan(&r.uid, &r.object)
		return r, err
	}, "SELECT uid, object FROM resources WHERE kind = ? ORDER BY uid", fleet.KindSecret)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range secrets {
		object, lost, err := withoutValues(r.object)
		if err != nil {
			return 0, err
		}
		if err := tx.forgetRenderings(ctx, r.uid); err != nil {
			return 0, err
		}
		if !lost {
			continue
		}
		version, err := tx.nextVersion(ctx)
		if err != nil {
			return 0, err
		}
		_, err = tx.exec(ctx, "UPDATE resources SET object = ?, resource_version = ?, generation = generation + 1 WHERE uid = ?", object, version, r.uid)
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, tx.DeleteSetting(ctx, settingKey)
}

// forgetRenderings leaves what overrides made of a Secret without a value as well. They are rendered again by what the
// overrides say.
func (tx *Tx) forgetRenderings(ctx context.Context, uid string) error {
	type row struct {
		number int64
		object string
	}
	rows, err := all(ctx, tx, func(s scanner) (r row, err error) {
		err = s.Scan(&r.number, &r.object)
		return r, err
	}, "SELECT number, object FROM renderings WHERE uid = ? ORDER BY number", uid)
	if err != nil {
		return err
	}
	for _, r := range rows {
		object, _, err := withoutValues(r.object)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, "UPDATE renderings SET object = ? WHERE uid = ? AND number = ?", object, uid, r.number); err != nil {
			return err
		}
	}
	return nil
}

// withoutValues empties the blocks of a Secret's object that hold values, and says whether there were any.
func withoutValues(object string) (emptied string, lost bool, err error) {
	out, err := eachMember([]byte(object), func(block string, value json.RawMessage) (json.RawMessage, error) {
		if !isSecretBlock(block) || isNull(value) || string(value) == "{}" {
			return value, nil
		}
		lost = true
		return json.RawMessage("{}"), nil
	})
	return string(out), lost, err
}
