import type { QueryParams } from './internals.js'
import { rawWriteWarning } from './raw-writes.js'

const paramsOf = (args: unknown) => ({ args, clientMethod: '$executeRaw' }) as unknown as QueryParams

describe('raw SQL', () => {
  const warningsOf = (...statements: unknown[]): string[] => {
    const warnings: string[] = []
    const note = rawWriteWarning((message) => warnings.push(message))
    for (const args of statements) note(paramsOf(args))
    return warnings
  }

  it.each([
    { sql: 'UPDATE "Post" SET title = ?' },
    ['delete from posts where id = $1', 1],
    { sql: 'WITH gone AS (DELETE FROM posts RETURNING id) SELECT * FROM gone' },
    ['REPLACE INTO posts VALUES (1)'],
    ['TRUNCATE posts'],
  ])('that writes is warned of once: %j', (args) => {
    expect(warningsOf(args, args)).toEqual([
      expect.stringMatching(
        /\$executeRaw writes through an extended client.* Call cache\.invalidate|cache\.invalidate\(ids\)/,
      ),
    ])
  })

  it.each([
    { sql: 'SELECT * FROM posts FOR NO KEY UPDATE' },
    ["SELECT REPLACE(title, 'UPDATE it''s DELETE', '') FROM posts"],
    ['CREATE TABLE a (b INT REFERENCES c ON DELETE CASCADE)'],
    ['UPDATE posts SET title = 1 /* model-cache: invalidated */'],
    [],
    undefined,
    null,
  ])('that writes no rows, or says that it is taken care of, is not: %j', (args) => {
    expect(warningsOf(args)).toEqual([])
  })
})
