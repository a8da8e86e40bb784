/** Each form that Prisma's reference has for the queries that caches may answer, and what becomes of it. */
import { skip } from '@prisma/client/runtime/client'
import { Prisma } from './client/client.ts'
import { type Form, formsIn } from './form.ts'
import { composedForms } from './composed-forms.ts'
import { lookupForms } from './lookup-forms.ts'

const person = '5eed0000-0000-4000-a000-0000000000a1'
export const forms: Form[] = [...lookupForms, ...composedForms]
const are = formsIn(forms)

// findUnique and findUniqueOrThrow: where
are(
  'answered',
  (prisma) => prisma.article.findUnique({ where: { id: 1 } }),
  (prisma) => prisma.article.findUnique({ where: { id: 77 } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, title: undefined } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, title: skip as never } }),
  (prisma) => prisma.article.findUnique({ where: Object.assign(new Map(), { id: 1 }) }),
  (prisma) => prisma.article.findUniqueOrThrow({ where: { id: 1 } }),
  (prisma) => prisma.pass.findUnique({ where: { number: 1n } }),
  (prisma) => prisma.pass.findUnique({ where: { number: 9_007_199_254_740_993n } }),
  (prisma) => prisma.lists.findUnique({ where: { id: 'all' } }),
  (prisma) => prisma.review.findUnique({ where: { articleId_personId: { articleId: 1, personId: person } } }),
  (prisma) => prisma.review.findUnique({ where: { articleId_personId: { personId: person, articleId: 1 } } }),
  (prisma) => prisma.seat.findUnique({ where: { address: { hall: 'A', row: 1n, place: 0 } } }),
  (prisma) => prisma.word.findUnique({ where: { text_mood: { text: 'a', mood: 'CALM' } } }),
  (prisma) => prisma.person.findUnique({ where: { id: person }, omit: { secret: true } }),
)
are('not_found', (prisma) => prisma.article.findUniqueOrThrow({ where: { id: 77 } }))
are(
  'condition',
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, include: { reviews: { where: { score: 0 }, take: 1 } } }),
  (prisma) => prisma.article.findUnique({ where: { id: undefined as never } }),
  (prisma) => prisma.article.findUnique({ where: { id: skip as never } }),
)
are(
  'answered',
  (prisma) => prisma.article.findUnique({ where: { id: 1, isPublic: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, rank: { gt: 0 } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, AND: [] } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, OR: [{ title: 'title 1' }] } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, NOT: { title: 'title 1' } } }),
  (prisma) => prisma.tag.findUnique({ where: { name: 'red' } }),
)
are('fields', (prisma) => prisma.person.findUnique({ where: { email: 'P1@x.org' } }))
are(
  'id_value',
  (prisma) => prisma.person.findUnique({ where: { id: person.toUpperCase() }, omit: { secret: true } }),
  (prisma) => prisma.person.findUnique({ where: { id: 'no uuid' }, omit: { secret: true } }),
  (prisma) => prisma.code.findUnique({ where: { code: 'abcd' } }),
  (prisma) =>
    prisma.team.findUnique({
      where: { name: 'BLUES' },
      include: { fans: { orderBy: { id: 'desc' }, cursor: { id: 5 } } },
    }),
  (prisma) => prisma.code.findUnique({ where: { code: 'ab' } }),
  (prisma) => prisma.article.findUnique({ where: { id: 2 ** 31 } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1.5 } }),
  (prisma) => prisma.article.findUnique({ where: { id: '1' as never } }),
  (prisma) => prisma.article.findUnique({ where: { id: null as never } }),
)

// What comes back: select, omit, include
are(
  'answered',
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { title: true, id: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { title: true, id: false } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, omit: { title: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, omit: { title: false } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, omit: {} }),
)
are(
  'relations',
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { _count: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { tags: { select: { name: true } } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { id: true, _count: true } }),
)
are(
  'fields',
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { author: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { author: true } }),
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, include: { author: true }, omit: { title: true } }),
)
are(
  'answered',
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, include: { _count: { select: { reviews: true } } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: {} }),
)
are(
  'fields',
  (prisma) => prisma.person.findUnique({ where: { id: person } }),
  (prisma) => prisma.person.findUnique({ where: { id: person }, select: { id: true, secret: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: {} }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { id: false } }),
)
are(
  'argument',
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, relationLoadStrategy: 'query' } as never),
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, select: { id: true }, omit: { title: true } } as never),
)

