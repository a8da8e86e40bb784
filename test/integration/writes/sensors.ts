/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
/**
 * A schema of its own, with rows that are hard to find again: a key with microseconds, a nullable key, compound keys, rows that
 * refer to rows of their own table, and renamed columns.
 */
import type { PrismaClient } from '#prisma/client/client.js'
import { createClientOf } from './client-of-schema.js'

const schema = `
datasource db {
  provider = "postgresql"
}
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

const models = {
  Sensor: 'id:Int name:String code:String readings:Reading/ReadingToSensor alarms:Alarm/AlarmToSensor',
  Alarm: 'id:Int code:String sensorId:Int sensor:Sensor/AlarmToSensor',
  Reading: 'sensorId:Int at:DateTime serial:Int value:Int sensor:Sensor/ReadingToSensor',
  Slot: 'room:String hour:Int state:String',
  Part: 'id:Int parentId:Int parent:Part/parts parts:Part/parts',
}

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
  const client = createClientOf(url, schema, models)
  // Names in the database that differ.
  const { Sensor } = (client as unknown as { _runtimeDataModel: { models: Record<string, Mapped> } })
    ._runtimeDataModel.models
  Sensor!.dbName = 'sensors'
  Sensor!.fields[0]!.dbName = 'sensor_id'
  return client as unknown as SensorsClient
}

interface Mapped {
  dbName: string | null
  fields: { dbName?: string }[]
}
