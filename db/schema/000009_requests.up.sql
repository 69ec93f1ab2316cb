-- Public request forms: tickets that strangers open, followed by a code or by a private link.

-- The form of a board; one without a row has none. intro is shown above it, as it was typed.
CREATE TABLE request_form (
  board_id BIGINT UNSIGNED NOT NULL,
  is_on BOOLEAN NOT NULL,
  intro TEXT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (board_id),
  CONSTRAINT fk_request_form_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who sent a ticket by a form. email is '' where none was given. form_hash is of the form that was sent, so
-- that sending it twice opens one ticket; token_hash is SHA-256 of the token in the private link, NULL where
-- that was revoked. replied_at is when somebody last wrote what both sides read; reply_hash is of what the requester
-- sent last, so that sending it twice is one reply.
CREATE TABLE ticket_request (
  ticket_id BIGINT UNSIGNED NOT NULL,
  code VARCHAR(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  form_hash BINARY(32) NOT NULL,
  token_hash BINARY(32) NULL,
  created_at DATETIME(6) NOT NULL,
  replied_at DATETIME(6) NULL,
  reply_hash BINARY(32) NULL,
  revoked_at DATETIME(6) NULL,
  PRIMARY KEY (ticket_id),
  UNIQUE KEY uq_ticket_request_code (code),
  UNIQUE KEY uq_ticket_request_form (form_hash),
  UNIQUE KEY uq_ticket_request_token (token_hash),
  CONSTRAINT fk_ticket_request_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- from_requester: what was written by a requester, whose text is shown as it was typed. entered_at is when the ticket
-- came into its column, or was closed or opened again there, NULL where it never was elsewhere.
ALTER TABLE ticket
  ADD COLUMN from_requester BOOLEAN NOT NULL DEFAULT FALSE,
  ADD COLUMN entered_at DATETIME(6) NULL;
-- public is what the requester reads, too; all else is among members.
ALTER TABLE comment
  ADD COLUMN public BOOLEAN NOT NULL DEFAULT FALSE,
  ADD COLUMN from_requester BOOLEAN NOT NULL DEFAULT FALSE,
  ADD KEY ix_comment_public (ticket_id, public, id);

-- What strangers did lately, by what they have in common: name is SHA-256 of an address, a network or a board
-- with what it is about.
CREATE TABLE public_limit (
  name BINARY(32) NOT NULL,
  used INT UNSIGNED NOT NULL,
  last_at DATETIME(6) NOT NULL,
  PRIMARY KEY (name),
  KEY ix_public_limit_last (last_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How often codes were looked up in an hour, by what came of it.
CREATE TABLE lookup_hour (
  hour DATETIME NOT NULL,
  hits BIGINT UNSIGNED NOT NULL,
  misses BIGINT UNSIGNED NOT NULL,
  refused BIGINT UNSIGNED NOT NULL,
  canaries BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (hour)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
