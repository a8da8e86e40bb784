import { randomUUID } from 'node:crypto'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  createModelCache,
  createPrismaSource,
  type ReadThroughCache,
  schemaFactsOf,
  ValkeyStore,
} from 'model-cache/advanced'
import { patientMs } from '../../support/patience.js'
import { createDatabase, valkeyUrl } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { createClientOfText } from '../writes/client-of-text.js'

const tables = `
CREATE TYPE state AS ENUM ('open', 'shut');
CREATE TABLE orgs (id INT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE people (
  id INT PRIMARY KEY, email TEXT NOT NULL UNIQUE, org_id INT REFERENCES orgs ON DELETE CASCADE, rank INT NOT NULL DEFAULT 0,
  state state NOT NULL DEFAULT 'open', title TEXT, title_v2 TEXT
);
CREATE TABLE seats (room TEXT, number INT, person_id INT REFERENCES people, PRIMARY KEY (room, number));
CREATE TABLE tags (id INT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE "_PersonTags" ("A" INT REFERENCES people ON DELETE CASCADE, "B" INT REFERENCES tags ON DELETE CASCADE, PRIMARY KEY ("A", "B"));
CREATE SCHEMA archive;
CREATE TABLE archive.people (id INT PRIMARY KEY, email TEXT NOT NULL UNIQUE);
`
const refill = `
TRUNCATE orgs, people, seats, tags, "_PersonTags", archive.people;
INSERT INTO orgs VALUES (1, 'one'), (2, 'two');
INSERT INTO people VALUES (1, 'a@x', 1, 1, 'open', 'old', 'new'), (2, 'b@x', 1, 2, 'shut', 'old', 'new');
INSERT INTO seats VALUES ('hall', 1, 1);
INSERT INTO tags VALUES (1, 'red'), (2, 'blue');
INSERT INTO "_PersonTags" VALUES (1, 1);
INSERT INTO archive.people VALUES (1, 'old@x');
`

const old = `
enum State {
  open
  shut
  @@map("state")
}
model Org {
  id Int @id
  name String
  people Person[]
  @@map("orgs")
}
model Person {
  id Int @id
  email String @unique
  orgId Int? @map("org_id")
  rank Int @default(0)
  state State @default(open)
  title String?
  org Org? @relation(fields: [orgId], references: [id], onDelete: Cascade)
  seats Seat[]
  tags Tag[] @relation("PersonTags")
  @@map("people")
}
model Seat {
  room String
  number Int
  personId Int? @map("person_id")
  person Person? @relation(fields: [personId], references: [id])
  @@id([room, number])
  @@map("seats")
}
model Tag {
  id Int @id
  name String
  people Person[] @relation("PersonTags")
  @@map("tags")
}
`
const renamed = `
enum Status {
  running @map("open")
  ended @map("shut")
  @@map("state")
}
model Firm {
  key Int @id @map("id")
  label String @map("name")
  members Member[]
  @@map("orgs")
}
model Member {
  key Int @id @map("id")
  mail String @unique @map("email")
  firmKey Int? @map("org_id")
  position Int @default(0) @map("rank")
  status Status @default(running) @map("state")
  title String? @map("title_v2")
  firm Firm? @relation(fields: [firmKey], references: [key], onDelete: Cascade)
  places Place[]
  topics Topic[] @relation("PersonTags")
  @@map("people")
}
model Place {
  hall String @map("room")
  place Int @map("number")
  memberKey Int? @map("person_id")
  member Member? @relation(fields: [memberKey], references: [key])
  @@id([hall, place])
  @@map("seats")
}
model Topic {
  key Int @id @map("id")
  text String @map("name")
  members Member[] @relation("PersonTags")
  @@map("tags")
}
`
/** Of a service that knows a part of the table, and its join table as a model. */
const partial = `
model Contact {
  id Int @id
  mail String @unique @map("email")
  rank Int @default(0)
  @@map("people")
}
model Tagging {
  person Int @map("A")
  tag Int @map("B")
  @@id([person, tag])
  @@map("_PersonTags")
}
model Keyword {
  id Int @id
  name String
  @@map("tags")
}
`
/** Without the id of the others. */
const withoutId = `
model Address {
  email String @id
  rank Int @default(0)
  @@map("people")
}
`

