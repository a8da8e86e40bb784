/**
 * A schema of its own, with rows that are hard to find again: a key with microseconds, a nullable key, compound keys, rows that
 * refer to rows of their own table, and renamed columns.
 */
import type { PrismaClient } from '#prisma/client/client.js'
import { createClientOfText } from './client-of-text.js'

const models = `
model Sensor {
  id       Int       @id @default(autoincrement()) @map("sensor_id")
  code     String?   @unique
  name     String
  readings Reading[]
  alarms   Alarm[]
  @@map("sensors")
}
model Reading {
  sensorId Int
  at       DateTime @db.Timestamptz(6)
  serial   Int      @unique @default(autoincrement())
  value    Int
  sensor   Sensor   @relation(fields: [sensorId], references: [id], onDelete: Cascade)
  @@id([sensorId, at])
}
model Alarm {
  id       Int    @id
  code     String @unique
  sensorId Int
  sensor   Sensor @relation(fields: [sensorId], references: [id], onDelete: Cascade)
}
model Slot {
  room  String
  hour  Int
  state String
  @@id([room, hour])
}
model Part {
  id       Int    @id
  parentId Int?
  parent   Part?  @relation("parts", fields: [parentId], references: [id], onDelete: NoAction, onUpdate: NoAction)
  parts    Part[] @relation("parts")
}
`

export const sensorsSql = `
CREATE TABLE sensors (sensor_id SERIAL PRIMARY KEY, code TEXT UNIQUE, name TEXT NOT NULL);
CREATE TABLE "Reading" (
  "sensorId" INT NOT NULL REFERENCES sensors (sensor_id) ON DELETE CASCADE ON UPDATE CASCADE,
  at TIMESTAMPTZ(6) NOT NULL, serial SERIAL UNIQUE, value INT NOT NULL, PRIMARY KEY ("sensorId", at)
);
CREATE TABLE "Alarm" (
  id INT PRIMARY KEY, code TEXT NOT NULL UNIQUE,
  "sensorId" INT NOT NULL REFERENCES sensors (sensor_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE TABLE "Slot" (room TEXT NOT NULL, hour INT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (room, hour));
CREATE TABLE "Part" (id INT PRIMARY KEY, "parentId" INT REFERENCES "Part" (id));`

type Query = (args?: object) => Promise<never>
type Delegate = Record<
  'create' | 'createMany' | 'update' | 'updateMany' | 'upsert' | 'delete' | 'deleteMany',
  Query
>
type Names = 'sensor' | 'reading' | 'slot' | 'part'

/** The client of that schema, loosely typed. */
export type SensorsClient = Omit<PrismaClient, Names> & Record<Names, Delegate>

export function createSensorsClient(url: string): SensorsClient {
  return createClientOfText(url, models) as unknown as SensorsClient
}
