import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { GeneratedClient } from '../../scripts/generated-client.ts'

const root = mkdtempSync(join(tmpdir(), 'generated-client-'))
afterAll(() => rmSync(root, { recursive: true }))

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const schema = 'app/schema.prisma'
const client = new GeneratedClient(root, schema)

beforeEach(() => {
  write('node_modules/prisma/package.json', '7.10.0')
  write('node_modules/@prisma/client/package.json', '7.10.0')
  write(schema, 'generator client {\n  output   = "./client"\n}')
  write('app/client/models/User.ts', 'the user')
  client.note()
})

it('stays while its schema, its files and Prisma are the same', () => {
  write('app/other.ts', 'not of the client')
  expect(client.isCurrent).toBe(true)
})

it.each([
  ['the schema has changed', () => write(schema, '  output = "./client" // and a model')],
  ['Prisma has another version', () => write('node_modules/prisma/package.json', '7.11.0')],
  ['its runtime has another version', () => write('node_modules/@prisma/client/package.json', '7.11.0')],
  ['a file has changed', () => write('app/client/models/User.ts', 'another')],
  ['a file is gone', () => rmSync(join(root, 'app/client/models/User.ts'))],
  ['it was never generated', () => rmSync(join(root, 'node_modules/.cache'), { recursive: true })],
])('is generated again if %s', (_, change) => {
  change()
  expect(client.isCurrent).toBe(false)
})

it('is where Prisma puts it if the schema names no folder', () => {
  write(schema, 'generator client {}')
  write('node_modules/.prisma/client/index.js', 'the client')
  client.note()
  expect(client.isCurrent).toBe(true)
  write('node_modules/.prisma/client/index.js', 'another')
  expect(client.isCurrent).toBe(false)
})
