/** The tables of the differential tests for databases other than PostgreSQL, for which they are written. */
import type { OtherProvider, Rule } from './derive-schema.ts'

const ofAll: readonly Rule[] = [
  [/^--.*\n/gm, ''],
  [/^CREATE (?:EXTENSION|TYPE|SEQUENCE|SCHEMA|COLLATION) .*\n/gm, ''],
  [/^CREATE FUNCTION [^$]*\$\$[^$]*\$\$;\n/gm, ''],
  // Lists of values, and what only PostgreSQL has.
  [/^ +"?\w+"? \w+(?:\(\d+\))?\[\].*\n/gm, ''],
  [/^ +"?\w+"? TSVECTOR,\n/gm, ''],
  [/\b(?:public|archive)\.(?=")/g, ''],
  [/ DOUBLE PRECISION/g, ' DOUBLE'],
  [/ COLLATE ci\b/g, ''],
]

const rules: Readonly<Record<OtherProvider, readonly Rule[]>> = {
  mysql: [
    ...ofAll,
    // Only names are between double quotes, other than in a default.
    [/"([\w ]+)"(?!:)/g, '`$1`'],
    // A foreign key beside its column has no effect in MySQL before 9.
    [
      /^( +)(?!FOREIGN)(`?\w+`?)( .*?) REFERENCES (.*?)(,?)$/gm,
      '$1$2$3,\n$1FOREIGN KEY ($2) REFERENCES $4$5',
    ],
    [/ON DELETE SET DEFAULT/g, 'ON DELETE CASCADE'],
    [/ BIGSERIAL/g, ' BIGINT AUTO_INCREMENT'],
    [/ SERIAL/g, ' INT AUTO_INCREMENT'],
    [/ (?:CITEXT|TEXT|XML|INET)\b/g, ' VARCHAR(191)'],
    [/ (?:VAR)?BIT(?=\(\d\))/g, ' VARCHAR'],
    [/ MONEY/g, ' DECIMAL(19, 2)'],
    [/ OID\b/g, ' INT UNSIGNED'],
    [/ REAL/g, ' FLOAT'],
    [/ TIMETZ/g, ' TIME'],
    [/ moods\b/g, " ENUM('CALM', 'wild one', ' grey')"],
    [/\brole role\b/g, "role ENUM('MEMBER', 'admin', 'GUEST')"],
    [/ BYTEA PRIMARY/g, ' VARBINARY(8) PRIMARY'],
    [/ BYTEA/g, ' LONGBLOB'],
    [/ JSONB/g, ' JSON'],
    [/DEFAULT ('\{.*?\}')/g, 'DEFAULT ($1)'],
    [/ UUID\b/g, ' CHAR(36)'],
    [/ TIMESTAMP(?:TZ)?\((\d)\)/g, ' DATETIME($1)'],
    [/DEFAULT CURRENT_TIMESTAMP/g, 'DEFAULT CURRENT_TIMESTAMP(3)'],
    // `accounts` has a trigger for them; keys have no default.
    [/(token CHAR\(36\) NOT NULL UNIQUE) DEFAULT next_uuid\(\)/, "$1 DEFAULT ''"],
    [/(`seenAt` DATETIME\(6\) NOT NULL) DEFAULT tick\(\)/, "$1 DEFAULT '1000-01-01'"],
    [/ DEFAULT (?:next_uuid|tick)\(\)/g, ''],
  ],
  sqlite: [
    ...ofAll,
    [/ (?:BIG)?SERIAL PRIMARY KEY/g, ' INTEGER PRIMARY KEY AUTOINCREMENT'],
    [/ (?:CITEXT|UUID|INET|XML|(?:VAR)?(?:CHAR|BIT)\(\d+\))/g, ' TEXT'],
    [/\brole role\b/g, 'role TEXT'],
    [/ moods\b/g, ' TEXT'],
    [/ JSON\b/g, ' JSONB'],
    [/ MONEY/g, ' DECIMAL'],
    [/ OID\b/g, ' INTEGER'],
    [/ SMALLINT/g, ' INTEGER'],
    [/ BYTEA/g, ' BLOB'],
    [/ INT\b/g, ' INTEGER'],
    [/ DECIMAL\([\d, ]+\)/g, ' DECIMAL'],
    [/ (?:TIME(?:STAMP)?(?:TZ)?\(\d\)|DATE\b)/g, ' DATETIME'],
    // No default can count. Keys are given.
    [/("seenAt" DATETIME NOT NULL DEFAULT) tick\(\)/, "$1 '2025-03-01T00:00:00.000+00:00'"],
    [/ DEFAULT (?:next_uuid|tick)\(\)/g, ''],
  ],
}

/** What MySQL has instead of functions for defaults: uuids and moments, the same in each database. */
export const countedDefaults = `
CREATE TABLE counters (name VARCHAR(8) PRIMARY KEY, n INT NOT NULL);
CREATE TRIGGER account_defaults BEFORE INSERT ON accounts FOR EACH ROW BEGIN
  IF NEW.token = '' THEN
    UPDATE counters SET n = n + 1 WHERE name = 'uuids';
    SET NEW.token = (SELECT concat('5eed0000-0000-4000-a000-', lpad(lower(hex(n)), 12, '0')) FROM counters WHERE name = 'uuids');
  END IF;
  IF NEW.\`seenAt\` = '1000-01-01' THEN
    UPDATE counters SET n = n + 1 WHERE name = 'ticks';
    SET NEW.\`seenAt\` = (SELECT '2025-03-01 00:00:00.000001' + INTERVAL n * 1.000137 SECOND FROM counters WHERE name = 'ticks');
  END IF;
END;
`

export function deriveTables(tables: string, provider: OtherProvider): string {
  return rules[provider].reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), tables)
}
