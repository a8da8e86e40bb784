/** Each form in which a query asks for rows of relations, and what becomes of it. */
import { type Form, formsIn } from './form.ts'

const person = '5eed0000-0000-4000-a000-0000000000a1'
export const composedForms: Form[] = []
const are = formsIn(composedForms)

const shown = { omit: { secret: true } } as const
const one = { where: { id: person }, ...shown } as const
const byRank = [{ rank: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }] as const
const byNote = [{ note: { sort: 'asc', nulls: 'first' } }, { personId: 'desc' }] as const
const articles = { orderBy: [...byRank] }

// Relations of one row
are(
  'answered',
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { author: shown } }),
  (prisma) => prisma.article.findUnique({ where: { id: 77 }, include: { author: shown } }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [1, 2, 3, 4, 5, 9] } }, include: { author: shown } }),
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, select: { author: { select: { name: true } }, id: true } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { author: { select: { id: true } } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { author: false } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, select: { id: true, author: false } }),
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, omit: { authorId: true }, include: { author: shown } }),
  (prisma) => prisma.person.findUnique({ ...one, include: { boss: shown } }),
  (prisma) => prisma.person.findUnique({ ...one, include: { pass: true } }),
  (prisma) =>
    prisma.pass.findMany({
      where: { number: { in: [1n, 2n, -3n] } },
      include: { holder: { ...shown, include: { pass: true } } },
    }),
  (prisma) =>
    prisma.review.findMany({
      where: { personId: person, note: 'note' },
      orderBy: [{ articleId: 'desc' }, { personId: 'asc' }],
      include: { article: { include: { author: shown } }, person: shown },
    }),
)
are(
  'relations',
  (prisma) =>
    prisma.article.findUnique({ where: { id: 1 }, include: { author: { where: { name: 'x' }, ...shown } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { tags: true } }),
  (prisma) =>
    prisma.article.findUnique({
      where: { id: 1 },
      include: { author: { ...shown, include: { tags: true } } },
    }),
)

// Relations with lists
are(
  'answered',
  (prisma) => prisma.person.findUnique({ ...one, include: { articles } }),
  (prisma) => prisma.person.findUnique({ ...one, include: { articles: { ...articles, take: 2, skip: 1 } } }),
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: { articles: { ...articles, take: Number.MAX_SAFE_INTEGER } },
    }),
  (prisma) =>
    prisma.person.findUnique({ ...one, include: { articles: { ...articles, cursor: { id: 5 }, take: 2 } } }),
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: { articles: { ...articles, where: { rank: { not: null }, isPublic: false } } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: {
        articles: { where: { isPublic: true }, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: 2 },
      },
    }),
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: { articles: { orderBy: [{ created: 'desc' }, { id: 'asc' }], take: 1 } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      select: {
        articles: { ...articles, select: { title: true, reviews: { orderBy: [...byNote] } } },
        name: true,
      },
    }),
  (prisma) =>
    prisma.person.findMany({
      where: { id: { in: [1, 2, 3].map((n) => person.replace(/1$/, String(n))) } },
      orderBy: { id: 'asc' },
      ...shown,
      include: {
        articles: { ...articles, include: { author: shown, _count: { select: { reviews: true } } } },
      },
    }),
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: {
        reports: { orderBy: [{ name: 'asc' }, { id: 'asc' }], ...shown, include: { boss: shown } },
      },
    }),
  (prisma) =>
    prisma.article.findMany({
      where: { authorId: person },
      orderBy: [...byRank],
      include: { reviews: { orderBy: [...byNote], include: { person: shown } } },
    }),
)
// By a unique key of an article, or of a review.
are(
  'answered',
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: {
        articles: { where: { title: 'title 5' } },
        _count: { select: { articles: { where: { title: 'title 5', rank: null } } } },
      },
    }),
  (prisma) =>
    prisma.article.findMany({
      where: { id: { in: [1, 2, 3, 4] } },
      orderBy: { id: 'asc' },
      include: {
        reviews: {
          where: { personId: person, note: null },
          take: 1,
          orderBy: { articleId: 'asc' },
          select: { score: true },
        },
      },
    }),
)
are(
  'paging',
  (prisma) => prisma.person.findUnique({ ...one, include: { articles: { ...articles, take: -1 } } }),
  (prisma) => prisma.person.findUnique({ ...one, include: { articles: { ...articles, distinct: 'rank' } } }),
)
are('order', (prisma) =>
  prisma.person.findUnique({
    ...one,
    include: { articles: { orderBy: [{ title: 'asc' }, { id: 'asc' }] } },
  }),
)
are('condition', (prisma) =>
  prisma.person.findUnique({
    ...one,
    include: { articles: { ...articles, where: { title: { contains: '1' } } } },
  }),
)

