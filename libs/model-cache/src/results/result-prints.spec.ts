import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import { modelPrintOf } from './result-prints.js'

const schema = `
datasource db {
  provider = "postgresql"
}
enum Mood {
  CALM
  WILD
}
model Person {
  id       Int       @id
  mood     Mood
  written  Article[] @relation("Author")
  edited   Article[] @relation("Editor")
  liked    Topic[]   @relation("Liked")
}
model Article {
  id       Int    @id
  title    String
  authorId Int
  editorId Int
  author   Person @relation("Author", fields: [authorId], references: [id])
  editor   Person @relation("Editor", fields: [editorId], references: [id])
}
model Topic {
  id     Int      @id
  people Person[] @relation("Liked")
}
`

const printsOf = (text: string): readonly string[] => {
  const facts = describeSchemaText(text)
  return ['Person', 'Article', 'Topic'].map((model) => modelPrintOf(facts, model))
}

it.each<[change: string, from: string, to: string, differing: readonly boolean[]]>([
  ['an index', 'title    String', 'title String\n @@index([title])', [false, false, false]],
  ['a field with another type', 'title    String', 'title    Int', [false, true, false]],
  ['a field more', 'title    String', 'title String\n more Int', [false, true, false]],
  ['a value with another name', 'WILD', 'WILD @map("wild")', [true, false, false]],
  ['another column', 'title    String', 'title String @map("name")', [false, true, false]],
  ['a relation with another foreign key', '[authorId]', '[editorId]', [false, true, false]],
  ['a relation by another key', 'references: [id]', 'references: [mood]', [false, true, false]],
  [
    'a relation that has one row',
    'Article[] @relation("Author")',
    'Article? @relation("Author")',
    [true, false, false],
  ],
  ['another join table', '"Liked"', '"Likes"', [true, false, true]],
])('distinguishes what results are read from, as it has changed: %s', (_, from, to, differing) => {
  const [before, after] = [printsOf(schema), printsOf(schema.replaceAll(from, to))]
  expect(after.map((print, i) => print !== before[i])).toEqual(differing)
})