const { defineModelCache } = modelCaches<never>()
const define = (model: string, options: object): never =>
  defineModelCache(model as never, { ttl: '1h', notFoundTtl: '1h', ...options } as never) as never

const person = {
  unique: { byEmail: 'email' },
  lists: {
    ofOrg: { by: 'orgId', orderBy: { rank: 'asc' } },
    ofState: { by: 'state' },
    best: { by: 'orgId', where: { state: 'open' }, orderBy: { rank: 'desc' }, limit: 1 },
    withTag: { through: 'tags', orderBy: { rank: 'asc' } },
  },
}
const oldDefinitions = {
  person: define('Person', person),
  byEmail: define('Person', { name: 'PersonByEmail', id: 'email' }),
  withOrg: define('Person', {
    name: 'PersonWithOrg',
    select: { id: true, email: true, org: { select: { name: true } }, tags: { select: { name: true } } },
    dependsOn: ['Org', 'Tag'],
  }),
  seat: define('Seat', { lists: { ofPerson: { by: 'personId' } } }),
  tag: define('Tag', { lists: { ofPerson: { through: 'people' } } }),
}
const renamedDefinitions = {
  person: define('Member', {
    id: 'key',
    unique: { byEmail: 'mail' },
    lists: {
      ofOrg: { by: 'firmKey', orderBy: { position: 'asc' } },
      ofState: { by: 'status' },
      best: { by: 'firmKey', where: { status: 'running' }, orderBy: { position: 'desc' }, limit: 1 },
      withTag: { through: 'topics', orderBy: { position: 'asc' } },
    },
  }),
  byEmail: define('Member', { name: 'MemberByMail', id: 'mail' }),
  withOrg: define('Member', {
    id: 'key',
    name: 'MemberWithFirm',
    select: { key: true, mail: true, firm: { select: { label: true } }, topics: { select: { text: true } } },
    dependsOn: ['Firm', 'Topic'],
  }),
  seat: define('Place', { lists: { ofPerson: { by: 'memberKey' } } }),
  tag: define('Topic', { lists: { ofPerson: { through: 'members' } } }),
}

type Delegate = Record<
  'create' | 'update' | 'updateMany' | 'delete' | 'deleteMany',
  (args: object) => PromiseLike<unknown>
>
type Client = Record<string, Delegate> & {
  $disconnect(): Promise<void>
  $executeRawUnsafe(sql: string): Promise<unknown>
  $transaction(work: unknown): Promise<unknown>
}
type Cache = ReadThroughCache<object, never> & {
  getManyBy(name: string, keys: readonly unknown[]): Promise<unknown[]>
  listMany(name: string, keys: readonly unknown[]): Promise<unknown[][]>
}

let database: TestDatabase
let namespace = randomUUID()
const opened: (() => Promise<void>)[] = []

beforeAll(async () => {
  database = await createDatabase()
  await database.run(tables)
})
beforeEach(() => database.run(refill))
const closeAll = async (): Promise<void> => {
  for (const close of opened.splice(0).toReversed()) await close()
  // Caches that are new to running writers store nothing for a while.
  namespace = randomUUID()
}
afterAll(() => database.drop())

