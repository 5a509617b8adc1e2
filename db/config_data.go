package db

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"odysseus/fleet"
)

// configSource is a ConfigMap or Secret with its rendering for a cluster, if overrides made one: the number that the binding
// names, and its object.
const configSource = `SELECT r.uid, r.object, b.renderings ->> ?, g.object FROM resources r
	LEFT JOIN bindings b ON b.uid = r.uid
	LEFT JOIN renderings g ON g.uid = r.uid AND g.number = b.renderings ->> ?
	WHERE r.namespace = ? AND r.kind = ? AND r.name = ? AND r.api_version = 'v1' AND r.tenant = ?`

// configData is what a ConfigMap or Secret of a namespace gives on a cluster to those who name it, by key, in the clear: for
// containers' environments, and for nothing else. False where there is none. One that was deleted and stays on the
// clusters still gives what it gave there. A value that is no text cannot be a variable, and is left out.
func (tx *Tx) configData(ctx context.Context, cluster, tenant, namespace, kind, name string) (map[string]string, bool, error) {
	if kind != fleet.KindConfigMap && kind != fleet.KindSecret {
		return nil, false, nil
	}
	var from configRow
	err := tx.value(ctx, configSource, []any{cluster, cluster, namespace, kind, name, tenant}, &from.uid, &from.object, &from.number, &from.rendered)
	if errors.Is(err, fleet.ErrNotFound) {
		return nil, false, nil
	}
	var data map[string]string
	if err == nil {
		data, err = tx.readConfig(from, kind == fleet.KindSecret)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read data of %s %s/%s: %w", kind, namespace, name, err)
	}
	return data, true, nil
}

// configRow is a row of configSource.
type configRow struct {
	uid, object string
	number      sql.NullInt64
	rendered    sql.NullString
}

func (tx *Tx) readConfig(c configRow, secret bool) (map[string]string, error) {
	if c.number.Valid && !c.rendered.Valid {
		// No commit leaves it so. "The un-overridden form is never sent."
		return nil, fmt.Errorf("rendering %d is not there: %w", c.number.Int64, fleet.ErrNotFound)
	}
	if !secret {
		if c.rendered.Valid {
			return textsOf([]byte(c.rendered.String))
		}
		return textsOf([]byte(c.object))
	}
	object, err := tx.openObject(c.uid, []byte(c.object))
	if err == nil && c.rendered.Valid {
		object, err = tx.completeRendering(renderingKey{c.uid, c.number.Int64}, []byte(c.rendered.String), object)
	}
	if err != nil {
		return nil, err
	}
	texts, err := textsOf(object)
	for key, encoded := range texts {
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil && utf8.Valid(raw) {
			texts[key] = string(raw)
		} else {
			delete(texts, key)
		}
	}
	return texts, err
}

// textsOf are the texts under an object's data. As in Kubernetes, and for fleet.DataKeys, a ConfigMap's binaryData makes no
// variable.
func textsOf(object []byte) (map[string]string, error) {
	var read struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := fromJSON(string(object), &read); err != nil {
		return nil, err
	}
	out := make(map[string]string, len(read.Data))
	for key, value := range read.Data {
		if text, ok := textIn(value); ok {
			out[key] = text
		}
	}
	return out, nil
}
