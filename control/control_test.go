package control_test

import (
	"reflect"
	"testing"

	"odysseus/control"
)

// What handlers could reach past control's methods, they could do past its rules.
func TestControlHandsOutNoneOfItsParts(t *testing.T) {
	for field := range reflect.TypeFor[control.Control]().Fields() {
		if field.IsExported() || field.Anonymous {
			t.Errorf("%s is within everybody's reach", field.Name)
		}
	}
}
