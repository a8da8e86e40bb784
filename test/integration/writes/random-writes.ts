import type { FoldersClient } from './folders.js'

/** Numbers that look random, the same for the same seed (mulberry32). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A write of any kind on any of the models. Many fail, as writes do. */
export function randomWrite(random: (below: number) => number): (client: FoldersClient) => Promise<unknown> {
  const pick = <T>(...choices: readonly T[]): T => choices[random(choices.length)]!
  const folderId = () => 1 + random(8)
  const small = () => 1 + random(6)
  const name = () => pick('a', 'b', 'c')
  const code = () => pick('c1', 'c2', 'c3')
  const text = () => `text ${random(100)}`
  const folder = () => pick<object>({ id: folderId() }, { code: code() })
  const file = () => ({ folderId_name: { folderId: folderId(), name: name() } })

  const nestedNote = () =>
    pick<object>({ create: {} }, { connect: { id: small() } }, { disconnect: true }, { delete: true })
  const nestedFiles = () =>
    pick<object>(
      { create: { name: name() } },
      { connect: file() },
      { connectOrCreate: { where: file(), create: { name: name() } } },
      { deleteMany: { name: name() } },
      { updateMany: { where: { name: name() }, data: { text: text() } } },
      { delete: file() },
      { update: { where: file(), data: { text: text(), note: nestedNote() } } },
      { upsert: { where: file(), create: { name: name() }, update: { name: name() } } },
    )
  const nestedLock = () =>
    pick<object>(
      { create: { id: small() } },
      { connect: { id: small() } },
      { disconnect: true },
      { delete: true },
      { update: { id: small() } },
      { upsert: { create: { id: small() }, update: { id: small() } } },
    )
  const nestedChildren = () =>
    pick<object>(
      { create: { name: 'child' } },
      { connect: { id: folderId() } },
      { set: [{ id: folderId() }] },
      { set: [] },
      { disconnect: { id: folderId() } },
      { deleteMany: {} },
      { update: { where: { id: folderId() }, data: { name: text(), children: { set: [] } } } },
    )
  const nestedTags = () =>
    pick<object>({ create: { id: small() } }, { connect: { id: small() } }, { set: [] }, { deleteMany: {} })
  const folderChange = () =>
    pick<object>(
      { name: text() },
      { code: pick(code(), null) },
      { id: folderId() },
      { id: { increment: 10 } },
      { parentId: folderId() },
      {
        parent: pick<object>(
          { connect: { id: folderId() } },
          { disconnect: true },
          { create: { name: 'parent' } },
        ),
      },
      { files: nestedFiles() },
      { lock: nestedLock() },
      { children: nestedChildren() },
      { tags: nestedTags() },
    )
  const folderParts = () =>
    pick<object>(
      {},
      { files: { create: { name: name(), note: { create: {} } } } },
      { lock: pick<object>({ create: { id: small() } }, { connect: { id: small() } }) },
      { parent: { connect: { id: folderId() } } },
    )
  const fileChange = () =>
    pick<object>(
      { text: text() },
      { name: name() },
      { folder: { connect: { id: folderId() } } },
      { folder: { update: { name: text() } } },
      { note: nestedNote() },
    )
  const toFile = () =>
    pick<object>(
      { connect: file() },
      { disconnect: true },
      { create: { folder: { connect: { id: folderId() } }, name: name() } },
    )
  const toFolder = () =>
    pick<object>(
      { connect: { id: folderId() } },
      { disconnect: true },
      { delete: true },
      { create: { name: 'l' } },
    )

  return pick<(client: FoldersClient) => Promise<unknown>>(
    (client) =>
      client.folder.create({ data: { name: 'f', ...pick<object>({}, { code: code() }), ...folderParts() } }),
    (client) =>
      client.folder.createMany({
        data: [{ name: 'f' }, { name: 'f', id: folderId() }],
        skipDuplicates: true,
      }),
    (client) => client.folder.update({ where: folder(), data: folderChange() }),
    (client) => client.folder.update({ where: folder(), data: folderChange() }),
    (client) =>
      client.folder.upsert({ where: folder(), create: { name: 'u', code: code() }, update: folderChange() }),
    (client) => client.folder.delete({ where: folder() }),
    (client) => client.folder.deleteMany({ where: pick<object>({ name: 'f' }, folder()) }),
    (client) =>
      client.folder.updateMany({
        where: pick<object>({ name: 'f' }, folder()),
        data: pick<object>({ name: 'g' }, { parentId: folderId() }),
      }),
    (client) =>
      client.folder.updateManyAndReturn({
        where: { name: 'g' },
        data: { name: 'f' },
        select: { name: true },
      }),
    (client) => client.file.update({ where: file(), data: fileChange() }),
    (client) =>
      client.file.updateMany({
        where: { name: name() },
        data: pick<object>({ text: text() }, { folderId: folderId() }),
      }),
    (client) => client.file.delete({ where: file() }),
    (client) => client.file.upsert({ where: file(), create: file().folderId_name, update: { name: name() } }),
    (client) => client.note.create({ data: pick<object>({}, { file: { connect: file() } }) }),
    (client) => client.note.update({ where: { id: small() }, data: { file: toFile() } }),
    (client) =>
      client.lock.update({
        where: pick<object>({ id: small() }, { folderId: folderId() }),
        data: { folder: toFolder() },
      }),
    (client) =>
      client.lock.upsert({
        where: { id: small() },
        create: { id: small(), folderId: folderId() },
        update: { id: small() },
      }),
    (client) =>
      client.tag.upsert({
        where: { id: small() },
        create: { id: small() },
        update: {
          folders: pick<object>(
            { set: [] },
            { connect: { id: folderId() } },
            { create: { name: 't' } },
            { deleteMany: {} },
          ),
        },
      }),
  )
}
