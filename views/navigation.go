package views

// Link is a page of the navigation.
type Link struct {
	Name, Path string
	Dialog     bool // it opens in the dialog
}

// MenuPart is a part of the user's menu.
type MenuPart struct {
	ID, Name string
	Links    []Link
}

// Menu is the user's menu.
func (p Page) Menu() (parts []MenuPart) {
	member := p.member()
	you := []Link{{Name: "Account", Path: AccountPath}}
	if member != nil && member.Confined {
		you = []Link{{Name: "Display", Path: CompanyDisplayPath(member.Company.Slug)}}
	}
	if member != nil {
		you = append(you, Link{Name: "API tokens", Path: TokensPath(member.Company.Slug)},
			Link{Name: "Bulk edits", Path: BulkEditsPath(member.Company.Slug)})
	}
	parts = append(parts, MenuPart{"menu-you", "You", append(you, Link{"Keyboard shortcuts", p.keysPath(), true})})
	if member != nil && member.Manages() {
		company := member.Company.Slug
		parts = append(parts, MenuPart{"menu-company", "Company", []Link{
			{Name: "Settings", Path: SettingsPath(company)},
			{Name: "Groups", Path: GroupsPath(company)},
			{Name: "Labels", Path: LabelsPath(company)},
			{Name: "Private boards", Path: PrivateBoardsPath(company)},
			{Name: "Webhooks", Path: WebhooksPath(company)},
			{Name: "Audit log", Path: AuditPath(company)},
		}})
	}
	if p.User.Operator {
		parts = append(parts, MenuPart{"menu-server", "Server", []Link{
			{Name: "Overview", Path: AdminPath}, {Name: "Migrations", Path: MigrationsPath}}})
	}
	if member != nil && len(member.Others) > 0 {
		others := MenuPart{ID: "switch-to", Name: "Switch to"}
		for _, c := range member.Others {
			others.Links = append(others.Links, Link{Name: c.Name, Path: HomePath(c.Slug)})
		}
		parts = append(parts, others)
	}
	return parts
}

// Navigation are the links of the header, then those of the menu, by the names that the jump box finds them by.
func (p Page) Navigation() []Link {
	company := p.member().Company.Slug
	links := []Link{{Name: "Home and boards", Path: HomePath(company)}, {Name: "My work", Path: WorkPath(company)},
		{Name: "All tickets", Path: BoardListPath(company, "")},
		{Name: "Views", Path: SavedViewsPath(company)}, {Name: "Inbox", Path: InboxPath(company)},
		{Name: "Members", Path: MembersPath(company)}, {Name: "Search", Path: SearchPath(company, "", 0)}}
	for _, part := range p.Menu() {
		links = append(links, part.Links...)
	}
	return links
}
