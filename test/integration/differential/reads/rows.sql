-- What every episode begins with. DELETE without foreign keys takes a twentieth of the time of TRUNCATE, which makes new files.
BEGIN;
SET LOCAL session_replication_role = replica;
DELETE FROM "_PersonToTag";
DELETE FROM "_ArticleToTag";
DELETE FROM "_ArticleToTopic";
DELETE FROM "Topic";
DELETE FROM people;
DELETE FROM "Article";
DELETE FROM "Tag";
DELETE FROM "Review";
DELETE FROM "Pass";
DELETE FROM archive.seats;
DELETE FROM archive."Word";
DELETE FROM "Code";
DELETE FROM "Everything";
DELETE FROM archive."may be";
DELETE FROM "Lists";
DELETE FROM "Fan";
DELETE FROM "Team";
DELETE FROM "Rate";
DELETE FROM "Name";
DELETE FROM "Unreadable";
DELETE FROM "Refused";
DELETE FROM "Uncached";
INSERT INTO people (id, email, full_name, "nick name", mood, moods, born, boss_id)
  SELECT ('5eed0000-0000-4000-a000-0000000000a' || n)::uuid, 'P' || n || '@x.org', 'name ' || n % 3, CASE WHEN n % 3 > 0 THEN 'nick ' || n END,
    (ARRAY['CALM', 'wild one', ' grey'])[n % 3 + 1]::moods, CASE WHEN n % 2 = 0 THEN ARRAY[' grey', 'CALM']::moods[] WHEN n > 4 THEN ARRAY[]::moods[] END,
    CASE WHEN n > 1 THEN date '1970-01-02' - n END,
    CASE WHEN n > 2 THEN ('5eed0000-0000-4000-a000-0000000000a' || n / 2)::uuid END
  FROM generate_series(1, 7) n;
INSERT INTO "Article"
  SELECT n, 'title ' || n, CASE WHEN n % 2 = 0 THEN n % 4 END, n % 3 > 0, timestamp '2024-01-01 10:00:00.123' + n % 3 * interval '1 day',
    CASE WHEN n > 3 THEN ('5eed0000-0000-4000-a000-0000000000a' || n % 5 + 1)::uuid END
  FROM unnest(ARRAY[9, 3, -1, 4, 0, 5, 1, 2, 2147483647, -2147483648, 10, 100, 8]) n;
INSERT INTO "Tag" VALUES ('red', 'ff0000'), ('Ünï', 'a'), ('SHOUT', ''), ('', 'empty'), ('a b', 'x y z'), ('straße', 'ss'), ('null', 'null');
INSERT INTO "_PersonToTag" SELECT id, name FROM people, "Tag" WHERE (ascii(right(id::text, 1)) + length(name)) % 3 = 0;
INSERT INTO "_ArticleToTag" SELECT id, name FROM "Article", "Tag" WHERE (abs(id::bigint) + length(name)) % 2 = 0;
INSERT INTO "Review"
  SELECT a.id, p.id, (ARRAY[0, '-0', 'NaN', 'Infinity', '-Infinity', 0.1, 1e300, 5e-324]::float[])[abs(a.id) % 8 + 1], CASE WHEN a.id % 2 = 0 THEN 'note' END
  FROM "Article" a, people p WHERE a.id BETWEEN 0 AND 9 AND right(p.id::text, 1) < '5';
INSERT INTO "Pass" VALUES (1, '5eed0000-0000-4000-a000-0000000000a1', '\x'), (2, NULL, NULL), (-3, '5eed0000-0000-4000-a000-0000000000a3', '\x00ff'),
  (9007199254740993, NULL, '\x01'), (9223372036854775807, NULL, NULL), (-9223372036854775808, '5eed0000-0000-4000-a000-0000000000a5', decode(repeat('ab', 70), 'hex'));
INSERT INTO archive.seats
  SELECT hall, n, n % 3 - 1, n * 1.0001, (ARRAY['CALM', 'wild one', ' grey'])[abs(n) % 3 + 1]::moods, CASE WHEN n > 1 THEN hall || n END
  FROM unnest(ARRAY['A', 'a', 'B:', '']) hall, unnest(ARRAY[1, 2, 3, 9007199254740993]) n;
