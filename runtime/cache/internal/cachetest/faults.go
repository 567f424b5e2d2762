package cachetest

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/apitest"
)

// ReadFault makes some of the requests to read fail. An informer has to survive all of it.
func ReadFault(m apitest.Match, arg byte) *apitest.Fault {
	m = m.Times(1 + int(arg>>4)%5)
	wait := time.Duration(arg) * time.Second / 4
	switch arg % 16 {
	case 0:
		return m.Forbidden()
	case 1:
		return m.NotFound()
	case 2:
		return m.Expired()
	case 3:
		return m.TooManyRequests(17 * time.Second)
	case 4:
		return m.InternalError()
	case 5:
		return m.Unavailable(5 * time.Second)
	case 6:
		return m.Timeout()
	case 7:
		return m.Unauthorized()
	case 8:
		return m.Disconnect()
	case 9:
		return m.LoseResponse()
	case 10:
		return m.Delay(wait)
	case 11:
		return m.After(wait).InternalError()
	case 12:
		return m.Hang()
	case 13:
		return m.Truncate(int64(arg) * 7)
	case 14:
		return m.CutAfter(int(arg >> 5))
	}
	return m.Fail(ErrTooLarge())
}

// WriteFault makes some of the requests to write fail.
func WriteFault(m apitest.Match, arg byte) *apitest.Fault {
	m = m.Times(1 + int(arg>>4)%5)
	switch arg % 8 {
	case 0:
		return m.Forbidden()
	case 1:
		return m.Conflict()
	case 2:
		return m.TooManyRequests(time.Second)
	case 3:
		return m.Disconnect()
	case 4:
		return m.LoseResponse()
	case 5:
		return m.Truncate(int64(arg))
	case 6:
		return m.Delay(time.Duration(arg) * time.Second / 4)
	}
	return m.Fail(apierrors.NewInternalError(ErrCut))
}