/** A process of a schema. */
async function openPod(
  schema: string,
  definitions: Readonly<Record<string, never>> = {},
  writes?: ModelCacheWrites,
) {
  const client = createClientOfText(database.url, schema)
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const own = writes ?? new ModelCacheWrites({ store, namespace })
  const prisma = extendPrisma(client, own) as unknown as Client
  const facts = schemaFactsOf(client)
  const caches = Object.entries(definitions).map(([key, definition]): [string, Cache] => {
    const bound = bindDefinition<object, never>(definition, facts)
    const { idFields, model, name, selection } = bound
    const source = createPrismaSource<object, never>(client, { name, model, idFields, ...selection })
    const cache = createModelCache<object, never, never>(bound as never, {
      store,
      source,
      writes: own,
      namespace,
      facts,
    })
    return [key, cache as unknown as Cache]
  })
  opened.push(async () => {
    for (const [, cache] of caches) await cache.close()
    await own.close()
    await store.close()
    await client.$disconnect()
  })
  return { prisma, caches: Object.fromEntries(caches), writes: own }
}
type Pod = Awaited<ReturnType<typeof openPod>>

async function empty({ caches }: Pod): Promise<void> {
  for (const cache of Object.values(caches)) await cache.invalidateAll()
}

/** Everything that a pod has of the database, whatever its names are. */
async function readAll({ caches }: Pod, names: Names): Promise<unknown[]> {
  const states = names === 'old' ? ['open', 'shut'] : ['running', 'ended']
  const seats = [1, 2].map((n) =>
    names === 'old' ? { room: 'hall', number: n } : { hall: 'hall', place: n },
  )
  const emails = ['a@x', 'b@x', 'c@x']
  const { byEmail, person, seat, tag, withOrg } = caches as Record<string, Cache>
  const ids = [1, 2, 3] as never[]
  const answers = await Promise.all([
    person!.getMany(ids),
    person!.getManyBy('byEmail', emails),
    person!.listMany('ofOrg', [1, 2]),
    person!.listMany('ofState', states),
    person!.listMany('best', [1, 2]),
    person!.listMany('withTag', [1, 2]),
    byEmail!.getMany(emails as never[]),
    withOrg!.getMany(ids),
    seat!.getMany(seats as never[]),
    seat!.listMany('ofPerson', [1, 2]),
    tag!.getMany([1, 2] as never[]),
    tag!.listMany('ofPerson', [1, 2, 3]),
  ])
  for (const cache of Object.values(caches)) await cache.drain()
  return answers
}

type Names = 'old' | 'renamed'
type Write = (prisma: Client) => PromiseLike<unknown>

/** Each in the names of both schemas. */
const writes: readonly [title: string, old: Write, renamed: Write][] = [
  [
    'an update of a plain field',
    ({ person }) => person!.update({ where: { id: 1 }, data: { rank: 5 } }),
    ({ member }) => member!.update({ where: { key: 1 }, data: { position: 5 } }),
  ],
  [
    'an update of a unique key',
    ({ person }) => person!.update({ where: { id: 1 }, data: { email: 'c@x' } }),
    ({ member }) => member!.update({ where: { key: 1 }, data: { mail: 'c@x' } }),
  ],
  [
    'an update by another unique key',
    ({ person }) => person!.update({ where: { email: 'b@x' }, data: { orgId: 2, state: 'open' } }),
    ({ member }) => member!.update({ where: { mail: 'b@x' }, data: { firmKey: 2, status: 'running' } }),
  ],
  [
    'an update of an enum',
    ({ person }) => person!.updateMany({ where: { id: 1 }, data: { state: 'shut' } }),
    ({ member }) => member!.updateMany({ where: { key: 1 }, data: { status: 'ended' } }),
  ],
  [
    'a create',
    ({ person }) => person!.create({ data: { id: 3, email: 'c@x', orgId: 2 } }),
    ({ member }) => member!.create({ data: { key: 3, mail: 'c@x', firmKey: 2 } }),
  ],
  [
    'a changed id',
    ({ person }) => person!.update({ where: { email: 'b@x' }, data: { id: 3 } }),
    ({ member }) => member!.update({ where: { mail: 'b@x' }, data: { key: 3 } }),
  ],
  [
    'a delete',
    ({ person }) => person!.delete({ where: { id: 2 } }),
    ({ member }) => member!.delete({ where: { key: 2 } }),
  ],
  [
    'a model that rows depend on',
    ({ org }) => org!.update({ where: { id: 1 }, data: { name: 'changed' } }),
    ({ firm }) => firm!.update({ where: { key: 1 }, data: { label: 'changed' } }),
  ],
  [
    'a compound id',
    ({ seat }) => seat!.update({ where: { room_number: { room: 'hall', number: 1 } }, data: { number: 2 } }),
    ({ place }) => place!.update({ where: { hall_place: { hall: 'hall', place: 1 } }, data: { place: 2 } }),
  ],
  [
    'a nested create',
    ({ person }) =>
      person!.update({ where: { id: 2 }, data: { seats: { create: { room: 'hall', number: 2 } } } }),
    ({ member }) =>
      member!.update({ where: { key: 2 }, data: { places: { create: { hall: 'hall', place: 2 } } } }),
  ],
  [
    'a connection of a many-to-many relation',
    ({ person }) => person!.update({ where: { id: 2 }, data: { tags: { connect: { id: 1 } } } }),
    ({ member }) => member!.update({ where: { key: 2 }, data: { topics: { connect: { key: 1 } } } }),
  ],
  [
    'a connection from the other side',
    ({ tag }) => tag!.update({ where: { id: 2 }, data: { people: { set: [{ id: 1 }, { id: 2 }] } } }),
    ({ topic }) => topic!.update({ where: { key: 2 }, data: { members: { set: [{ key: 1 }, { key: 2 }] } } }),
  ],
  [
    'a deleted row at the other side',
    ({ tag }) => tag!.delete({ where: { id: 1 } }),
    ({ topic }) => topic!.delete({ where: { key: 1 } }),
  ],
  [
    'a cascade',
    async ({ org, seat }) => {
      await seat!.deleteMany({})
      await org!.delete({ where: { id: 1 } })
    },
    async ({ firm, place }) => {
      await place!.deleteMany({})
      await firm!.delete({ where: { key: 1 } })
    },
  ],
]