// findFirst and findFirstOrThrow
are(
  'answered',
  (prisma) => prisma.article.findFirst({ where: { id: 1 } }),
  (prisma) => prisma.article.findFirst({ where: { id: { equals: 1 } } }),
  (prisma) => prisma.article.findFirst({ where: { id: 77 } }),
  (prisma) => prisma.article.findFirst({ where: { id: 1 }, take: 1 }),
  (prisma) => prisma.article.findFirst({ where: { id: 1 }, orderBy: { id: 'asc' } }),
  (prisma) => prisma.article.findFirst({ where: { id: { in: [1, 2, 3] } }, orderBy: { id: 'desc' } }),
  (prisma) =>
    prisma.article.findFirst({ where: { id: { in: [1, 2, 3] } }, orderBy: { id: 'desc' }, skip: 1 }),
  (prisma) => prisma.article.findFirst({ where: { id: { in: [] } } }),
  (prisma) => prisma.article.findFirstOrThrow({ where: { id: 1 } }),
  (prisma) => prisma.seat.findFirst({ where: { hall: 'A', row: 1n, place: 0 } }),
  (prisma) => prisma.seat.findFirst({ where: { place: 0, row: { equals: 1n }, hall: 'A' } }),
)
are(
  'not_found',
  (prisma) => prisma.article.findFirstOrThrow({ where: { id: 77 } }),
  (prisma) => prisma.article.findFirstOrThrow({ where: { id: { in: [] } } }),
)
are(
  'condition',
  (prisma) => prisma.article.findFirst(),
  (prisma) => prisma.article.findFirst({}),
  (prisma) => prisma.article.findFirst({ where: {} }),
  (prisma) => prisma.article.findFirst({ where: { title: 'title 1' } }),
  (prisma) => prisma.seat.findFirst({ where: { hall: 'A', row: 1n } }),
)
are('order', (prisma) => prisma.article.findFirst({ where: { authorId: person } }))
are('answered', (prisma) => prisma.seat.findFirst({ where: { hall: 'A', row: 1n, place: 0, state: 'CALM' } }))
are('order', (prisma) => prisma.article.findFirst({ where: { id: { in: [1, 2] } } }))
are(
  'paging',
  (prisma) => prisma.article.findFirst({ where: { id: 1 }, take: -1 }),
  (prisma) => prisma.article.findFirst({ where: { id: 1 }, distinct: 'title' }),
)
are('answered', (prisma) => prisma.article.findFirst({ where: { id: 1 }, cursor: { id: 1 } }))

