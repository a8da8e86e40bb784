import { instantiationsOf } from './compile.js'

/**
 * Returns how many types the compiler instantiates for the definition of one model more. The first definition of a module costs about 3,000
 * more, for the types of the library.
 *
 * @param client how a module of `test/types` imports the generated client
 */
export function instantiationsPerModel(client: string, models: readonly string[], options: string): number {
  const head = `
    import type { Prisma } from '${client}'
    import { modelCaches } from 'model-cache'
    export const { defineModelCache } = modelCaches<Prisma.TypeMap>()
  `
  const definitionsOf = (names: readonly string[]): string =>
    head + names.map((name) => `export const of${name} = defineModelCache('${name}', ${options})`).join('\n')
  const [one, all] = instantiationsOf([definitionsOf(models.slice(0, 1)), definitionsOf(models)])
  return Math.round((all! - one!) / (models.length - 1))
}

export function modelsIn(schema: string): readonly string[] {
  return Array.from(schema.matchAll(/^model (\w+)/gm), ([, name]) => name!)
}

const types = [
  'String',
  'String?',
  'Int',
  'Boolean',
  'DateTime',
  'DateTime?',
  'Decimal?',
  'Json',
  'String[]',
  'BigInt',
]

/** A schema of models with 10 to 24 fields, two or three unique keys, and relations to four others. */
export function schemaOf(count: number): string {
  const models = Array.from({ length: count }, (_, i) => {
    const parent = Math.floor((i - 1) / 3)
    const children = [1, 2, 3].map((n) => 3 * i + n).filter((child) => child < count)
    const lines = [
      'id String @id @default(uuid())',
      `slug String ${i % 3 === 0 ? '@unique' : ''}`,
      ...Array.from({ length: 8 + ((i * 7) % 12) }, (_, f) => `field${f} ${types[(i + f) % types.length]}`),
      ...children.map((child) => `children${child} Model${child}[]`),
    ]
    if (i > 0)
      lines.push(
        'parentId String',
        `parent Model${parent} @relation(fields: [parentId], references: [id])`,
        '@@unique([parentId, slug])',
      )
    return `model Model${i} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
  })
  const generator =
    'generator client {\n  provider = "prisma-client"\n  output = "./client"\n  importFileExtension = "js"\n}\n'
  return [generator, 'datasource db {\n  provider = "postgresql"\n}\n', ...models].join('\n')
}
