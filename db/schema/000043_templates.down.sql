DROP TABLE template_assignee;
DROP TABLE template_label;
DROP TABLE ticket_template;
