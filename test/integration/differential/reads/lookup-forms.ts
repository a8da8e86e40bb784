/** Each form of a query by the key of a lookup, or of a list, and what becomes of it. */
import { skip } from '@prisma/client/runtime/client'
import { Prisma } from './client/client.ts'
import { type Form, formsIn } from './form.ts'

const person = '5eed0000-0000-4000-a000-0000000000a1'
export const lookupForms: Form[] = []
const are = formsIn(lookupForms)

// Unique lookups
const place = { authorId: person, title: 'title 5' }
are(
  'answered',
  (prisma) => prisma.everything.findMany({ where: { citext: 'Citext' } }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: person } }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: person.replace(/1$/, '2') } }),
  (prisma) => prisma.pass.findUniqueOrThrow({ where: { holderId: person }, select: { number: true } }),
  (prisma) => prisma.pass.findFirst({ where: { holderId: person } }),
  (prisma) => prisma.pass.findFirst({ where: { holderId: { equals: person } }, take: 1 }),
  (prisma) => prisma.pass.findFirstOrThrow({ where: { holderId: person } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: person } }),
  (prisma) =>
    prisma.pass.findMany({ where: { holderId: { in: [person, person.replace(/1$/, '3'), person] } } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: { in: [] } } }),
  (prisma) => prisma.word.findMany({ where: { mood: 'CALM', n: { in: [1, 3, 3, 77] } } }),
  (prisma) => prisma.word.findMany({ where: { mood: 'CALM', n: { in: [] } } }),
  (prisma) => prisma.seat.findMany({ where: { hall: { in: ['A', 'a'] }, row: 1n, place: { equals: 0 } } }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: person, photo: undefined } }),
  (prisma) => prisma.seat.findUnique({ where: { label: 'A2' }, omit: { price: true } }),
  (prisma) => prisma.word.findUnique({ where: { position: { mood: 'CALM', n: 1 } } }),
  (prisma) => prisma.word.findUnique({ where: { position: { n: 1, mood: 'CALM' } } }),
  (prisma) => prisma.word.findFirst({ where: { mood: 'CALM', n: { equals: 1 } } }),
  (prisma) => prisma.article.findUnique({ where: { authorId_title: place } }),
  (prisma) => prisma.article.findFirst({ where: place }),
  (prisma) => prisma.article.findMany({ where: { OR: [place, { ...place, title: 'title 10' }, place] } }),
)
are('not_found', (prisma) =>
  prisma.pass.findUniqueOrThrow({ where: { holderId: person.replace(/1$/, '2') } }),
)
are(
  'condition',
  (prisma) => prisma.word.findUnique({ where: { mood_n: { mood: 'CALM', n: 1 } } as never }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: undefined as never } }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: skip as never } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: undefined } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: skip as never } }),
  (prisma) => prisma.pass.findFirst({ where: { holderId: { not: person } }, orderBy: { number: 'asc' } }),
  (prisma) => prisma.seat.findFirst({ where: { label: { equals: 'a2', mode: 'insensitive' } } }),
  (prisma) => prisma.seat.findMany({ where: { label: { in: ['a2'], mode: 'insensitive' } } }),
  (prisma) => prisma.seat.findFirst({ where: { label: { startsWith: 'B:3' } } }),
)
are(
  'answered',
  (prisma) => prisma.pass.findUnique({ where: { holderId: person, number: 1n } }),
  (prisma) => prisma.article.findFirst({ where: { ...place, rank: null } }),
  (prisma) => prisma.article.findFirst({ where: { AND: [place] } }),
)
are(
  'id_value',
  (prisma) => prisma.pass.findUnique({ where: { holderId: person.toUpperCase() } }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: 'no uuid' } }),
  (prisma) => prisma.pass.findUnique({ where: { holderId: null as never } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: null } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: { equals: null } } }),
  (prisma) => prisma.pass.findMany({ where: { holderId: { in: [person, null] as never } } }),
  (prisma) => prisma.seat.findFirst({ where: { label: 'A2\0' } }),
  (prisma) => prisma.seat.findFirst({ where: { label: { equals: prisma.seat.fields.hall } } }),
  (prisma) => prisma.word.findUnique({ where: { position: { mood: 'CALM', n: '1' as never } } }),
  (prisma) => prisma.word.findUnique({ where: { position: { mood: 'wild one' as never, n: 1 } } }),
  (prisma) => prisma.word.findUnique({ where: { position: { mood: 'CALM' } as never } }),
  (prisma) => prisma.article.findFirst({ where: { ...place, authorId: null } }),
)

