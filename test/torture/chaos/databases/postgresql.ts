import { openPostgresql } from '../../databases/database-server.ts'
import type { ChaosDatabase } from './chaos-database.ts'

const triggers = `
CREATE TABLE IF NOT EXISTS recorded (
  id text, version int, tag text, at float8, fields text, PRIMARY KEY (id, version)
);
CREATE OR REPLACE FUNCTION count_lot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."bidCount" := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE OLD."bidCount" + 1 END;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION record_lot() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at float8 := extract(epoch FROM clock_timestamp()) * 1000;
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO recorded VALUES (OLD.id, OLD."bidCount" + 1, NULL, at, NULL);
    RETURN NULL;
  END IF;
  INSERT INTO recorded VALUES (
    NEW.id, NEW."bidCount", NEW.label, at,
    jsonb_build_object('fundraiserId', NEW."fundraiserId", 'lot', NEW.lot, 'sortOrder', NEW."sortOrder",
      'status', NEW.status));
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION record_flag() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO recorded VALUES (
    NEW.id, NEW.revision + 1, NULL, extract(epoch FROM clock_timestamp()) * 1000, '{}');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER count_version BEFORE INSERT OR UPDATE ON "AuctionItem"
  FOR EACH ROW EXECUTE FUNCTION count_lot();
CREATE OR REPLACE TRIGGER record_version AFTER INSERT OR UPDATE OR DELETE ON "AuctionItem"
  FOR EACH ROW EXECUTE FUNCTION record_lot();
CREATE OR REPLACE TRIGGER record_version AFTER INSERT OR UPDATE ON "FeatureFlags"
  FOR EACH ROW EXECUTE FUNCTION record_flag();`

export const openChaosPostgresql = async (): Promise<ChaosDatabase> => ({
  ...(await openPostgresql()),
  triggers,
  now: 'extract(epoch FROM clock_timestamp())::float8 * 1000',
  hasWires: true,
  faults: [],
  fenceMs: 3_000,
  conflict: 'P2034',
  access: { name: 'postgresql', statementMs: 2_000 },
})
