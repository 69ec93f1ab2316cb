package feedclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/counterfoil/counterfoil/feedclient"
)

// A server with two tickets, the second of which is deleted by now.
func server() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			<-r.Context().Done() // no changes
			return
		}
		fmt.Fprint(w, `{"items":[
			{"id":7,"feed_sync_id":"344","deleted":false,"data":{"key":"NINJA-42","title":"In words"}},
			{"id":8,"feed_sync_id":"345","deleted":true,"data":null}],"cursor":"v1.1.tickets.345","has_more":false}`)
	}))
}

// Follow keeps a copy of a feed. With a File (see OpenFile) as its Store it resumes where it stopped, also after a
// crash.
func ExampleClient_Follow() {
	s := server()
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	client := &feedclient.Client{URL: s.URL, Token: "cfl_…"}
	err := client.Follow(ctx, feedclient.Options{Feed: "tickets", Store: &feedclient.Memory{}}, func(_ context.Context, item feedclient.Item) error {
		if item.Deleted {
			fmt.Println("remove", item.ID)
			cancel() // this example has seen enough
			return nil
		}
		var ticket struct{ Key, Title string }
		if err := json.Unmarshal(item.Data, &ticket); err != nil {
			return err
		}
		fmt.Println("set", item.ID, ticket.Key, ticket.Title)
		return nil
	})
	fmt.Println(err)
	// Output:
	// set 7 NINJA-42 In words
	// remove 8
	// context canceled
}

// Page reads a feed by hand: keep the cursor once the work is done.
func ExampleClient_Page() {
	s := server()
	defer s.Close()
	client := &feedclient.Client{URL: s.URL, Token: "cfl_…"}
	page, err := client.Page(context.Background(), feedclient.Query{Feed: "tickets"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Items), page.Cursor, page.More)
	// Output: 2 v1.1.tickets.345 false
}
