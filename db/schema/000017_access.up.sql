-- Who sees a board: all members of its company but guests (0), or only those in board_access (1).
ALTER TABLE board ADD COLUMN privacy TINYINT NOT NULL DEFAULT 0;

-- Groups of members.
CREATE TABLE people_group (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  company_id BIGINT UNSIGNED NOT NULL,
  name VARCHAR(100) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_people_group_name (company_id, name),
  CONSTRAINT fk_people_group_company FOREIGN KEY (company_id) REFERENCES company (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE people_group_member (
  group_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (group_id, account_id),
  KEY ix_people_group_member_account (account_id, group_id),
  CONSTRAINT fk_people_group_member_group FOREIGN KEY (group_id) REFERENCES people_group (id),
  CONSTRAINT fk_people_group_member_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Who is named on a board: an account or a group, as kind says. level: 1 viewer, 2 member, 3 admin.
CREATE TABLE board_member (
  board_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  member_id BIGINT UNSIGNED NOT NULL,
  level TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (board_id, kind, member_id),
  KEY ix_board_member_member (kind, member_id, board_id),
  CONSTRAINT fk_board_member_board FOREIGN KEY (board_id) REFERENCES board (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What board_member comes to for each account: the highest level that it has by itself or by a group. Written with
-- board_member and people_group_member in one transaction; statements that show rows of boards join it.
CREATE TABLE board_access (
  board_id BIGINT UNSIGNED NOT NULL,
  account_id BIGINT UNSIGNED NOT NULL,
  level TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (board_id, account_id),
  KEY ix_board_access_account (account_id, board_id),
  CONSTRAINT fk_board_access_board FOREIGN KEY (board_id) REFERENCES board (id),
  CONSTRAINT fk_board_access_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