// Relations with a join table
are(
  'answered',
  (prisma) =>
    prisma.article.findUnique({
      where: { id: 1 },
      include: { topics: { orderBy: [{ word: 'desc' }, { id: 'asc' }] } },
    }),
  (prisma) =>
    prisma.article.findUnique({
      where: { id: 1 },
      include: {
        topics: { where: { id: { gt: 2 } }, orderBy: { id: 'desc' } },
        _count: { select: { topics: true } },
      },
    }),
  (prisma) =>
    prisma.topic.findMany({
      where: { id: { in: [1, 2, 7] } },
      include: { articles: { orderBy: { id: 'asc' }, include: { topics: { orderBy: { id: 'asc' } } } } },
    }),
  (prisma) =>
    prisma.article.findMany({
      where: { topics: { some: { id: 3 } } },
      orderBy: [{ created: 'asc' }, { id: 'asc' }],
    }),
  (prisma) =>
    prisma.article.findMany({
      where: { topics: { some: { id: { equals: 3 } } }, isPublic: true },
      orderBy: { id: 'asc' },
    }),
  (prisma) => prisma.article.count({ where: { topics: { some: { id: 3 } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: 1, word: 'word 1' } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: 77 } } } }),
)
are(
  'condition',
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: { in: [1, 2] } } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: {} } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { none: { id: 1 } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: 1 }, every: { id: 1 } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { word: 'word 1' } } } }),
)

// Conditions on relations
are(
  'answered',
  (prisma) => prisma.article.findUnique({ where: { id: 4, author: { name: 'name 2' } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 4, author: { is: { name: 'name 1' } } } }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [1, 4, 5] }, author: { isNot: { name: 'name 2' } } } }),
  (prisma) =>
    prisma.article.findMany({
      where: { id: { in: [1, 4, 5, 8, 9] }, author: { isNot: { nick: 'nick 4' } } },
    }),
  (prisma) =>
    prisma.article.findMany({ where: { id: { in: [1, 4, 5, 8, 9] }, NOT: { author: { nick: 'nick 4' } } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 4, 5, 8, 9] }, author: { nick: null } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 4] }, author: null } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 4] }, author: { is: null } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 4] }, author: { isNot: null } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 4] }, author: { is: {} } } }),
  (prisma) => prisma.article.findMany({ where: { id: { in: [1, 4] }, author: { isNot: {} } } }),
  (prisma) =>
    prisma.article.findMany({
      where: { id: { in: [1, 4] }, author: { is: { mood: 'CALM' }, isNot: { nick: null } } },
    }),
  (prisma) => prisma.person.findUnique({ where: { id: person, pass: null }, ...shown }),
  (prisma) => prisma.person.findUnique({ where: { id: person, pass: { isNot: null } }, ...shown }),
  (prisma) => prisma.person.findUnique({ where: { id: person, pass: { is: { number: 1n } } }, ...shown }),
  (prisma) => prisma.person.findUnique({ where: { id: person, articles: { some: {} } }, ...shown }),
  (prisma) =>
    prisma.person.findUnique({ where: { id: person, articles: { some: { isPublic: true } } }, ...shown }),
  (prisma) => prisma.person.findUnique({ where: { id: person, articles: { none: { rank: 2 } } }, ...shown }),
  (prisma) => prisma.person.findUnique({ where: { id: person, articles: { every: { rank: 0 } } }, ...shown }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person, articles: { some: { rank: 0 }, none: { id: 77 } } },
      ...shown,
    }),
  // By a unique key of an article.
  (prisma) =>
    prisma.person.findFirst({ where: { id: person, articles: { some: { title: 'title 5' } } }, ...shown }),
  (prisma) =>
    prisma.person.findFirst({
      where: { id: person, NOT: { articles: { none: { title: 'title 5', rank: null } } } },
      ...shown,
    }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, reviews: { some: { personId: person } } } }),
  (prisma) => prisma.article.count({ where: { id: { in: [1, 2, 3] }, topics: { some: { id: 1 } } } }),
  (prisma) =>
    prisma.article.findMany({
      where: { authorId: person, OR: [{ rank: 0 }, { topics: { none: {} } }] },
      orderBy: { id: 'asc' },
    }),
  (prisma) =>
    prisma.article.findUnique({
      where: { id: 5, author: { boss: null, articles: { some: { reviews: { every: { note: 'note' } } } } } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      ...one,
      include: { articles: { where: { reviews: { some: { note: null } } }, orderBy: [...byRank] } },
    }),
)
are(
  'condition',
  (prisma) => prisma.article.findUnique({ where: { id: 1, author: {} } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, tags: { some: {} } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, author: { name: { contains: 'x' } } } }),
  (prisma) => prisma.article.findUnique({ where: { id: 1, reviews: {} } }),
  (prisma) => prisma.review.findMany({ where: { personId: person, note: 'note', article: null as never } }),
  (prisma) => prisma.person.findUnique({ where: { id: person, articles: { every: {} } }, ...shown }),
)