const writesOf = (names: Names): readonly [string, Write][] =>
  writes.map(([title, ...forms]) => [title, forms[names === 'old' ? 0 : 1]])

/** Writes of a service that knows a part of the columns, the join table as a model, and not all ids. */
const partialWrites: readonly [string, Write][] = [
  ['an update of a key', ({ contact }) => contact!.update({ where: { id: 1 }, data: { mail: 'c@x' } })],
  ['an update of a field that lists watch', ({ contact }) => contact!.updateMany({ data: { rank: 9 } })],
  ['a create', ({ contact }) => contact!.create({ data: { id: 3, mail: 'c@x' } })],
  ['a delete', ({ contact }) => contact!.delete({ where: { mail: 'b@x' } })],
  ['a row of the join table', ({ tagging }) => tagging!.create({ data: { person: 2, tag: 1 } })],
  ['a deleted row of the join table', ({ tagging }) => tagging!.deleteMany({})],
  ['a row at the other side', ({ keyword }) => keyword!.delete({ where: { id: 1 } })],
  [
    'a key of which it has no field',
    (prisma) => prisma.$executeRawUnsafe('UPDATE people SET org_id = 2 WHERE id = 1'),
  ],
]

describe.each<
  readonly [reader: Names, schema: string, writer: string, readonly (readonly [string, Write])[]]
>([
  ['renamed', renamed, old, writesOf('old')],
  ['old', old, renamed, writesOf('renamed')],
  ['renamed', renamed, partial, partialWrites],
  [
    'old',
    old,
    withoutId,
    [
      [
        'an update by a part of the ids',
        ({ address }) => address!.update({ where: { email: 'a@x' }, data: { rank: 5 } }),
      ],
    ],
  ],
])('the caches of a pod with %s names', (names, readerSchema, writerSchema, given) => {
  let reader: Pod
  let writer: Pod
  beforeAll(async () => {
    reader = await openPod(readerSchema, names === 'old' ? oldDefinitions : renamedDefinitions)
    writer = await openPod(writerSchema)
    await readAll(reader, names)
  })
  afterAll(closeAll)
  beforeEach(() => empty(reader))

  it('keep what they have read', async () => {
    const before = await readAll(reader, names)
    await database.run(
      `UPDATE people SET title = 'unseen', title_v2 = 'unseen'; TRUNCATE seats, "_PersonTags"`,
    )
    expect(await readAll(reader, names)).toEqual(before)
  })

  it.each(given)(
    `are right after ${writerSchema === partial ? 'a service writes' : 'the other pod writes'} %s`,
    async (_, write) => {
      await readAll(reader, names)
      await write(writer.prisma)
      const read = await readAll(reader, names)
      await empty(reader)
      expect(read).toEqual(await readAll(reader, names))
    },
  )
})

