import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printCommand } from '../../../libs/cli/src/print-command.js'
import { ROOT } from '../../docs/pages.js'
import { diagnosticsOf } from '../compile.js'

/** What `npx model-cache print` prints. */
async function printed(model: string, schema: string, client: string): Promise<string> {
  const lines: string[] = []
  const io = { folder: ROOT, line: (line: string) => void lines.push(line) }
  await printCommand.run([model, '--schema', schema, '--client', client], io as never)
  return lines.join('\n')
}

/** Without models that the client does not have, or whose rows have no id. */
const modelsIn = (schema: string): string[] =>
  [...readFileSync(join(ROOT, schema), 'utf8').matchAll(/^model (\w+) \{([^]*?)^\}/gm)]
    .filter(([, , body]) => !body!.includes('@@ignore') && /@id|@unique|@@id|@@unique/.test(body!))
    .map(([, name]) => name!)

describe.each([
  ['prisma/schema.prisma', '#prisma/client/client.js'],
  ['test/integration/differential/schema.prisma', '../integration/differential/client/client.js'],
])('the printed definitions of %s', (schema, client) => {
  const models = modelsIn(schema)

  it.concurrent('compile', async () => {
    const sources = await Promise.all(models.map((model) => printed(model, schema, client)))
    expect(sources.length).toBeGreaterThan(10)
    // One module, since each costs a second.
    const blocks = sources.map(
      (text) => `{\n${text.replace(/^import .*\n/gm, '').replaceAll('export ', '')}\n}`,
    )
    const imports = `import { type } from 'arktype'
      import { modelCaches } from 'model-cache'
      import { bytes, decimal, json } from 'model-cache/arktype'
      import type { Prisma } from '${client}'\n`
    const checked = [imports + blocks.join('\n'), sources[0]!].map(diagnosticsOf)
    expect(await Promise.all(checked)).toEqual([[], []])
  })
})