// Rows to which others lead
are(
  'answered',
  (prisma) => prisma.article.findMany({ where: { author: { id: person } } }),
  (prisma) =>
    prisma.article.findMany({
      where: { author: { is: { id: person } }, isPublic: true },
      orderBy: { id: 'desc' },
      take: 1,
    }),
  (prisma) => prisma.article.findMany({ where: { author: { id: person, name: 'none' } } }),
  (prisma) =>
    prisma.article.findMany({
      where: { author: { id: person }, isPublic: true },
      orderBy: [{ rank: 'desc' }, { id: 'asc' }],
      take: 2,
    }),
  (prisma) =>
    prisma.article.count({ where: { author: { id: { in: [person, person.replace(/1$/, '2')] } }, rank: 0 } }),
  (prisma) =>
    prisma.article.findMany({ where: { author: { pass: { number: 1n } } }, include: { author: shown } }),
  (prisma) =>
    prisma.person.findMany({ where: { articles: { some: { id: { in: [4, 5, 8, 9] } } } }, ...shown }),
  (prisma) =>
    prisma.person.findMany({
      where: { articles: { some: { id: { in: [4, 5, 8, 9] } } } },
      ...shown,
      orderBy: { id: 'desc' },
      take: 1,
    }),
  (prisma) => prisma.person.findFirst({ where: { pass: { number: 1n } }, ...shown }),
  (prisma) => prisma.person.findFirst({ where: { pass: { number: 77n } }, ...shown }),
  (prisma) => prisma.pass.findFirst({ where: { holder: { id: person } } }),
  (prisma) => prisma.review.findMany({ where: { article: { id: 4, author: null }, note: 'note' } }),
  (prisma) =>
    prisma.topic.findMany({ where: { articles: { some: { authorId: person, title: 'title 5' } } } }),
)
are(
  'condition',
  (prisma) => prisma.article.findMany({ where: { author: { isNot: { id: person } } } }),
  (prisma) => prisma.article.findMany({ where: { author: { is: { id: person }, isNot: null } } }),
  (prisma) => prisma.person.findMany({ where: { articles: { every: { id: 4 } } }, ...shown }),
  (prisma) => prisma.topic.findMany({ where: { articles: { some: { authorId: person } } } }),
)
are('order', (prisma) =>
  prisma.person.findFirst({ where: { articles: { some: { id: { in: [4, 5, 8, 9] } } } }, ...shown }),
)

// Numbers of rows
are(
  'answered',
  (prisma) =>
    prisma.person.findUnique({ ...one, include: { _count: { select: { articles: true, reports: true } } } }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      select: { _count: { select: { articles: { where: { isPublic: true } } } }, id: true },
    }),
  (prisma) => prisma.article.count({ where: { authorId: person } }),
  (prisma) => prisma.article.count({ where: { authorId: person, rank: { gt: 1 } } }),
  (prisma) => prisma.article.count({ where: { authorId: { in: [person, person.replace(/1$/, '2')] } } }),
  (prisma) => prisma.article.count({ where: { id: { in: [1, 2, 77] }, isPublic: true } }),
  (prisma) => prisma.article.count({ where: { id: 77 } }),
)
are(
  'relations',
  (prisma) => prisma.person.findUnique({ ...one, include: { _count: true } }),
  (prisma) => prisma.person.findUnique({ ...one, include: { _count: { select: { tags: true } } } }),
)
are(
  'condition',
  (prisma) => prisma.article.count(),
  (prisma) => prisma.article.count({ where: { title: { contains: '1' } } }),
)
are('argument', (prisma) =>
  prisma.article.count({ where: { authorId: person }, select: { _all: true, rank: true } }),
)
are('paging', (prisma) => prisma.article.count({ where: { authorId: person }, take: 1 }))
are('transaction', (prisma) =>
  prisma.$transaction((tx) => tx.article.findUnique({ where: { id: 1 }, include: { author: shown } })),
)