// findMany: where
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: { id: 1 } }),
  (prisma) => prisma.article.findMany({ where: { id: { equals: 1 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [] } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 3, 77] } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1] } }, select: { title: true } }),
  (prisma) => prisma.article.findMany({ where: { OR: [{ id: 1 }, { id: { in: [2, 3] } }] } }),
  (prisma) => prisma.article.findMany({ where: { OR: [] } }),
  (prisma) =>
    prisma.review.findMany({
      where: {
        OR: [
          { articleId: 1, personId: person },
          { articleId: 2, personId: person },
        ],
      },
    }),
)
are(
  'condition',
  (prisma) => prisma.article.findMany(),
  (prisma) => prisma.article.findMany({ where: {} }),
  (prisma) => prisma.article.findMany({ where: { NOT: { id: 1 } } }),
  (prisma) => prisma.article.findMany({ where: { OR: [{ id: 1 }, { title: 'title 2' }] } }),
  (prisma) => prisma.article.findMany({ where: { id: { not: 1 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { not: { in: [1] } } } }),
  (prisma) => prisma.article.findMany({ where: { id: { notIn: [1] } } }),
  (prisma) => prisma.article.findMany({ where: { id: { lt: 3 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { lte: 3 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { gt: 3 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { gte: 3 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 2], gt: 1 } } }),
  (prisma) => prisma.article.findMany({ where: { title: { contains: 'tle', mode: 'insensitive' } } }),
  (prisma) => prisma.article.findMany({ where: { title: { startsWith: 'ti' } } }),
  (prisma) => prisma.article.findMany({ where: { title: { endsWith: '1' } } }),
  (prisma) => prisma.lists.findMany({ where: { id: { in: ['ALL'], mode: 'insensitive' } } }),
  (prisma) => prisma.article.findMany({ where: { rank: null } }),
  (prisma) => prisma.article.findMany({ where: { rank: { not: null } } }),
  (prisma) => prisma.article.findMany({ where: { rank: { equals: prisma.article.fields.id } } }),
  (prisma) => prisma.article.findMany({ where: { reviews: { some: { score: { gt: 0 } } } } }),
  (prisma) => prisma.article.findMany({ where: { reviews: { every: { note: null } } } }),
  (prisma) => prisma.article.findMany({ where: { tags: { none: {} } } }),
  (prisma) => prisma.article.findMany({ where: { author: { is: { name: 'name 1' } } } }),
  (prisma) => prisma.article.findMany({ where: { author: { isNot: null } } }),
  (prisma) => prisma.lists.findMany({ where: { text: { has: 'text' } } }),
  (prisma) => prisma.lists.findMany({ where: { int: { hasEvery: [1] } } }),
  (prisma) => prisma.lists.findMany({ where: { int: { hasSome: [1, 2] } } }),
  (prisma) => prisma.lists.findMany({ where: { bytes: { isEmpty: true } } }),
  (prisma) => prisma.lists.findMany({ where: { text: { equals: ['text'] } } }),
  (prisma) => prisma.word.findMany({ where: { gloss: { path: ['a', 'b'], array_contains: [1] } } }),
  (prisma) => prisma.word.findMany({ where: { gloss: { path: ['a', 'b'], array_starts_with: 1 } } }),
  (prisma) => prisma.word.findMany({ where: { gloss: { path: ['a', 'b'], array_ends_with: 1 } } }),
  (prisma) => prisma.everything.findMany({ where: { jsonb: { path: ['a'], string_contains: '2024' } } }),
  (prisma) => prisma.everything.findMany({ where: { jsonb: { path: ['a'], string_starts_with: '2024' } } }),
  (prisma) => prisma.everything.findMany({ where: { jsonb: { path: ['a'], string_ends_with: 'Z' } } }),
  (prisma) => prisma.word.findMany({ where: { gloss: { equals: Prisma.DbNull } } }),
  (prisma) => prisma.word.findMany({ where: { gloss: { not: Prisma.AnyNull } } }),
)
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: { AND: [{ id: 1 }] } }),
  (prisma) => prisma.article.findMany({ where: { AND: { id: 1 } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 2] }, title: 'title 1' } }),
)
are(
  'condition',
  (prisma) => prisma.everything.findMany({ where: { id: 1, smallint: 70_000 } }),
  (prisma) => prisma.everything.findMany({ where: { id: { in: [1, 2] }, oid: { gt: -1 } } }),
)
are(
  'id_value',
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, undefined as never] } } }),
  (prisma) => prisma.article.findMany({ where: { id: { equals: prisma.article.fields.rank as never } } }),
  (prisma) => prisma.pass.findMany({ where: { number: { in: [1n, 2n ** 63n] } } }),
)

// findMany: orderBy
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, orderBy: { id: 'asc' } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, orderBy: [{ id: 'desc' }] }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, orderBy: [] }),
  (prisma) => prisma.pass.findMany({ where: { number: { in: [2n, -3n, 1n] } }, orderBy: { number: 'desc' } }),
  (prisma) =>
    prisma.person.findMany({
      where: { id: { in: [person.replace(/1$/, '2'), person] } },
      orderBy: { id: 'asc' },
      omit: { secret: true },
    }),
  (prisma) =>
    prisma.review.findMany({
      where: { OR: [2, 1].map((articleId) => ({ articleId, personId: person })) },
      orderBy: [{ personId: 'asc' }, { articleId: 'desc' }],
    }),
)
are(
  'order',
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1] } }, orderBy: { title: 'asc' } }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [3, 1] } }, orderBy: { author: { name: 'asc' } } }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [3, 1] } }, orderBy: { reviews: { _count: 'desc' } } }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [3, 1] } }, orderBy: [{ title: 'asc' }, { id: 'asc' }] }),
  (prisma) => prisma.lists.findMany({ where: { id: { in: ['all', 'null'] } }, orderBy: { id: 'asc' } }),
)
are(
  'answered',
  (prisma) =>
    prisma.article.findMany({
      where: { id: { in: [3, 1] } },
      orderBy: { rank: { sort: 'asc', nulls: 'first' } },
    }),
  (prisma) =>
    prisma.article.findMany({
      where: { id: { in: [3, 1] } },
      orderBy: { rank: { sort: 'desc', nulls: 'last' } },
    }),
  (prisma) =>
    prisma.review.findMany({
      where: { OR: [2, 1].map((articleId) => ({ articleId, personId: person })) },
      orderBy: { articleId: 'asc' },
    }),
)

