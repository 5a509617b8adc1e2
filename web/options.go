package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/alexedwards/scs/v2"

	"odysseus/control"
	"odysseus/views/locale"
)

// Options are everything a Server needs; cmd fills them in. A field is required unless its comment says
// otherwise.
type Options struct {
	// Listen is the address that the configuration names, such as "127.0.0.1:8080". It decides whether plain
	// HTTP is allowed and whether cookies can be Secure; Run listens on what it is given.
	Listen string
	// CertFile and KeyFile, both or neither, make the server speak TLS.
	CertFile, KeyFile string
	// AllowPlainHTTP allows plain HTTP on an address that is not loopback: somebody else ends TLS before it.
	// Cookies are Secure then.
	AllowPlainHTTP bool

	// Control is asked who is asking, and by every handler.
	Control *control.Control
	// Words are all messages, for pages and refusals.
	Words *locale.Catalogue
	// Sessions keeps the signed-in sessions, hashed tokens to opaque bytes.
	Sessions scs.Store
	// Secret derives the keys of the preferences cookie; at least 32 bytes, the same at each start.
	Secret []byte

	// Metrics as made by NewMetrics.
	Metrics *Metrics
	// MetricsToken closes /metrics to all who do not send it as a bearer token; empty leaves it open.
	MetricsToken string
	// Ready is asked by /readyz, in order.
	Ready []Check

	Clock  func() time.Time
	Logger *slog.Logger

	// DrainDelay is how long /readyz fails before the listener closes, so that a load balancer can look away;
	// half a second where it is zero.
	DrainDelay time.Duration
}

// secure says whether cookies are marked Secure: always but on plain-HTTP loopback, where a browser would not
// send them back.
func (o Options) secure() bool { return o.tls() || !loopback(o.Listen) }

func (o Options) tls() bool { return o.CertFile != "" }

// check answers what cmd got wrong.
func (o Options) check() error {
	switch {
	case o.Control == nil || o.Words == nil || o.Sessions == nil || o.Metrics == nil || o.Clock == nil || o.Logger == nil:
		return errors.New("check options: control, words, sessions, metrics, clock and logger are required")
	case len(o.Secret) < 32:
		return fmt.Errorf("check options: the secret has %d bytes, at least 32 are required", len(o.Secret))
	case (o.CertFile == "") != (o.KeyFile == ""):
		return errors.New("check options: a certificate and its key are given together or not at all")
	}
	return o.checkPlain(o.Listen)
}

// ErrPlainHTTP refuses to send passwords and sessions over a network in the clear.
var ErrPlainHTTP = errors.New("plain HTTP on an address that is not loopback: give a certificate and key, or allow it by name")

func (o Options) checkPlain(address string) error {
	if o.tls() || o.AllowPlainHTTP || loopback(address) {
		return nil
	}
	return fmt.Errorf("listen on %s: %w", address, ErrPlainHTTP)
}

// loopback says whether address, host and port, can be reached from this machine only.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