INSERT INTO archive."Word" SELECT text, mood::moods, row_number() OVER (), CASE WHEN mood = 'CALM' THEN '{"a": {"b": [1, null]}}'::jsonb WHEN text = 'b' THEN 'null' END
  FROM unnest(ARRAY['a', 'b', 'A', 'a ']) text, unnest(ARRAY['CALM', 'wild one']) mood;
INSERT INTO "Code" VALUES ('ab', 'two'), ('abcd', 'four'), ('', 'empty'), ('AB', 'upper'), (' ab', 'leading');
INSERT INTO "Everything" VALUES
  (1, 'text', 'varchar', 'char', '5eed0000-0000-4000-a000-0000000000c1', 'Citext', '192.168.0.1', '<a>1</a>', '10101', '101', true, 1, 2, 3, 4, 0.1, 0.1, 1.50, 1.5, 1.5,
    '2024-02-29 12:30:00.123', '2024-02-29 12:30:01', '2024-02-29 12:30:00.123456', '2024-02-29 12:30:00.123+02', '2024-02-29 12:30:00.123456+02', '2024-02-29',
    '12:30:00.123', '12:30:00.123456', '12:30:00.123+02', '{"b": 1, "a": "2024-01-01T00:00:00.000Z"}', '{"b": 1, "a": [], "b": 2}', '\x00ff', 'CALM'),
  (2, '', '', '', '00000000-0000-0000-0000-000000000000', '', '::1/64', '', '00000', '', false, 0, 0, 0, 0, '-0', '-0', 0, 0, 0,
    '0001-01-01', '0001-01-01', '0001-01-01', '0001-01-01 00:00:00+00', '0001-01-01 00:00:00+00', '0001-01-01', '00:00', '00:00', '00:00+00', 'null', 'null', '\x', 'wild one'),
  (3, E'\u2028 "\\\n 𝒳', '𝒳ä', '𝒳', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'ÄÖ', 'fe80::/10', '<?xml version="1.0"?><a b="&lt;"/>', '11111', '111111111', true,
    2147483647, 32767, 2147483647, 9223372036854775807, 'Infinity', 'Infinity', 12345678901234567890123456789012345.123456789012345678901234567890, 999999999.999,
    92233720368547758.07, '9999-12-31 23:59:59.999', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999+00', '9999-12-31 23:59:59.999999+00',
    '9999-12-31', '23:59:59.999', '23:59:59.999999', '23:59:59.999-12', '[[[]], {}, "", 1e100, -0.0, true, null, {"toJSON": 1, "constructor": {}}]',
    '{"z": "9007199254740993", "1": 0, "": 1e5}', '\xdeadbeef', ' grey'),
  (4, 'x', 'x', 'x', '5eed0000-0000-4000-a000-0000000000c4', 'x', '10.0.0.0/8', 'plain', '01010', '0', false, -2147483648, -32768, 0, -9223372036854775808, 'NaN', 'NaN',
    -0.000000000000000000000000000001, -0.001, -92233720368547758.08, '1969-12-31 23:59:59.999', '1969-12-31 23:59:59', '1969-12-31 23:59:59.999999',
    '1969-12-31 23:59:59.999+00', '1582-10-10 00:00:00.5+00', '1582-10-10', '00:00:00.001', '00:00:00.000001', '00:00:00.001+05:30', '"2024-01-01T00:00:00.000Z"', '1.0',
    decode(repeat('00', 40), 'hex'), 'CALM'),
  (5, 'five', 'v', 'c', '5eed0000-0000-4000-a000-0000000000c5', 'five', '127.0.0.1', '<a/>', '00001', '1', true, -1, -1, 4294967, -1, 4.9e-324, 1e-45, 1e30, 100, 0.01,
    '0099-12-31 23:59:59.999', '0099-12-31', '0099-12-31', '0050-06-01 00:00:00+00', '1900-01-01 00:00:00+00', '0099-12-31', '01:02:03', '01:02:03.4', '24:00:00+00',
    '{"$type": "Decimal", "value": "1"}', '{"a":  1 , "prisma__type": "date"}', '\x01', 'CALM');
