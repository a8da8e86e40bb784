import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import { openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { makeDataFolder } from '../../../support/data-folder.ts'
import { sessionsOf } from '../../databases/database-server.ts'
import type { ServerFault } from '../../servers/access.ts'
import type { ChaosDatabase } from './chaos-database.ts'

const now = `unixepoch('subsec') * 1000`
/** Its clock has whole milliseconds, and a version is not to seem newer than it is. */
const at = `${now} - 2`
const fields = `json_object('fundraiserId', NEW."fundraiserId", 'lot', NEW.lot, 'sortOrder', NEW."sortOrder", 'status', NEW.status)`

/** A trigger cannot change a row before it is written, and is not triggered by itself. */
const triggers = `
CREATE TABLE IF NOT EXISTS recorded (
  id text, version int, tag text, at real, fields text, PRIMARY KEY (id, version)
);
CREATE TRIGGER IF NOT EXISTS record_created AFTER INSERT ON "AuctionItem" BEGIN
  UPDATE "AuctionItem" SET "bidCount" = 1 WHERE id = NEW.id AND "bidCount" <> 1;
  INSERT INTO recorded VALUES (NEW.id, 1, NEW.label, ${at}, ${fields});
END;
CREATE TRIGGER IF NOT EXISTS record_changed AFTER UPDATE ON "AuctionItem" WHEN NEW."bidCount" = OLD."bidCount" BEGIN
  UPDATE "AuctionItem" SET "bidCount" = OLD."bidCount" + 1 WHERE id = NEW.id;
  INSERT INTO recorded VALUES (NEW.id, OLD."bidCount" + 1, NEW.label, ${at}, ${fields});
END;
CREATE TRIGGER IF NOT EXISTS record_deleted AFTER DELETE ON "AuctionItem" BEGIN
  INSERT INTO recorded VALUES (OLD.id, OLD."bidCount" + 1, NULL, ${at}, NULL);
END;
CREATE TRIGGER IF NOT EXISTS record_created_flag AFTER INSERT ON "FeatureFlags" BEGIN
  INSERT INTO recorded VALUES (NEW.id, NEW.revision + 1, NULL, ${at}, '{}');
END;
CREATE TRIGGER IF NOT EXISTS record_changed_flag AFTER UPDATE ON "FeatureFlags" BEGIN
  INSERT INTO recorded VALUES (NEW.id, NEW.revision + 1, NULL, ${at}, '{}');
END;`

/** How long a write waits for the lock. Pods hold it for less, even if they are stopped meanwhile. */
const LOCK_MS = 2_500

export async function openChaosSqlite(): Promise<ChaosDatabase> {
  const folder = await makeDataFolder('chaos-sqlite-')
  const url = `file:${join(folder, 'chaos.db')}`
  const database = await openDatabase({ url })
  await database.withSession(applyMigrations)
  // A connection waits for a lock without letting this process do anything else, so this one does not wait.
  const connection = await new PrismaLibSql({ url, timeout: 0 }).connect()
  const statement = (sql: string) => ({ sql, args: [], argTypes: [] })
  const lock: ServerFault = {
    kind: 'databaseLock',
    async inflict(random) {
      const transaction = await connection.startTransaction()
      try {
        for (let isLocked = false; !isLocked; isLocked || (await sleep(5)))
          isLocked = await transaction.executeRaw(statement('DELETE FROM "Item" WHERE 0')).then(
            () => true,
            () => false,
          )
        await sleep(random.integer(100, 800))
      } finally {
        await transaction.rollback()
      }
    },
  }
  const sessions = sessionsOf(database)
  const [found] = await sessions.rows<{ version: string }>('SELECT sqlite_version() AS version')
  return {
    ...sessions,
    title: `SQLite ${found!.version}`,
    url,
    database,
    triggers,
    now,
    hasWires: false,
    faults: [
      lock,
      {
        kind: 'databaseCheckpoint',
        inflict: () => connection.executeRaw(statement('PRAGMA wal_checkpoint(TRUNCATE)')),
      },
    ],
    fenceMs: 3_500,
    conflict: 'P1008',
    access: { name: 'sqlite', statementMs: LOCK_MS, valkeyMs: 500 },
    async close() {
      await connection.dispose()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