// Lists: where
const byRank = [{ rank: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }] as const
const author = { authorId: person }
const created = new Date('2024-01-03T10:00:00.123Z')
const titles = ['title 0', 'title 2', 'title 4', 'new']
const ranked = { created, rank: { not: null }, title: { in: titles } }
const byTitle = [{ title: 'desc' }, { id: 'asc' }] as const
const inState = [{ row: 'desc' }, { hall: 'asc' }, { place: 'asc' }] as const
const price = new Prisma.Decimal('1.00010')
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank] }),
  (prisma) => prisma.article.findMany({ where: { authorId: { equals: person } }, orderBy: [...byRank] }),
  (prisma) =>
    prisma.article.findMany({ where: author, orderBy: [...byRank], select: { title: true, id: true } }),
  (prisma) =>
    prisma.article.findMany({
      where: { ...author, authorId: person.replace(/1$/, '9') },
      orderBy: [...byRank],
    }),
  (prisma) => prisma.article.findMany({ where: { ...author, isPublic: undefined }, orderBy: [...byRank] }),
  (prisma) => prisma.article.findMany({ where: ranked, orderBy: [...byTitle] }),
  (prisma) =>
    prisma.article.findMany({
      where: { title: { in: titles.toReversed() }, rank: { not: null }, created: { equals: created } },
      orderBy: [...byTitle],
    }),
  (prisma) => prisma.article.findMany({ where: { isPublic: true, created, rank: null } }),
  (prisma) => prisma.article.findMany({ where: { isPublic: true, created, rank: { equals: null } } }),
  (prisma) => prisma.seat.findMany({ where: { hall: 'A', state: 'WILD' }, orderBy: [...inState] }),
  (prisma) => prisma.seat.findMany({ where: { price, label: { not: null } }, orderBy: { place: 'asc' } }),
  (prisma) =>
    prisma.pass.findMany({ where: { photo: new Uint8Array([0, 255]) }, orderBy: { number: 'asc' } }),
  (prisma) => prisma.pass.findMany({ where: { photo: Buffer.from([0, 255]) }, orderBy: { number: 'asc' } }),
  (prisma) => prisma.everything.findMany({ where: { date: new Date('2024-02-29') } }),
)
are(
  'condition',
  (prisma) => prisma.article.findMany({ where: { authorId: undefined }, orderBy: [...byRank] }),
  (prisma) => prisma.article.findMany({ where: { authorId: { not: person } }, orderBy: [...byRank] }),
  (prisma) => prisma.article.findMany({ where: { created, title: { in: titles } }, orderBy: [...byTitle] }),
  (prisma) => prisma.article.findMany({ where: { ...ranked, rank: null }, orderBy: [...byTitle] }),
  (prisma) => prisma.article.findMany({ where: { ...ranked, rank: undefined }, orderBy: [...byTitle] }),
  (prisma) => prisma.article.findMany({ where: { ...ranked, rank: skip as never }, orderBy: [...byTitle] }),
  (prisma) =>
    prisma.article.findMany({ where: { ...ranked, title: { in: titles.slice(1) } }, orderBy: [...byTitle] }),
  (prisma) =>
    prisma.article.findMany({ where: { ...ranked, title: { in: [...titles, 'x'] } }, orderBy: [...byTitle] }),
  (prisma) =>
    prisma.article.findMany({
      where: { ...ranked, title: { in: titles, mode: 'insensitive' } },
      orderBy: [...byTitle],
    }),
  (prisma) => prisma.everything.findMany({ where: { stamp6: new Date('2024-02-29T12:30:00.123Z') } }),
)
are(
  'id_value',
  (prisma) => prisma.seat.findMany({ where: { price, label: null }, orderBy: { place: 'asc' } }),
  (prisma) => prisma.seat.findMany({ where: { price, label: { equals: { not: null } as never } } }),
  (prisma) =>
    prisma.seat.findMany({ where: { price: { equals: { equals: price } as never }, label: { not: null } } }),
)
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: { AND: [author] }, orderBy: [...byRank] }),
  (prisma) => prisma.article.findMany({ where: { authorId: { in: [person] } }, orderBy: [...byRank] }),
  (prisma) => prisma.article.findFirst({ where: author, orderBy: [...byRank] }),
)
are(
  'id_value',
  (prisma) => prisma.article.findMany({ where: { authorId: null }, orderBy: [...byRank] }),
  (prisma) => prisma.article.findMany({ where: { authorId: person.toUpperCase() }, orderBy: [...byRank] }),
  (prisma) =>
    prisma.article.findMany({ where: { ...ranked, created: created.toISOString() }, orderBy: [...byTitle] }),
  (prisma) => prisma.seat.findMany({ where: { price: 1.0001, label: { not: null } } }),
  (prisma) => prisma.seat.findMany({ where: { price: '1.0001', label: { not: null } } }),
  (prisma) => prisma.everything.findMany({ where: { date: new Date('2024-02-29T12:00:00Z') } }),
  (prisma) => prisma.everything.findMany({ where: { date: '2024-02-29T00:00:00Z' } }),
  (prisma) => prisma.maybe.findMany({ where: { bool: null } }),
)
are('fields', (prisma) => prisma.person.findMany({ where: { bossId: person } }))

