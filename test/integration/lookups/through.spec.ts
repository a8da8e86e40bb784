import { useLookupWorlds } from './lookup-pods.js'
import { keptBy, type Write } from './through-lists.js'

const newWorld = useLookupWorlds()

const all = ['post', 'label', 'team']
const without = (lost: string): string[] => all.filter((cache) => cache !== lost)
const post = { id: 2n }
const l1 = { name: 'l1' }
const labelsOf =
  (labels: object, where: object = post): Write =>
  (prisma) =>
    prisma.post.update({ where: where as never, data: { labels } })
const postsOf =
  (posts: object, where: object = l1): Write =>
  (prisma) =>
    prisma.label.update({ where: where as never, data: { posts } })

const similar =
  (similar: object): Write =>
  (prisma) =>
    prisma.label.update({ where: l1, data: { similar } })
const teams =
  (teams: object): Write =>
  (prisma) =>
    prisma.account.update({ where: { id: 1 }, data: { teams } })
const newLabel = { name: 'new' }
const l1Or = (name: string) => ({ where: { name }, create: { name } })
const newPost = { slug: 'new', title: 'a' }

/** Writes, and the caches whose lists they keep, if not those of all. */
type Cases = readonly [what: string, write: Write, kept?: readonly string[]][]

const itKeeps = (title: string, cases: Cases): void =>
  it.each(cases)(title, async (_, write, kept = all) => {
    expect(await keptBy(await newWorld(), write)).toEqual(kept)
  })

describe('lists through a relation are those of the database in all processes', () => {
  itKeeps('after %s in a row that they list', [
    ['connect', labelsOf({ connect: { name: 'l2' } })],
    ['disconnect', labelsOf({ disconnect: l1 })],
    ['set', labelsOf({ set: [{ name: 'l3' }] })],
    ['set of none', labelsOf({ set: [] })],
    ['connectOrCreate of a row', labelsOf({ connectOrCreate: l1Or('l4') })],
    ['connectOrCreate of none', labelsOf({ connectOrCreate: l1Or('new') }), without('label')],
    ['create', labelsOf({ create: newLabel }), without('label')],
    ['upsert', labelsOf({ upsert: { ...l1Or('new'), update: {} } }), without('label')],
    ['update of a key', labelsOf({ update: { where: l1, data: newLabel } }), without('label')],
    ['delete', labelsOf({ delete: l1 }), without('post')],
    ['deleteMany', labelsOf({ deleteMany: { colour: 'blue' } }), without('post')],
    [
      'connect, in a new row',
      (prisma) => prisma.post.create({ data: { ...newPost, labels: { connect: l1 } } }),
    ],
    [
      'connect, in an update of another row',
      (prisma) =>
        prisma.account.update({
          where: { id: 3 },
          data: { posts: { update: { where: post, data: { labels: { connect: { name: 'l2' } } } } } },
        }),
    ],
  ])

  itKeeps('after %s in the row that is their key', [
    ['connect', postsOf({ connect: { id: 3n } })],
    ['connect by another key', postsOf({ connect: { address: { authorId: 4, slug: 'p3' } } })],
    ['disconnect', postsOf({ disconnect: post })],
    ['disconnect of several', postsOf({ disconnect: [post, { id: 5n }] })],
    ['set', postsOf({ set: [{ id: 3n }, { id: 5n }] })],
    ['create', postsOf({ create: newPost })],
    ['delete', postsOf({ delete: post })],
    ['update of an order', postsOf({ update: { where: post, data: { title: 'z' } } }), without('post')],
    [
      'updateMany of a condition',
      postsOf({ updateMany: { where: {}, data: { editorId: 2 } } }),
      without('post'),
    ],
    [
      'connect, in a new row',
      (prisma) => prisma.label.create({ data: { name: 'new', posts: { connect: post } } }),
      without('label'),
    ],
  ])

  itKeeps('after %s', [
    ['a delete of their key', (prisma) => prisma.post.delete({ where: post })],
    [
      'a delete of their key by another',
      (prisma) => prisma.post.delete({ where: { address: { authorId: 3, slug: 'p2' } } }),
    ],
    ['a deleteMany of their keys', (prisma) => prisma.post.deleteMany({ where: { id: { in: [2n, 3n] } } })],
    ['a deleteMany by a condition', (prisma) => prisma.post.deleteMany({ where: { title: 'title 2' } })],
    ['a cascade to their keys', (prisma) => prisma.label.delete({ where: l1 }), without('post')],
    [
      'a change of their key',
      (prisma) => prisma.post.update({ where: post, data: { id: 9n } }),
      without('post'),
    ],
    [
      'a change of their order',
      (prisma) => prisma.post.update({ where: post, data: { title: 'z' } }),
      without('post'),
    ],
    [
      'a change of many',
      (prisma) => prisma.post.updateMany({ where: {}, data: { title: 'z' } }),
      without('post'),
    ],
    [
      'a row that comes to fulfil their condition',
      (prisma) => prisma.post.updateMany({ where: { id: 3n }, data: { editorId: null } }),
      without('post'),
    ],
    [
      'a row that is deleted and created again, with its id',
      async (prisma) => {
        await prisma.post.delete({ where: { id: 5n } })
        await prisma.post.create({ data: { id: 5n, slug: 'p1', title: 'title 5' } })
      },
      without('post'),
    ],
    [
      'a row that is deleted and created again, by SQL that names no columns',
      async (prisma) => {
        await prisma.label.delete({ where: l1 })
        await prisma.$executeRawUnsafe(`INSERT INTO "Label" VALUES ('l1')`)
      },
      ['team'],
    ],
  ])

  itKeeps('after %s between rows of one model', [
    ['connect', similar({ connect: { name: 'l5' } })],
    ['disconnect', similar({ disconnect: { name: 'l2' } })],
    ['set', similar({ set: [{ name: 'l4' }] })],
    [
      'set in the other direction',
      (prisma) => prisma.label.update({ where: l1, data: { similarTo: { set: [] } } }),
    ],
  ])

  // A pair with such a key ends all lists through its relation.
  itKeeps('by keys that no argument shows, after %s', [
    ['connect', teams({ connect: { code: '1.25' } }), without('team')],
    ['connect by another key', teams({ connect: { name: 'team 1' } }), without('team')],
    ['disconnect', teams({ disconnect: { name: 'team 2' } }), without('team')],
    ['a delete', (prisma) => prisma.team.delete({ where: { name: 'team 2' } })],
    ['a delete at the other side', (prisma) => prisma.account.delete({ where: { id: 6 } })],
  ])

  itKeeps('after %s of several writes', [
    [
      'a batch',
      (prisma) =>
        prisma.$transaction([
          prisma.post.update({ where: post, data: { labels: { disconnect: l1 } } }),
          prisma.label.update({ where: { name: 'l4' }, data: { posts: { connect: post } } }),
        ]),
    ],
    [
      'a transaction',
      (prisma) =>
        prisma.$transaction(async (tx) => {
          await tx.post.update({ where: post, data: { labels: { disconnect: l1 } } })
          await tx.post.delete({ where: { id: 5n } })
        }),
    ],
  ])
})
