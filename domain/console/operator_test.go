package console_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// forAll are methods that are not for operators alone: the process's own, and what monitoring reads.
var forAll = map[string]bool{
	"Close": true, "Database": true, "FeedGauges": true, "MigrationGauges": true, "RefGauges": true, "RefTotals": true,
}

func TestOperators(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	token := e.Actor
	token.Token, token.Scopes = 1, []string{"tickets:write"}
	for name, caller := range map[string]struct {
		ctx  context.Context
		want fault.Code
	}{
		"an admin":            {e.As(t, "Ben", accounts.Admin), accounts.CodeNotOperator},
		"an operator's token": {accounts.WithActor(e.Ctx, token), accounts.CodeMissingScope},
	} {
		c := reflect.ValueOf(e.Console)
		for i := range c.NumMethod() {
			method := reflect.TypeFor[*console.Console]().Method(i)
			if forAll[method.Name] {
				continue
			}
			args := []reflect.Value{reflect.ValueOf(caller.ctx)}
			for n := 2; n < method.Type.NumIn(); n++ {
				args = append(args, reflect.Zero(method.Type.In(n)))
			}
			out := c.Method(i).Call(args)
			err, _ := out[len(out)-1].Interface().(error)
			if !errors.Is(err, caller.want) {
				t.Errorf("%s: %s returned %v", name, method.Name, err)
			}
		}
	}
}
