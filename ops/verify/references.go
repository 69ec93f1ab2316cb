package verify

import "fmt"

// reference is a column that names a row of another table by its only key column.
type reference struct{ Table, Column, Parent, Key string }

// references are all references, with and without a foreign key. A foreign key that is missing here fails a test.
var references = []reference{
	{"installation", "company_id", "company", "id"},
	{"membership", "company_id", "company", "id"},
	{"membership", "account_id", "account", "id"},
	{"api_token", "company_id", "company", "id"},
	{"api_token", "account_id", "account", "id"},
	{"service_account", "account_id", "account", "id"},
	{"service_account", "company_id", "company", "id"},
	{"board", "company_id", "company", "id"},
	{"board_ticket_incrementer", "board_id", "board", "id"},
	{"board_column", "board_id", "board", "id"},
	{"invitation", "company_id", "company", "id"},
	{"invitation", "created_by", "account", "id"},
	{"invitation_reservation", "invitation_id", "invitation", "id"},
	{"invitation_reservation", "account_id", "account", "id"},
	{"account_totp", "account_id", "account", "id"},
	{"account_avatar", "account_id", "account", "id"},
	{"recovery_code", "account_id", "account", "id"},
	{"passkey", "account_id", "account", "id"},
	{"issuer", "company_id", "company", "id"},
	{"issuer_company", "company_id", "company", "id"},
	{"issuer_company", "issuer_id", "issuer", "id"},
	{"issuer_rule", "company_id", "company", "id"},
	{"issuer_rule", "issuer_id", "issuer", "id"},
	{"issuer_rule", "group_id", "people_group", "id"},
	{"account_identity", "issuer_id", "issuer", "id"},
	{"account_identity", "account_id", "account", "id"},
	{"company_domain", "company_id", "company", "id"},
	{"password_reset", "company_id", "company", "id"},
	{"password_reset", "account_id", "account", "id"},
	{"password_reset", "created_by", "account", "id"},
	{"audit", "company_id", "company", "id"},
	{"audit", "account_id", "account", "id"},
	{"audit_spread", "audit_id", "audit", "id"},
	{"board_slug", "company_id", "company", "id"},
	{"board_slug", "board_id", "board", "id"},
	{"people_group", "company_id", "company", "id"},
	{"people_group_member", "group_id", "people_group", "id"},
	{"people_group_member", "account_id", "account", "id"},
	{"board_member", "board_id", "board", "id"},
	{"board_access", "board_id", "board", "id"},
	{"board_access", "account_id", "account", "id"},
	{"ticket_sight", "board_id", "board", "id"},
	{"comment_sight", "board_id", "board", "id"},
	{"board_sight", "board_id", "board", "id"},
	{"board_link", "board_id", "board", "id"},
	{"board_link", "created_by", "account", "id"},
	{"ticket", "board_id", "board", "id"},
	{"ticket", "column_id", "board_column", "id"},
	{"ticket", "created_by", "account", "id"},
	{"ticket_alias", "board_id", "board", "id"},
	{"ticket_alias", "ticket_id", "ticket", "id"},
	{"assignee", "ticket_id", "ticket", "id"},
	{"assignee", "account_id", "account", "id"},
	{"label", "company_id", "company", "id"},
	{"ticket_label", "ticket_id", "ticket", "id"},
	{"ticket_template", "board_id", "board", "id"},
	{"template_label", "template_id", "ticket_template", "id"},
	{"template_label", "label_id", "label", "id"},
	{"template_assignee", "template_id", "ticket_template", "id"},
	{"template_assignee", "account_id", "account", "id"},
	{"saved_view", "company_id", "company", "id"},
	{"saved_view", "board_id", "board", "id"},
	{"saved_view", "account_id", "account", "id"},
	{"pinned_view", "account_id", "account", "id"},
	{"pinned_board", "account_id", "account", "id"},
	{"pinned_board", "board_id", "board", "id"},
	{"home_visit", "account_id", "account", "id"},
	{"home_visit", "company_id", "company", "id"},
	{"bulk_edit", "company_id", "company", "id"},
	{"bulk_edit", "board_id", "board", "id"},
	{"bulk_edit", "account_id", "account", "id"},
	{"bulk_edit_item", "bulk_edit_id", "bulk_edit", "id"},
	{"bulk_edit_notice", "bulk_edit_id", "bulk_edit", "id"},
	{"bulk_edit_notice", "account_id", "account", "id"},
	{"calendar_address", "account_id", "account", "id"},
	{"calendar_address", "company_id", "company", "id"},
	{"ticket_relation", "ticket_id", "ticket", "id"},
	{"ticket_relation", "other_id", "ticket", "id"},
	{"folded_column", "account_id", "account", "id"},
	{"folded_column", "column_id", "board_column", "id"},
	{"ticket_stay", "ticket_id", "ticket", "id"},
	{"ticket_stay", "board_id", "board", "id"},
	{"ticket_stay", "account_id", "account", "id"},
	{"recurrence", "ticket_id", "ticket", "id"},
	{"recurrence", "account_id", "account", "id"},
	{"occurrence", "recurrence_id", "recurrence", "id"},
	{"occurrence", "ticket_id", "ticket", "id"},
	{"backlink", "ticket_id", "ticket", "id"},
	{"backlink", "from_id", "ticket", "id"},
	{"attachment", "company_id", "company", "id"},
	{"attachment", "ticket_id", "ticket", "id"},
	{"attachment", "comment_id", "comment", "id"},
	{"attachment", "account_id", "account", "id"},
	{"attachment", "hash", "stored_file", "hash"},
	{"company_storage", "company_id", "company", "id"},
	{"ticket_label", "label_id", "label", "id"},
	{"comment", "ticket_id", "ticket", "id"},
	{"comment", "account_id", "account", "id"},
	{"comment_reaction", "comment_id", "comment", "id"},
	{"comment_reaction", "account_id", "account", "id"},
	{"deleted_comment", "comment_id", "comment", "id"},
	{"deleted_comment", "ticket_id", "ticket", "id"},
	{"deleted_comment", "account_id", "account", "id"},
	{"watcher", "ticket_id", "ticket", "id"},
	{"watcher", "account_id", "account", "id"},
	{"notification", "company_id", "company", "id"},
	{"notification", "account_id", "account", "id"},
	{"notification", "ticket_id", "ticket", "id"},
	{"notification", "comment_id", "comment", "id"},
	{"notification", "actor_id", "account", "id"},
	{"activity", "ticket_id", "ticket", "id"},
	{"activity", "account_id", "account", "id"},
	{"idempotency", "token_id", "api_token", "id"},
	{"failover_board", "failover_id", "failover", "id"},
	{"failover_board", "board_id", "board", "id"},
	{"ticket_origin", "company_id", "company", "id"},
	{"ticket_origin", "ticket_id", "ticket", "id"},
	{"image", "company_id", "company", "id"},
	{"image_source", "company_id", "company", "id"},
	{"run_image", "company_id", "company", "id"},
	{"picture", "ticket_id", "ticket", "id"},
	{"picture", "company_id", "company", "id"},
	{"picture", "account_id", "account", "id"},
	{"feed_consumer", "company_id", "company", "id"},
	{"feed_consumer", "created_by", "account", "id"},
	{"webhook", "company_id", "company", "id"},
	{"webhook", "board_id", "board", "id"},
	{"webhook", "created_by", "account", "id"},
	{"webhook_board", "webhook_id", "webhook", "id"},
	{"webhook_board", "board_id", "board", "id"},
	{"webhook_board", "added_by", "account", "id"},
	{"webhook_ticket", "webhook_id", "webhook", "id"},
	{"webhook_ticket", "ticket_id", "ticket", "id"},
	{"webhook_cursor", "webhook_id", "webhook", "id"},
	{"webhook_attempt", "webhook_id", "webhook", "id"},
	{"request_form", "board_id", "board", "id"},
	{"ticket_request", "ticket_id", "ticket", "id"},
	{"request_watcher", "board_id", "board", "id"},
	{"request_watcher", "account_id", "account", "id"},
	{"migration_run", "account_id", "account", "id"},
	{"migration_task", "run_id", "migration_run", "id"},
	{"migration_counter", "run_id", "migration_run", "id"},
	{"migration_attempt", "run_id", "migration_run", "id"},
	{"migration_attempt", "task_id", "migration_task", "id"},
	{"migration_failure", "run_id", "migration_run", "id"},
	{"migration_failure", "task_id", "migration_task", "id"},
	{"migration_rejection", "run_id", "migration_run", "id"},
	{"migration_request", "run_id", "migration_run", "id"},
	{"migration_request", "account_id", "account", "id"},
	{"migration_stop", "account_id", "account", "id"},
	{"migration_event", "run_id", "migration_run", "id"},
	{"migration_event", "account_id", "account", "id"},
	{"migration_sample", "run_id", "migration_run", "id"},
}

// referencesHold finds rows orphaned while foreign key checks were off.
func referencesHold(l *checkRun) error {
	for _, r := range references {
		if err := l.count(r.Table); err != nil {
			return err
		}
	}
	return orphans(l)
}

func orphans(l *checkRun) error {
	for _, r := range references {
		named := "c." + r.Column
		if r.Column == "hash" {
			named = "LOWER(HEX(c.hash))"
		}
		none := "0=1"
		if r.Table == "idempotency" {
			none = "c.token_id = 0" // of a form
		}
		err := l.sentences(fmt.Sprintf(`SELECT CONCAT('%[1]s names %[3]s ', %[5]s, ' in %[2]s, which is not there')
			FROM %[1]s c LEFT JOIN %[3]s p FORCE INDEX (PRIMARY) ON p.%[4]s = c.%[2]s
			WHERE c.%[2]s IS NOT NULL AND p.%[4]s IS NULL AND NOT (%[6]s)`, r.Table, r.Column, r.Parent, r.Key, named, none))
		if err != nil {
			return err
		}
	}
	return nil
}