describe('a definition whose names stand for something else in a newer schema', () => {
  afterEach(closeAll)

  const definitions = {
    person: define('Person', {
      select: { id: true, title: true, state: true, org: { select: { name: true } } },
      dependsOn: ['Org'],
      lists: { ofState: { by: 'state' } },
    }),
  }
  const read = async (schema: string) => {
    const { person } = (await openPod(schema, definitions)).caches
    return { row: await person!.get(1 as never), open: (await person!.listMany('ofState', ['open']))[0] }
  }
  const replaced = (text: string, by: string): string => {
    expect(old).toContain(text)
    return old.replace(text, by)
  }

  it.each<readonly [string, () => string, (row: Record<string, unknown>) => object]>([
    ['a column', () => replaced('title String?', 'title String? @map("title_v2")'), () => ({ title: 'new' })],
    [
      'the values of an enum',
      () => replaced('open\n  shut\n', 'shut @map("open")\n  open @map("shut")\n'),
      () => ({ state: 'shut' }),
    ],
    [
      'the foreign key of a relation',
      () => replaced('orgId Int? @map("org_id")', 'orgId Int? @map("rank")'),
      () => ({ org: { name: 'two' } }),
    ],
  ])('reads %s anew', async (_, schema, change) => {
    await database.run(`UPDATE people SET rank = 2 WHERE id = 1`)
    const before = await read(old)
    const { open, row } = await read(schema())
    expect(row).toEqual({ ...before.row, ...change(before.row as never) })
    expect(open).toEqual([expect.objectContaining({ state: 'open' })])
  })

  it('reads the table of another schema of the database', async () => {
    const archived = `
datasource db {
  provider = "postgresql"
  schemas = ["public", "archive"]
}
model Person {
  id Int @id
  email String @unique
  @@map("people")
  @@schema("SCHEMA")
}
`
    const people = { person: define('Person', { name: 'AnyPerson', unique: { byEmail: 'email' } }) }
    const pods: Pod[] = []
    for (const schema of ['public', 'archive'])
      pods.push(await openPod(archived.replace('SCHEMA', schema), people))
    const read = async () =>
      Promise.all(
        pods.map(async ({ caches: { person } }) => [
          await person!.get(1 as never),
          ...(await person!.getManyBy('byEmail', ['a@x', 'old@x'])),
        ]),
      )
    const [a, old] = ['a@x', 'old@x'].map((email) => ({ id: 1, email }))
    expect(await read()).toEqual([
      [a, a, null],
      [old, null, old],
    ])
    await pods[1]!.prisma.person!.update({ where: { id: 1 }, data: { email: 'a@x' } })
    expect(await read()).toEqual([
      [a, a, null],
      [a, a, null],
    ])
  })
})

describe('two clients of one process', () => {
  afterEach(closeAll)

  it('write to the caches of each other under their own names', async () => {
    const one = await openPod(old, oldDefinitions)
    const two = await openPod(renamed, {}, one.writes)
    await readAll(one, 'old')
    await two.prisma.member!.update({ where: { key: 1 }, data: { mail: 'c@x' } })
    const { byEmail } = one.caches
    expect(await byEmail!.getMany(['a@x', 'c@x'] as never[])).toEqual([
      null,
      expect.objectContaining({ id: 1 }),
    ])
  })
})