// findMany: take, skip, cursor, distinct
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, take: 5 }),
  // Prisma sends the lowest 32 bits.
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, take: Number.MAX_SAFE_INTEGER }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, take: 2 ** 31 }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, skip: 0 }),
  // Prisma orders a page by the primary key.
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, take: 2 }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, skip: 1 }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, cursor: { id: 2 } }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, orderBy: { id: 'asc' }, take: 2, skip: 1 }),
)
are(
  'paging',
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, orderBy: { id: 'asc' }, take: 2 ** 32 + 1 }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, orderBy: { id: 'asc' }, take: -2 }),
  (prisma) =>
    prisma.article.findMany({
      where: { id: { in: [3, 1, 2] } },
      distinct: ['isPublic'],
      orderBy: { id: 'asc' },
    }),
)
are('answered', (prisma) =>
  prisma.article.findMany({ where: { id: { in: [3, 1, 2] } }, cursor: { id: 1 }, orderBy: { id: 'asc' } }),
)
are('argument', (prisma) => prisma.article.findMany({ where: { id: 1 }, extra: true } as never))

// Fluent calls, transactions, clients, other operations
are(
  'answered',
  (prisma) => prisma.article.findUnique({ where: { id: 4 } }).author({ omit: { secret: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 77 } }).author({ select: { name: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 } }).author({ select: { name: true } }),
  (prisma) => prisma.article.findFirst({ where: { id: 4 } }).reviews({ orderBy: { personId: 'asc' } }),
  (prisma) => prisma.article.findFirst({ where: { id: 77 } }).reviews({ orderBy: { personId: 'asc' } }),
  (prisma) => prisma.person.findUniqueOrThrow({ where: { id: person } }).pass(),
  (prisma) =>
    prisma.pass
      .findUnique({ where: { number: 1n } })
      .holder()
      .pass(),
  (prisma) =>
    prisma.article
      .findUnique({ where: { id: 5 } })
      .author()
      .articles({ orderBy: { id: 'asc' }, select: { id: true } }),
)
are('fields', (prisma) => prisma.article.findUnique({ where: { id: 4 } }).author())
are('relations', (prisma) => prisma.article.findUnique({ where: { id: 4 } }).tags())
are(
  'transaction',
  (prisma) => prisma.$transaction([prisma.article.findUnique({ where: { id: 1 } })]),
  (prisma) => prisma.$transaction((tx) => tx.article.findUnique({ where: { id: 1 } })),
  (prisma) => prisma.$transaction(() => prisma.article.findUnique({ where: { id: 1 } })),
)
are('uncached', (prisma) => prisma.$uncached.article.findUnique({ where: { id: 1 } }))
are(
  'operation',
  (prisma) => prisma.article.aggregate({ where: { id: 1 }, _max: { rank: true } }),
  (prisma) => prisma.article.groupBy({ by: 'isPublic', where: { id: 1 }, _count: true }),
)
are('answered', (prisma) => prisma.article.count({ where: { id: 1 } }))
are(
  'error',
  (prisma) => prisma.unreadable.findUnique({ where: { id: 1 } }),
  (prisma) => prisma.unreadable.findUnique({ where: { id: 1 }, select: { title: true } }),
)
are(
  'not_registered',
  (prisma) => prisma.refused.findUnique({ where: { id: 1 } }),
  (prisma) => prisma.refused.findMany({ where: { id: { in: [] } } }),
)
are(
  'not counted',
  (prisma) => prisma.uncached.findUnique({ where: { id: 1 } }),
  (prisma) => prisma.$queryRaw`SELECT id FROM "Article" WHERE id = 1`,
)
