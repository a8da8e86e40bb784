/** A generator for `prisma generate`, which speaks JSON-RPC: writes the statements that create the tables of a schema to `tables.sql`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type DataModel, tablesOf } from './tables.ts'

interface Request {
  readonly id: number
  readonly method: 'getManifest' | 'generate'
  readonly params: {
    readonly generator: { readonly output: { readonly value: string } }
    readonly dmmf: { readonly datamodel: DataModel }
    readonly datasources: readonly { readonly activeProvider: string }[]
    readonly datamodel: string
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Request
  const reply = (result: unknown): void =>
    void process.stderr.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  if (method === 'getManifest') reply({ manifest: { prettyName: 'tables', defaultOutput: '.' } })
  else {
    const hasForeignKeys = !/^\s*relationMode\s*=\s*"prisma"/m.test(params.datamodel)
    // The tests create views themselves.
    const views = new Set([...params.datamodel.matchAll(/^\s*view\s+(\w+)/gm)].map(([, name]) => name))
    const models = params.dmmf.datamodel.models.filter(({ name }) => !views.has(name))
    const schema = { ...params.dmmf.datamodel, models }
    const sql = tablesOf(schema, params.datasources[0]!.activeProvider, hasForeignKeys)
    writeFileSync(join(params.generator.output.value, 'tables.sql'), sql)
    reply(null)
  }
}
