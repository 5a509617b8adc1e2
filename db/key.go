package db

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"odysseus/fleet"
)

// keySize is AES-256's.
const keySize = 32

// KeyError is a key file that must not, or cannot, be used.
type KeyError struct {
	File string
	// Why in words for the operator.
	Why string
}

func (e *KeyError) Error() string { return fmt.Sprintf("key file %s: %s", e.File, e.Why) }

// LoadKey reads the key that the values of Secrets are sealed with: 32 bytes in base64, in a file of its owner alone.
// Where there is no file it makes one, which is on the disk when LoadKey answers. It answers a *KeyError for a file that
// holds no such key or that others may read.
func LoadKey(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if key, err = makeKey(path); err != nil {
		return nil, fmt.Errorf("make key file: %w", err)
	}
	return key, nil
}

func readKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read key file: %w", err)
	}
	// Windows has no such bits: there every file looks as if anybody could read it.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, &KeyError{path, fmt.Sprintf("others may use it (mode %04o): it must be its owner's alone, mode 0600", info.Mode().Perm())}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key file: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(key) != keySize {
		return nil, &KeyError{path, fmt.Sprintf("it holds no key: %d bytes in base64 are expected", keySize)}
	}
	return key, nil
}

// makeKey writes a new key under a temporary name first: a crash leaves no half of a key.
func makeKey(path string) (_ []byte, err error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp") // 0600
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(f.Name()))
		}
	}()
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return nil, err
	}
	return key, syncDir(filepath.Dir(path))
}

// settingKey is what a database with sealed values knows of their key: enough to tell it from another.
const settingKey = "secrets.key"

// openSealer loads the key. A database that holds sealed values takes no other key than theirs, and none is made for it.
func (d *DB) openSealer(ctx context.Context) (*sealer, error) {
	file := d.opts.KeyFile
	if file == "" {
		file = keyFileOf(d.path)
	}
	var known string
	err := d.View(ctx, func(tx *Tx) (err error) {
		known, err = tx.Setting(ctx, settingKey)
		return err
	})
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		key, err := LoadKey(file)
		if err != nil {
			return nil, err
		}
		return newSealer(key)
	case err != nil:
		return nil, err
	}
	if d.opts.forget {
		return forgottenSealer(file, known)
	}
	return knownSealer(file, known)
}

func keyFileOf(database string) string { return database + ".key" }

// Sealed says whether a database file, a backup say, holds values that are sealed.
func Sealed(ctx context.Context, database string) (bool, error) {
	known, err := printIn(ctx, database)
	if err != nil {
		return false, fmt.Errorf("look for Secrets in %s: %w", database, err)
	}
	return known != "", nil
}

// CheckKey answers a *KeyError where a database file, a backup say, holds values that are not sealed with the key of that
// file, or the file is not there.
func CheckKey(ctx context.Context, database, keyFile string) error {
	known, err := printIn(ctx, database)
	if err != nil {
		return fmt.Errorf("look for Secrets in %s: %w", database, err)
	}
	if known == "" {
		return nil
	}
	_, err = knownSealer(keyFile, known)
	return err
}

// printIn is what a database file knows of the key of its sealed values; empty where it has none.
func printIn(ctx context.Context, database string) (known string, err error) {
	if database, err = realPath(database); err != nil {
		return "", err
	}
	found, err := inspect(ctx, database, quickCheck)
	if err != nil || found.Empty {
		return "", err
	}
	pool, err := openPool(ctx, database, readOnly, defaultBusy, 1)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	err = pool.QueryRowContext(ctx, "SELECT value FROM settings WHERE key = ?", settingKey).Scan(&known)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return known, readError(err)
}

// knownSealer reads a key that must be the one that a database knows.
func knownSealer(file, known string) (*sealer, error) {
	key, err := readKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &KeyError{file, "it is not there, and the database holds Secrets that are sealed with it: put it back from where it is kept"}
	}
	if err != nil {
		return nil, err
	}
	s, err := newSealer(key)
	if err == nil && s.print != known {
		return nil, &KeyError{file, "it is not the key that the database's Secrets are sealed with"}
	}
	return s, err
}
