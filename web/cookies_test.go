package web

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"odysseus/handlers"
)

func testCookies(t *testing.T, secret string, secure bool) *cookies {
	t.Helper()
	c, err := newCookies(bytes.Repeat([]byte(secret), 32), secure)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exchange sends the cookies that the last answer set and answers those that this one sets.
func exchange(t *testing.T, sent []*http.Cookie, do func(http.ResponseWriter, *http.Request)) []*http.Cookie {
	t.Helper()
	r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
	for _, c := range sent {
		r.AddCookie(c)
	}
	do(w, r)
	return w.Result().Cookies()
}

func TestFlashIsShownOnceAndPreferencesStay(t *testing.T) {
	c := testCookies(t, "s", false)
	flash := handlers.Flash{Key: "page.saved", Args: map[string]string{"Name": `<b>"é`}}
	preferences := handlers.Preferences{Lang: "fr", Theme: "dark"}

	set := exchange(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if err := c.PutPreferences(w, r, preferences); err != nil {
			t.Fatal(err)
		}
		// The second value of the same answer joins the first.
		if err := c.PutFlash(w, r, flash); err != nil {
			t.Fatal(err)
		}
	})
	if len(set) != 1 {
		t.Fatalf("cookies set: %v", set)
	}
	if got := set[0]; got.Name != "odysseus-preferences" || !got.HttpOnly || got.Secure || got.SameSite != http.SameSiteLaxMode || got.Path != "/" || got.Domain != "" {
		t.Errorf("got %v", got)
	}
	if strings.Contains(set[0].Value, "page.saved") || strings.Contains(set[0].Value, "dark") {
		t.Error("the cookie is readable")
	}
	set = exchange(t, set, func(w http.ResponseWriter, r *http.Request) {
		if got := c.TakeFlash(w, r); !reflect.DeepEqual(got, flash) {
			t.Errorf("flash: %+v", got)
		}
		if got := c.TakeFlash(w, r); got.Key != "" {
			t.Errorf("flash taken twice in one request: %+v", got)
		}
	})
	none := exchange(t, set, func(w http.ResponseWriter, r *http.Request) {
		if got := c.TakeFlash(w, r); got.Key != "" {
			t.Errorf("flash shown twice: %+v", got)
		}
		if got := c.Preferences(r); got != preferences {
			t.Errorf("preferences: %+v", got)
		}
	})
	if len(none) != 0 {
		t.Errorf("reading set %v", none)
	}
}

func TestForeignCookieCountsForNothing(t *testing.T) {
	mine := testCookies(t, "s", false)
	theirs := exchange(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if err := testCookies(t, "t", false).PutPreferences(w, r, handlers.Preferences{Theme: "dark"}); err != nil {
			t.Fatal(err)
		}
	})
	for name, value := range map[string]string{"of another secret": theirs[0].Value, "made up": "AAAA", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			sent := []*http.Cookie{{Name: "odysseus-preferences", Value: value}}
			set := exchange(t, sent, func(w http.ResponseWriter, r *http.Request) {
				if got := mine.Preferences(r); got != (handlers.Preferences{}) {
					t.Errorf("preferences: %+v", got)
				}
				if got := mine.TakeFlash(w, r); got.Key != "" {
					t.Errorf("flash: %+v", got)
				}
				if err := mine.PutPreferences(w, r, handlers.Preferences{Lang: "zh"}); err != nil {
					t.Fatal(err)
				}
			})
			exchange(t, set, func(_ http.ResponseWriter, r *http.Request) {
				if got := mine.Preferences(r); got != (handlers.Preferences{Lang: "zh"}) {
					t.Errorf("written over it: %+v", got)
				}
			})
		})
	}
}

func TestPreferencesCookieBehindTLS(t *testing.T) {
	set := exchange(t, nil, func(w http.ResponseWriter, r *http.Request) {
		// The session's cookie of the same answer stays.
		w.Header().Add("Set-Cookie", "__Host-odysseus=x; Path=/")
		c := testCookies(t, "s", true)
		for _, lang := range []string{"fr", "zh"} {
			if err := c.PutPreferences(w, r, handlers.Preferences{Lang: lang}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if len(set) != 2 || set[0].Name != "__Host-odysseus" || set[1].Name != "__Host-odysseus-preferences" || !set[1].Secure {
		t.Errorf("got %v", set)
	}
}

func TestFlashThatIsTooLongIsAnError(t *testing.T) {
	exchange(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if err := testCookies(t, "s", false).PutFlash(w, r, handlers.Flash{Key: strings.Repeat("k", 5000)}); err == nil {
			t.Error("no error")
		}
	})
}