// Lists: orderBy, take, skip
const best = { authorId: person, isPublic: true }
const newest = { where: { isPublic: true }, orderBy: [{ created: 'desc' }, { id: 'desc' }] } as const
const ordered = newest as unknown as {
  where: { isPublic: boolean }
  orderBy: Prisma.ArticleOrderByWithRelationInput[]
}
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: best, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: 2 }),
  (prisma) =>
    prisma.article.findMany({ where: best, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: 2, skip: 0 }),
  (prisma) => prisma.word.findMany({ where: { mood: 'WILD' }, orderBy: { n: 'desc' }, take: 3 }),
  (prisma) => prisma.word.findMany({ where: { mood: 'GREY' }, orderBy: [{ n: 'desc' }], take: 3 }),
  (prisma) => prisma.article.findMany({ ...ordered, take: 1 }),
  (prisma) => prisma.article.findFirst(ordered),
  (prisma) => prisma.article.findFirst({ ...ordered, take: 1 }),
  (prisma) => prisma.article.findFirstOrThrow({ ...ordered, select: { id: true } }),
  (prisma) =>
    prisma.person.findMany({
      where: { bossId: person },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
      omit: { secret: true },
    }),
  (prisma) =>
    prisma.review.findMany({
      where: { articleId: 4 },
      orderBy: [{ note: { sort: 'asc', nulls: 'first' } }, { personId: 'desc' }],
    }),
  (prisma) =>
    prisma.review.findMany({
      where: { articleId: 4 },
      orderBy: [{ note: { sort: 'asc', nulls: 'first' } }, { personId: 'desc' }, { articleId: 'asc' }],
    }),
)
are(
  'order',
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank, { title: 'asc' }] }),
  (prisma) => prisma.article.findFirst({ ...ordered, orderBy: { created: 'desc' } }),
  (prisma) =>
    prisma.seat.findMany({
      where: { hall: 'A', state: 'WILD' },
      orderBy: { row: { sort: 'desc' } as never },
    }),
)
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: author, orderBy: [] }),
  (prisma) => prisma.article.findMany({ where: author }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: { id: 'asc' } }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [{ rank: 'desc' }, { id: 'asc' }] }),
  (prisma) =>
    prisma.article.findMany({ where: author, orderBy: [{ rank: { sort: 'desc' } }, { id: 'asc' }] }),
  (prisma) =>
    prisma.article.findMany({
      where: author,
      orderBy: [{ rank: { sort: 'desc', nulls: 'first' } }, { id: 'asc' }],
    }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [byRank[0], { id: 'desc' }] }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank].toReversed() }),
)
are(
  'paging',
  (prisma) => prisma.article.findMany({ where: best, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: -2 }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank], cursor: { id: 1 } }),
  (prisma) =>
    prisma.article.findMany({
      where: { ...author, title: { not: 'title 10' } },
      orderBy: [...byRank],
      cursor: { id: 10 },
    }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank], distinct: 'rank' }),
)
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank], take: 2 }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank], skip: 1 }),
  (prisma) => prisma.article.findMany({ where: author, orderBy: [...byRank], cursor: { id: 10 } }),
  (prisma) =>
    prisma.article.findMany({
      where: { ...author, title: { not: 'title 10' } },
      orderBy: [{ created: 'desc' }, { id: 'asc' }],
      cursor: { id: 10 },
    }),
  (prisma) => prisma.article.findMany({ where: best, orderBy: [{ rank: 'desc' }, { id: 'asc' }] }),
  (prisma) => prisma.article.findMany({ where: best, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: 1 }),
  (prisma) =>
    prisma.article.findMany({ where: best, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: 2, skip: 1 }),
)
are(
  'transaction',
  (prisma) => prisma.$transaction([prisma.pass.findUnique({ where: { holderId: person } })]),
  (prisma) => prisma.$transaction((tx) => tx.article.findMany({ where: author, orderBy: [...byRank] })),
)
