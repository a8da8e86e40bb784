-- What every episode begins with. DELETE without foreign keys takes a twentieth of the time of TRUNCATE, which makes new files.
BEGIN;
SET LOCAL session_replication_role = replica;
DELETE FROM accounts;
DELETE FROM "Profile";
DELETE FROM "Badge";
DELETE FROM "Locker";
DELETE FROM "Event";
DELETE FROM "Ticket";
DELETE FROM "Team";
DELETE FROM "Post";
DELETE FROM "Comment";
DELETE FROM "Label";
DELETE FROM "Setting";
DELETE FROM "Grant";
DELETE FROM "Blob";
DELETE FROM "Day";
DELETE FROM "Hour";
DELETE FROM "Secret";
DELETE FROM "Unseen";
DELETE FROM "_AccountToTeam";
DELETE FROM "_LabelToPost";
DELETE FROM "_Similar";
COMMIT;
SELECT setval(sequence, 1, false)
  FROM unnest(ARRAY['accounts_id_seq', '"Badge_id_seq"', '"Post_id_seq"', '"Setting_id_seq"', '"Secret_id_seq"', 'ticks']) sequence;
SELECT setval('uuids', 171, false);
INSERT INTO accounts (email, handle, name, role, roles, tags, scores, balance, avatar, born, meta, ratio, "createdAt", updated_at, "managerId")
  SELECT 'a' || n || '@x.org', CASE WHEN n % 3 > 0 THEN 'h' || n END, 'name ' || n % 3, (ARRAY['MEMBER', 'admin', 'GUEST'])[n % 3 + 1]::role,
    ARRAY['admin', 'GUEST']::role[], ARRAY['t' || n, 'ä"{}'], ARRAY[n, 2], n * 10.5, decode('00ff1' || n, 'hex'), date '1990-01-01' + n,
    jsonb_build_object('n', n, 'list', jsonb_build_array(1.5, null)), n / 3.0, timestamp '2024-01-01 10:00:00.123', timestamp '2024-01-02',
    CASE WHEN n > 2 THEN n / 2 END
  FROM generate_series(1, 7) n;
INSERT INTO "Profile" SELECT n, CASE WHEN n % 2 = 0 THEN 'bio ' || n END FROM generate_series(1, 5) n;
INSERT INTO "Badge" (label, "profileId") SELECT 'b' || n % 3, n % 3 + 1 FROM generate_series(1, 3) n;
INSERT INTO "Badge" (label, "profileId") SELECT 'b' || n, 3 FROM generate_series(4, 5) n;
INSERT INTO "Locker" SELECT n, CASE WHEN n % 2 = 0 THEN 'code ' || n END, CASE WHEN n < 4 THEN n + 2 END FROM generate_series(1, 5) n;
INSERT INTO "Event" (place, title, "hostId") SELECT CASE WHEN n % 2 = 0 THEN 'hall' ELSE 'Yard' END, 'event ' || n, CASE WHEN n < 5 THEN n END
  FROM generate_series(1, 6) n;
INSERT INTO "Ticket" (seat, "soldAt", "eventAt", "eventPlace")
  SELECT CASE WHEN row_number() OVER (ORDER BY at) % 3 > 0 THEN 's' || row_number() OVER (ORDER BY at) END, at, at, place FROM "Event" ORDER BY at;
INSERT INTO "Ticket" (seat) VALUES ('s8'), (NULL);
INSERT INTO "Team" SELECT n * 1.25, 'team ' || n, 'motto' FROM generate_series(1, 4) n;
INSERT INTO "_AccountToTeam" SELECT n, (n % 3 + 1) * 1.25 FROM generate_series(1, 6) n;
INSERT INTO "Post" (slug, title, "authorId", "editorId") SELECT 'p' || n % 4, 'title ' || n, n % 5 + 1, CASE WHEN n % 3 = 0 THEN n % 4 + 1 END
  FROM generate_series(1, 8) n;
INSERT INTO "Comment" SELECT p, n, 'body', CASE WHEN n > 1 THEN 1 END FROM generate_series(1, 6) p, generate_series(1, 3) n WHERE n <= p % 4;
INSERT INTO "Label" SELECT 'l' || n, CASE WHEN n % 2 = 0 THEN 'red' ELSE 'blue' END, CASE WHEN n > 2 THEN 'l' || n / 2 END FROM generate_series(1, 6) n;
INSERT INTO "_LabelToPost" SELECT 'l' || n, n + 1 FROM generate_series(1, 6) n;
INSERT INTO "_Similar" VALUES ('l1', 'l2'), ('l2', 'l1'), ('l3', 'l4');
INSERT INTO "Setting" (scope, key) SELECT CASE WHEN n % 2 = 0 THEN 'scope' || n % 4 END, 'k' || n FROM generate_series(1, 5) n;
INSERT INTO "Grant" SELECT n, 'admin'::role FROM generate_series(1, 5) n;
INSERT INTO "Grant" SELECT n, 'GUEST'::role, 'note' FROM generate_series(2, 3) n;
INSERT INTO "Blob" SELECT decode('ab0' || n, 'hex'), 'b' || n, n FROM generate_series(1, 4) n;
INSERT INTO "Day" SELECT date '2024-02-27' + n, 'day ' || n FROM generate_series(1, 4) n;
INSERT INTO "Hour" SELECT timestamptz '2024-02-28 08:00:00+00' + n * interval '1 hour', 'hour ' || n, CASE WHEN n < 5 THEN date '2024-02-27' + (n % 3 + 1) END
  FROM generate_series(1, 5) n;
INSERT INTO "Secret" (code, "accountId") SELECT 'c' || n, n FROM generate_series(1, 5) n;
