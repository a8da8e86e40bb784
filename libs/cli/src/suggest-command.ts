import { parseArgs } from 'node:util'
import { suggestDefinitions } from '@model-cache/inspector/internal'
import { describeSchemaText } from 'model-cache/internal'
import { type Command, UsageError } from './command.js'
import { printSuggestions } from './print-suggestions.js'
import { nameOf, readJson } from './read-json.js'
import { readPrismaSchema } from './prisma-schema.js'

export const suggestCommand: Command = {
  usage: `Usage: model-cache suggest --from <file> [options]

Prints what to declare so that caches answer more queries: caches, unique keys and lists, with the share of the queries that
need each, the writes that fence it, and the index that the database needs.

  --from    a file with the answer of GET <inspector>/api/v1/queries, or - for the standard input
  --schema  the file or folder of the Prisma schema; by default the one of this project
  --json    prints JSON`,

  async run(args, output) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        from: { type: 'string' },
        schema: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const { from, json, schema } = values
    if (from === undefined) throw new UsageError(suggestCommand.usage)
    const { text } = await readPrismaSchema(output.folder, schema)
    const facts = describeSchemaText(text)
    const found = suggestDefinitions([readJson(from, output)], facts)
    if (!found)
      throw new UsageError(
        `${nameOf(from)} has no queries. Save the answer of GET <inspector>/api/v1/queries in it.`,
      )
    const report = found.suggestions
    if (json) output.line(JSON.stringify({ version: 1, ...report }, null, 2))
    else for (const line of printSuggestions(report)) output.line(line)
    return 0
  },
}
