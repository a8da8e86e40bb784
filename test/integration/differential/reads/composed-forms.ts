/** Each form in which a query asks for rows of relations, and what becomes of it. */
import { type Form, formsIn } from './form.ts'

const person = '5eed0000-0000-4000-a000-0000000000a1'
export const composedForms: Form[] = []
const are = formsIn(composedForms)

const shown = { omit: { secret: true } } as const
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
  (prisma) => prisma.person.findUnique({ where: { id: person }, ...shown, include: { boss: shown } }),
  (prisma) => prisma.person.findUnique({ where: { id: person }, ...shown, include: { pass: true } }),
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
    prisma.article.findUnique({
      where: { id: 1 },
      include: { author: { where: { name: 'x' }, ...shown } },
    }),
  (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { tags: true } }),
  (prisma) =>
    prisma.article.findUnique({
      where: { id: 1 },
      include: { author: { ...shown, include: { tags: true } } },
    }),
)
are('fields', (prisma) => prisma.article.findUnique({ where: { id: 1 }, include: { author: true } }))

// Relations with lists
are(
  'answered',
  (prisma) => prisma.person.findUnique({ where: { id: person }, ...shown, include: { articles } }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { articles: { ...articles, take: 2, skip: 1 } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { articles: { ...articles, cursor: { id: 5 }, take: 2 } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { articles: { ...articles, where: { rank: { not: null }, isPublic: false } } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: {
        articles: { where: { isPublic: true }, orderBy: [{ rank: 'desc' }, { id: 'asc' }], take: 2 },
      },
    }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
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
      where: { id: person },
      ...shown,
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
are(
  'paging',
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { articles: { ...articles, take: -1 } },
    }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { articles: { ...articles, distinct: 'rank' } },
    }),
)
are('order', (prisma) =>
  prisma.person.findUnique({
    where: { id: person },
    ...shown,
    include: { articles: { orderBy: [{ title: 'asc' }, { id: 'asc' }] } },
  }),
)
are('condition', (prisma) =>
  prisma.person.findUnique({
    where: { id: person },
    ...shown,
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
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: 77 } } } }),
)
are(
  'condition',
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: { in: [1, 2] } } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: 1, word: 'word 1' } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: {} } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { none: { id: 1 } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { id: 1 }, every: { id: 1 } } } }),
  (prisma) => prisma.article.findMany({ where: { topics: { some: { word: 'word 1' } } } }),
)

// Numbers of rows
are(
  'answered',
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { _count: { select: { articles: true, reports: true } } },
    }),
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
  (prisma) => prisma.person.findUnique({ where: { id: person }, ...shown, include: { _count: true } }),
  (prisma) =>
    prisma.person.findUnique({
      where: { id: person },
      ...shown,
      include: { _count: { select: { tags: true } } },
    }),
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