INSERT INTO archive."may be" (id) VALUES (1);
INSERT INTO archive."may be" SELECT id, text, char, uuid, inet, xml, bit, bool, int, oid, bigint, float, real, numeric, money, stamp6, stamptz, date, time, timetz, jsonb, json, bytes, mood
  FROM "Everything" WHERE id > 1;
INSERT INTO archive."may be" (id, jsonb, json, bool) VALUES (9007199254740993, 'null', 'null', false), (-1, '0', '""', NULL);
-- What JavaScript has no dates and numbers for, and moments around changes of clock time.
INSERT INTO archive."may be" (id, numeric, stamp, stamp6, stamptz, date) VALUES
  (-5, 'NaN', 'infinity', 'infinity', 'infinity', 'infinity'), (-6, 1e30, '-infinity', '-infinity', '-infinity', '-infinity'),
  (-7, -1e30, '10000-01-01', '10000-01-01', '10000-01-01 00:00+00', '10000-01-01'), (-8, 1.50, '0044-03-15 BC', '0044-03-15 BC', '0044-03-15 00:00+00 BC', '0044-03-15 BC'),
  (-9, 1.5, '2024-10-27 02:30', '2024-10-27 02:30', '2024-10-27 02:30+02', '2024-10-27'), (-10, 2, '2024-10-27 02:30', '2024-10-27 02:30', '2024-10-27 02:30+01', '2024-10-27'),
  (-11, NULL, '2024-10-27 02:10', '2024-10-27 02:10', '2024-10-27 02:10+01', NULL), (-12, NULL, '2024-03-31 02:30', NULL, '2024-03-31 02:30+01', NULL);
INSERT INTO "Lists" (id) VALUES ('null');
INSERT INTO "Lists" SELECT 'one ' || id, ARRAY[text], ARRAY[char], ARRAY[uuid], ARRAY[inet], ARRAY[xml], ARRAY[bit], ARRAY[bool], ARRAY[int], ARRAY[smallint], ARRAY[oid],
  ARRAY[bigint], ARRAY[float], ARRAY[real], ARRAY[numeric], ARRAY[money], ARRAY[stamp], ARRAY[stamp6], ARRAY[stamptz], ARRAY[date], ARRAY[time], ARRAY[jsonb], ARRAY[json],
  ARRAY[bytes], ARRAY[mood] FROM "Everything";
INSERT INTO "Lists" SELECT 'all', array_agg(text), array_agg(char), array_agg(uuid), array_agg(inet), array_agg(xml), array_agg(bit), array_agg(bool), array_agg(int),
  array_agg(smallint), array_agg(oid), array_agg(bigint), array_agg(float), array_agg(real), array_agg(numeric), array_agg(money), array_agg(stamp), array_agg(stamp6),
  array_agg(stamptz), array_agg(date), array_agg(time), array_agg(jsonb), array_agg(json), array_agg(bytes), array_agg(mood) FROM "Everything";
INSERT INTO "Lists" SELECT '', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}';
INSERT INTO "Unreadable" SELECT n, 'title ' || n, ARRAY['a'] FROM generate_series(1, 3) n;
INSERT INTO "Refused" SELECT n, 'title ' || n, ARRAY['12:00+00'::timetz] FROM generate_series(1, 3) n;
INSERT INTO "Team" VALUES ('Reds', 1), ('blues', 2), ('Ünï', 3);
INSERT INTO "Rate" VALUES (1, 1.50), (2, 7.25), (3, 'NaN');
INSERT INTO "Fan" VALUES (1, 'Reds', 1.5), (2, 'reds', 1.50), (3, 'blues', 7.25), (4, 'ünï', NULL), (5, NULL, 7.250), (6, 'BLUES', 'NaN');
INSERT INTO "Name" VALUES ('Ann', 'Annie', 1), ('bob', NULL, 2), ('Émile', 'annie', 3), ('zoé', 'ANNIE', 4);
INSERT INTO "Uncached" SELECT n, 'title ' || n FROM generate_series(1, 4) n;
COMMIT;
INSERT INTO "Topic" SELECT id, 'word ' || id % 3 FROM generate_series(1, 6) id;
INSERT INTO "_ArticleToTopic" SELECT a.id, t.id FROM "Article" a, "Topic" t WHERE (abs(a.id::bigint) + t.id) % 3 < 2;
