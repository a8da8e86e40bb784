/** A schema with the types whose values, or spellings, a database and its driver show in ways of their own. */
import { bytes, decimal, json } from 'model-cache/arktype'
import { type } from 'arktype'
import { createClientOfText } from '../writes/client-of-text.js'

const schema = `
model Wine {
  zone    String
  id      String    @id @db.Uuid
  label   String    @unique @db.Citext
  code    String    @unique @db.Char(6)
  price   Decimal   @db.Decimal(30, 10)
  image   Bytes
  thumb   Bytes?
  meta    Json
  made    DateTime
  bottled DateTime? @db.Timestamptz(6)
  views   BigInt
  tags    String[]
  awards  Json[]
  rating  Float
}
`

export const winesSql = `
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TABLE "Wine" (
  zone TEXT NOT NULL, id UUID PRIMARY KEY, label CITEXT NOT NULL UNIQUE, code CHAR(6) NOT NULL UNIQUE, price DECIMAL(30, 10) NOT NULL,
  image BYTEA NOT NULL, thumb BYTEA, meta JSONB NOT NULL, made TIMESTAMP(3) NOT NULL, bottled TIMESTAMPTZ(6),
  views BIGINT NOT NULL, tags TEXT[], awards JSONB[], rating DOUBLE PRECISION NOT NULL
);`

export const WineRow = type({
  zone: 'string',
  id: 'string',
  label: 'string',
  code: 'string',
  price: decimal,
  image: bytes,
  thumb: bytes.or('null'),
  meta: json,
  made: 'Date',
  bottled: 'Date | null',
  views: 'bigint',
  tags: 'string[]',
  awards: json.array(),
  rating: 'number',
})
export type Wine = typeof WineRow.infer

export interface WinesClient {
  readonly wine: { create(args: object): Promise<Wine>; findMany(args: object): Promise<Wine[]> }
  $transaction<T>(work: (client: WinesClient) => Promise<T>): Promise<T>
  $disconnect(): Promise<void>
}

export function createWinesClient(url: string): WinesClient {
  return createClientOfText(url, schema) as unknown as WinesClient
}
