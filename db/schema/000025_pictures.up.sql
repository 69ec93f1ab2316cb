-- A picture that texts of a ticket show: where it is, and the copy that its company keeps, once it is stored. url_hash is
-- SHA-256 of url. A copy is due to be fetched at due_at; NULL: it is stored, or it was given up. account_id saved the text.
CREATE TABLE picture (
  ticket_id BIGINT UNSIGNED NOT NULL,
  url_hash BINARY(32) NOT NULL,
  url TEXT NOT NULL,
  company_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  hash BINARY(32) NULL,
  due_at DATETIME(6) NULL,
  attempts TINYINT UNSIGNED NOT NULL DEFAULT 0,
  queued_at DATETIME(6) NOT NULL,
  PRIMARY KEY (ticket_id, url_hash),
  KEY ix_picture_due (due_at),
  KEY ix_picture_image (company_id, hash, ticket_id),
  CONSTRAINT fk_picture_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_picture_company FOREIGN KEY (company_id) REFERENCES company (id),
  CONSTRAINT fk_picture_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Images of before are shown to all members; those stored since to whoever sees a ticket that has a row in picture.
ALTER TABLE image ADD COLUMN everyone BOOLEAN NOT NULL DEFAULT TRUE;

-- Uses of invitations that wait for accounts that were there before: each joins once it signs in.
CREATE TABLE invitation_reservation (
  invitation_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (invitation_id, account_id),
  CONSTRAINT fk_invitation_reservation_invitation FOREIGN KEY (invitation_id) REFERENCES invitation (id),
  CONSTRAINT fk_invitation_reservation_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Whether the form's page does a proof of work before it sends.
ALTER TABLE request_form ADD COLUMN proof BOOLEAN NOT NULL DEFAULT FALSE;
