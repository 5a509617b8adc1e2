package db

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"odysseus/fleet"
)

// A Secret's rendering holds the values that overrides set, sealed as the Secret's own are and each bound to this rendering;
// fleet.HiddenValue, in the clear, stands for what the Secret itself holds today.

// place of a value of a rendering, which no value of the Secret itself has.
func (k renderingKey) place(at string) string {
	return k.uid + "#" + strconv.FormatInt(k.number, 10) + "/" + at
}

func isHidden(value json.RawMessage) bool {
	text, ok := textIn(value)
	return ok && text == fleet.HiddenValue
}

// sealRendering is a rendering's object as it is stored.
func (tx *Tx) sealRendering(ctx context.Context, k renderingKey, kind string, object []byte) ([]byte, error) {
	if kind != fleet.KindSecret {
		return object, nil
	}
	// As with a Secret: from the first sealed value on the database takes no other key.
	if err := tx.PutSetting(ctx, settingKey, tx.seal.print); err != nil {
		return nil, err
	}
	return eachSecret(object, func(place string, value json.RawMessage) (json.RawMessage, error) {
		if isNull(value) || isHidden(value) {
			return value, nil
		}
		return json.RawMessage(jsonText(tx.seal.seal(value, k.place(place)))), nil
	})
}

// openRendering is a stored rendering's object as it was handed over.
func (tx *Tx) openRendering(k renderingKey, kind string, object []byte) ([]byte, error) {
	if kind != fleet.KindSecret {
		return object, nil
	}
	return eachSecret(object, func(place string, value json.RawMessage) (json.RawMessage, error) {
		return tx.openRendered(k, place, value)
	})
}

func (tx *Tx) openRendered(k renderingKey, place string, value json.RawMessage) (json.RawMessage, error) {
	if isNull(value) || isHidden(value) {
		return value, nil
	}
	sealed, _ := textIn(value)
	opened, err := tx.seal.open(sealed, k.place(place))
	if err != nil {
		return nil, fmt.Errorf("open %s of rendering %d: %w", place, k.number, err)
	}
	return opened, nil
}

// completeRendering is a stored rendering's object with all values: those that are hidden are what base, the Secret as it
// was written, has in their place. What it no longer has is null.
func (tx *Tx) completeRendering(k renderingKey, object, base []byte) ([]byte, error) {
	values := map[string]json.RawMessage{}
	_, err := eachSecret(base, func(place string, value json.RawMessage) (json.RawMessage, error) {
		values[place] = value
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	return eachSecret(object, func(place string, value json.RawMessage) (json.RawMessage, error) {
		if !isHidden(value) {
			return tx.openRendered(k, place, value)
		}
		if known, ok := values[place]; ok {
			return known, nil
		}
		return json.RawMessage("null"), nil
	})
}
