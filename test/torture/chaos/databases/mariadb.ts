import { openMariadb } from '../../databases/database-server.ts'
import type { ChaosDatabase } from './chaos-database.ts'

/** The time of a statement would be that of its beginning, before it waits for a lock. */
const now = 'unix_timestamp(sysdate(6)) * 1000'

const recordLot = `INSERT INTO recorded VALUES (NEW.id, NEW."bidCount", NEW.label, ${now},
    json_object('fundraiserId', NEW."fundraiserId", 'lot', NEW.lot, 'sortOrder', NEW."sortOrder", 'status', NEW.status))`
const recordFlag = `INSERT INTO recorded VALUES (NEW.id, NEW.revision + 1, NULL, ${now}, '{}')`

const triggers = `
CREATE TABLE IF NOT EXISTS recorded (
  id varchar(191), version int, tag varchar(191), at double, fields text, PRIMARY KEY (id, version)
) COLLATE utf8mb4_bin;
CREATE OR REPLACE TRIGGER count_created BEFORE INSERT ON "AuctionItem" FOR EACH ROW SET NEW."bidCount" = 1;
CREATE OR REPLACE TRIGGER count_changed BEFORE UPDATE ON "AuctionItem" FOR EACH ROW
  SET NEW."bidCount" = OLD."bidCount" + 1;
CREATE OR REPLACE TRIGGER record_created AFTER INSERT ON "AuctionItem" FOR EACH ROW ${recordLot};
CREATE OR REPLACE TRIGGER record_changed AFTER UPDATE ON "AuctionItem" FOR EACH ROW ${recordLot};
CREATE OR REPLACE TRIGGER record_deleted AFTER DELETE ON "AuctionItem" FOR EACH ROW
  INSERT INTO recorded VALUES (OLD.id, OLD."bidCount" + 1, NULL, ${now}, NULL);
CREATE OR REPLACE TRIGGER record_created_flag AFTER INSERT ON "FeatureFlags" FOR EACH ROW ${recordFlag};
CREATE OR REPLACE TRIGGER record_changed_flag AFTER UPDATE ON "FeatureFlags" FOR EACH ROW ${recordFlag};`

const STATEMENT_MS = 2_000
const SETTINGS = [
  // What a killed server has committed, it still has.
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-doublewrite=ON',
  // For all, as the driver ends a process that loses a connection while it sets variables of the session.
  `--max-statement-time=${STATEMENT_MS / 1_000}`,
  `--innodb-lock-wait-timeout=${STATEMENT_MS / 1_000}`,
]

export async function openChaosMariadb(): Promise<ChaosDatabase> {
  const server = await openMariadb(SETTINGS)
  return {
    ...server,
    triggers,
    now,
    hasWires: true,
    faults: [{ kind: 'databaseKill', inflict: (random) => server.crash(random.integer(0, 500)) }],
    fenceMs: 3_000,
    conflict: 'P2034',
    access: { name: 'mariadb', statementMs: STATEMENT_MS },
  }
}
