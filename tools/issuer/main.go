// Command issuer is an issuer of OpenID Connect that others made, the example server of github.com/zitadel/oidc, for the
// test of signing in by a known one. It has a module of its own, so that the program depends on none of it. It prints its
// address in a line, and serves until its standard input ends.
//
//	issuer USERS CLIENT SECRET REDIRECT
//
// USERS is a JSON file with a User of the server's by id.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: issuer USERS CLIENT SECRET REDIRECT")
	}
	users, err := storage.StoreFromFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	storage.RegisterClients(storage.WebClient(os.Args[2], os.Args[3], os.Args[4]))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	server := &http.Server{Handler: exampleop.SetupServer(address, storage.NewStorage(users), nil, false), ReadHeaderTimeout: 10 * time.Second}
	go func() { log.Fatal(server.Serve(listener)) }()
	fmt.Println(address)
	_, _ = io.Copy(io.Discard, os.Stdin)
}
