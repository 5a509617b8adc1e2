package db

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"odysseus/fleet"
)

// A Secret's object is stored as it was written, but for the values under data, and under stringData should there be any:
// in the place of each stands a text, the sealed JSON of it. Whatever shape it has, a value is never stored in the clear.

// rewrite is what becomes of one value of a Secret. The place is the block and the key: "data/password".
type rewrite func(place string, value json.RawMessage) (json.RawMessage, error)

// eachSecret rewrites the values of a Secret's object, its keys in their order.
func eachSecret(object []byte, fn rewrite) ([]byte, error) {
	return eachMember(object, func(block string, value json.RawMessage) (json.RawMessage, error) {
		switch {
		case !isSecretBlock(block) || isNull(value):
			return value, nil
		case value[0] != '{':
			return fn(block, value)
		}
		return eachMember(value, func(key string, value json.RawMessage) (json.RawMessage, error) { return fn(block+"/"+key, value) })
	})
}

// eachMember rewrites the values of a JSON object and leaves their order as it is.
func eachMember(object []byte, fn rewrite) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("read object: %T is no key", key)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		if value, err = fn(name, value); err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(jsonText(name))
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// isSecretBlock names the parts of a Secret that hold values.
func isSecretBlock(key string) bool { return key == "data" || key == "stringData" }

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// textIn is the text that a JSON value is; false where it is none.
func textIn(value json.RawMessage) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(value, &text) == nil
}

// sealObject is a resource's object as it is stored: as it is, but of a Secret. A value that is fleet.HiddenValue stays
// what before, the stored object, has in its place; before is nil where nothing is stored.
func (tx *Tx) sealObject(ctx context.Context, r *fleet.StoredResource, before []byte) ([]byte, error) {
	if r.Kind != fleet.KindSecret {
		return r.Object, nil
	}
	// From the first sealed value on the database takes no other key.
	if err := tx.PutSetting(ctx, settingKey, tx.seal.print); err != nil {
		return nil, err
	}
	stored := map[string]json.RawMessage{}
	if before != nil {
		_, err := eachSecret(before, func(place string, value json.RawMessage) (json.RawMessage, error) {
			stored[place] = value
			return value, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return eachSecret(r.Object, func(place string, value json.RawMessage) (json.RawMessage, error) {
		if text, ok := textIn(value); ok && text == fleet.HiddenValue {
			if kept, ok := stored[place]; ok && !isNull(kept) {
				return kept, nil
			}
			return nil, fmt.Errorf("%s is hidden, and nothing is stored there", place)
		}
		if isNull(value) {
			return value, nil
		}
		return json.RawMessage(jsonText(tx.seal.seal(value, r.UID+"/"+place))), nil
	})
}

// hideObject is a Secret's stored object as everyone may see it.
func hideObject(object []byte) ([]byte, error) {
	return eachSecret(object, func(_ string, value json.RawMessage) (json.RawMessage, error) {
		if isNull(value) {
			return value, nil
		}
		return json.RawMessage(jsonText(fleet.HiddenValue)), nil
	})
}

// openObject is a Secret's stored object as it was written.
func (tx *Tx) openObject(uid string, object []byte) ([]byte, error) {
	return eachSecret(object, func(place string, value json.RawMessage) (json.RawMessage, error) {
		if isNull(value) {
			return value, nil
		}
		sealed, _ := textIn(value)
		opened, err := tx.seal.open(sealed, uid+"/"+place)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", place, err)
		}
		return opened, nil
	})
}
