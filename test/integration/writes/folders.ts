/**
 * A second schema, with what the demo's schema lacks: a tree, a compound key that holds a foreign key, one-to-one and
 * many-to-many relations, and referential actions of every kind.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '#prisma/client/client.js'

const schema = `
datasource db {
  provider = "postgresql"
}
model Folder {
  id       Int      @id @default(autoincrement())
  name     String
  code     String?  @unique
  parentId Int?
  parent   Folder?  @relation("tree", fields: [parentId], references: [id], onDelete: Cascade)
  children Folder[] @relation("tree")
  files    File[]
  lock     Lock?
  tags     Tag[]
}
model File {
  folderId Int
  name     String
  text     String @default("")
  folder   Folder @relation(fields: [folderId], references: [id], onDelete: Cascade)
  note     Note?
  @@id([folderId, name])
}
model Note {
  id       Int     @id @default(autoincrement())
  folderId Int?
  name     String?
  file     File?   @relation(fields: [folderId, name], references: [folderId, name], onDelete: SetNull)
  @@unique([folderId, name])
}
model Lock {
  id       Int     @id
  folderId Int?    @unique
  folder   Folder? @relation(fields: [folderId], references: [id])
}
model Tag {
  id      Int      @id
  folders Folder[]
}
`

/** In the generator's form, with relations as `field:Model/relation`. */
const models = {
  Folder:
    'id:Int name:String code:String parentId:Int parent:Folder/tree children:Folder/tree files:File/FileToFolder lock:Lock/FolderToLock tags:Tag/FolderToTag',
  File: 'folderId:Int name:String text:String folder:Folder/FileToFolder note:Note/FileToNote',
  Note: 'id:Int folderId:Int name:String file:File/FileToNote',
  Lock: 'id:Int folderId:Int folder:Folder/FolderToLock',
  Tag: 'id:Int folders:Folder/FolderToTag',
}

export const foldersSql = `
CREATE TABLE "Folder" (
  id SERIAL PRIMARY KEY, name TEXT NOT NULL, code TEXT UNIQUE,
  "parentId" INT REFERENCES "Folder" (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE TABLE "File" (
  "folderId" INT NOT NULL REFERENCES "Folder" (id) ON DELETE CASCADE ON UPDATE CASCADE,
  name TEXT NOT NULL, text TEXT NOT NULL DEFAULT '', PRIMARY KEY ("folderId", name)
);
CREATE TABLE "Note" (
  id SERIAL PRIMARY KEY, "folderId" INT, name TEXT, UNIQUE ("folderId", name),
  FOREIGN KEY ("folderId", name) REFERENCES "File" ("folderId", name) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE TABLE "Lock" (
  id INT PRIMARY KEY, "folderId" INT UNIQUE REFERENCES "Folder" (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE TABLE "Tag" (id INT PRIMARY KEY);
CREATE TABLE "_FolderToTag" (
  "A" INT NOT NULL REFERENCES "Folder" (id) ON DELETE CASCADE ON UPDATE CASCADE,
  "B" INT NOT NULL REFERENCES "Tag" (id) ON DELETE CASCADE ON UPDATE CASCADE, PRIMARY KEY ("A", "B")
);`

/** The primary keys. */
export const folderKeys: Record<string, string[]> = {
  Folder: ['id'],
  File: ['folderId', 'name'],
  Note: ['id'],
  Lock: ['id'],
  Tag: ['id'],
}

type Query = (args: object) => Promise<unknown>
type Delegate = Record<
  'create' | 'createMany' | 'update' | 'updateMany' | 'updateManyAndReturn' | 'upsert',
  Query
> &
  Record<'delete' | 'deleteMany', Query>

/** The client of that schema, loosely typed. */
export type FoldersClient = Record<'folder' | 'file' | 'note' | 'lock' | 'tag', Delegate> & {
  $transaction(work: Promise<unknown>[] | ((client: FoldersClient) => Promise<unknown>)): Promise<unknown>
  $disconnect(): Promise<void>
}

/** Turns the generated client into one of that schema, for the rest of the spec's module registry. */
export function createFoldersClient(url: string): FoldersClient {
  return createClientOf(url, schema, models) as unknown as FoldersClient
}

/** Turns the generated client into one of another schema, with models in the form above. */
export function createClientOf(url: string, schema: string, models: Record<string, string>): PrismaClient {
  const configOverride = (config: object) => ({
    ...config,
    inlineSchema: schema,
    runtimeDataModel: {
      models: Object.fromEntries(Object.entries(models).map(toRuntime)),
      enums: {},
      types: {},
    },
    // An empty graph: every query gets a new query plan.
    parameterizationSchema: { strings: [], graph: 'AAAA' },
  })
  const options = {
    adapter: new PrismaPg({ connectionString: url }),
    log: [{ emit: 'event', level: 'query' }],
    __internal: { configOverride },
  }
  return new PrismaClient(options as never)
}

function toRuntime([model, text]: [string, string]) {
  const fields = text.split(' ').map((field) => {
    const [, name, type, relationName] = /^(\w+):(\w+)(?:\/(\w+))?$/.exec(field)!
    return { name, type, kind: relationName ? 'object' : 'scalar', ...(relationName && { relationName }) }
  })
  return [model, { fields, dbName: null, schema: null }] as const
}
