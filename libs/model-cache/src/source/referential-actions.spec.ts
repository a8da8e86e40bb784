import { describeSchemaText } from './prisma/schema/describe-schema.js'
import { cascadesFrom, type Change } from './referential-actions.js'

/** What follows a change of a row: each field by which rows refer to those above them, and what changes. */
function cascades(schema: string, model: string, change: Change): string {
  const { models } = describeSchemaText(schema)
  return [...cascadesFrom(models, model, change)]
    .map(
      ({ change, child }) =>
        `${child.model}.${child.relation.field} ${change === 'deleted' ? change : [...change].join()}`,
    )
    .join('; ')
}

const shops = `
  model Shop {
    code    String  @id
    shelves Shelf[]
    guests  Guest[]
    notes   Note[]
  }
  model Shelf {
    id   Int    @id
    at   String
    shop Shop   @relation(fields: [at], references: [code], onDelete: Cascade)
    books Book[]
  }
  model Book {
    id      Int   @id
    shelfId Int
    shelf   Shelf @relation(fields: [shelfId], references: [id], onDelete: Cascade)
  }
  model Guest {
    id    Int     @id
    at    String?
    shop  Shop?   @relation(fields: [at], references: [code], onDelete: SetNull, onUpdate: Restrict)
  }
  model Note {
    id   Int    @id
    at   String
    shop Shop   @relation(fields: [at], references: [code], onDelete: Restrict, onUpdate: NoAction)
  }`

/** A change of each key changes the other one of another row, and so on. */
const nodes = `
  model Node {
    id     Int     @id
    code   Int?    @unique
    other  Int?    @unique
    above  Node?   @relation("tree", fields: [other], references: [code], onDelete: Cascade)
    below  Node?   @relation("tree")
    source Node?   @relation("copy", fields: [code], references: [other], onDelete: SetNull)
    copy   Node?   @relation("copy")
    labels Label[]
  }
  model Label {
    id   Int   @id
    of   Int?
    node Node? @relation(fields: [of], references: [other], onDelete: Restrict)
  }`

/** The client hides the relation of owners to their home. */
const homes = `
  model Owner {
    id      Int      @id
    homeId  Int?
    home    Folder?  @relation("home", fields: [homeId], references: [id], onDelete: Cascade) @ignore
    folders Folder[]
  }
  model Folder {
    id      Int     @id
    ownerId Int
    owner   Owner   @relation(fields: [ownerId], references: [id], onDelete: Cascade)
    owners  Owner[] @relation("home") @ignore
    files   File[]
  }
  model File {
    id       Int    @id
    folderId Int
    folder   Folder @relation(fields: [folderId], references: [id], onDelete: Cascade)
  }`

/** Files and their versions are a circle; the client hides one of the two ways to it. */
const drives = `
  model Owner {
    id     Int     @id
    files  File[]
    drives Drive[]
  }
  model File {
    id        Int       @id
    ownerId   Int?
    driveId   Int?
    versionId Int?
    owner     Owner?    @relation(fields: [ownerId], references: [id], onDelete: Cascade)
    drive     Drive?    @relation(fields: [driveId], references: [id], onDelete: Cascade) @ignore
    source    Version?  @relation("copies", fields: [versionId], references: [id], onDelete: Cascade)
    versions  Version[] @relation("versions")
  }
  model Version {
    id     Int    @id
    fileId Int
    file   File   @relation("versions", fields: [fileId], references: [id], onDelete: Cascade)
    copies File[] @relation("copies")
  }
  model Drive {
    id      Int    @id
    ownerId Int
    owner   Owner  @relation(fields: [ownerId], references: [id], onDelete: Cascade)
    files   File[] @ignore
  }`

/** A crate that a trigger keeps may get another code. */
const cellars = `
  model Cellar {
    id     Int     @id
    crates Crate[]
  }
  model Crate {
    id       Int    @id
    cellarId Int
    code     Int    @unique
    cellar   Cellar @relation(fields: [cellarId], references: [id], onDelete: Cascade)
    jars     Jar[]
  }
  model Jar {
    id    Int   @id
    code  Int
    crate Crate @relation(fields: [code], references: [code], onDelete: Restrict)
  }`

/** Stalls go with their row, and lose their label; the client hides both relations. */
const markets = `
  model Market {
    id     Int     @id
    rows   Row[]
    labels Label[]
  }
  model Row {
    id       Int     @id
    marketId Int
    market   Market  @relation(fields: [marketId], references: [id], onDelete: Cascade)
    stalls   Stall[] @ignore
  }
  model Label {
    id       Int     @id
    marketId Int
    market   Market  @relation(fields: [marketId], references: [id], onDelete: Cascade)
    stalls   Stall[] @ignore
  }
  model Stall {
    id      Int    @id
    rowId   Int
    labelId Int?   @unique
    row     Row    @relation(fields: [rowId], references: [id], onDelete: Cascade) @ignore
    label   Label? @relation(fields: [labelId], references: [id], onDelete: SetNull) @ignore
    sign    Sign?
  }
  model Sign {
    id      Int     @id
    labelId Int     @unique
    stall   Stall   @relation(fields: [labelId], references: [labelId], onDelete: Cascade)
    prints  Print[]
  }
  model Print {
    id      Int  @id
    labelId Int
    sign    Sign @relation(fields: [labelId], references: [labelId], onDelete: Restrict)
  }`

describe('cascadesFrom', () => {
  it.each<[string, schema: string, model: string, expected: string, change?: Change]>([
    ['a deleted row', shops, 'Shop', 'Shelf.shop deleted; Book.shelf deleted; Guest.shop at'],
    ['a changed key', shops, 'Shop', 'Shelf.shop at', new Set(['code'])],
    ['a changed field that no key refers to, to no row', shops, 'Shelf', '', new Set(['at'])],
    [
      'a deletion that changes keys',
      nodes,
      'Node',
      'Node.above deleted; Node.source code; Node.above other; Label.node of',
    ],
    [
      'a changed key in a circle',
      nodes,
      'Node',
      'Node.above other; Node.source code; Label.node of',
      new Set(['code']),
    ],
    [
      'a deletion that passes a hidden relation first',
      homes,
      'Folder',
      'Owner.home deleted; Folder.owner deleted; File.folder deleted',
    ],
    [
      'a deletion that passes a hidden relation later',
      homes,
      'Owner',
      'Folder.owner deleted; Owner.home deleted; File.folder deleted',
    ],
    [
      'a deletion to a circle on a way without an end, too',
      drives,
      'Owner',
      'File.owner deleted; Version.file deleted; File.source deleted; Drive.owner deleted; File.drive deleted',
    ],
    [
      'a deletion to a circle once, on two ways',
      drives.replaceAll(' @ignore', ''),
      'Owner',
      'File.owner deleted; Version.file deleted; File.source deleted; Drive.owner deleted; File.drive deleted',
    ],
    [
      'a deletion that deletes rows and changes their keys, on ways without an end',
      markets,
      'Market',
      'Row.market deleted; Stall.row deleted; Sign.stall deleted; Print.sign labelId; Sign.stall labelId; Label.market deleted; Stall.label labelId',
    ],
    [
      'a key that a trigger may set in a row below',
      cellars,
      'Cellar',
      'Crate.cellar deleted; Jar.crate code',
    ],
    [
      'a key that a trigger may set, after an update',
      cellars,
      'Cellar',
      'Crate.cellar cellarId; Jar.crate code',
      new Set(['id']),
    ],
  ])('follows %s', (_, schema, model, expected, ...[change = 'deleted']) => {
    expect(cascades(schema, model, change)).toBe(expected)
  })
})
