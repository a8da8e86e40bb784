#!/usr/bin/env node
import { inspect, parseArgs } from 'node:util'
import { ConfigurationError } from '../errors.js'
import { print } from './print.js'
import { UsageError } from './usage-error.js'

const usage = `Usage: model-cache print <Model> [--schema <path>] [--client <specifier>]

Prints the definition of the cache of a Prisma model, with its ArkType schema, as a TypeScript module.

  --schema  the file or folder of the Prisma schema; by default the one of this project
  --client  how the module imports the generated client; by default where the schema's generator puts it`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      schema: { type: 'string' },
      client: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command, model, ...others] = positionals
  if (values.help) process.stdout.write(`${usage}\n`)
  else if (command !== 'print' || others.length > 0) throw new UsageError(usage)
  else process.stdout.write(await print(process.cwd(), { ...values, model }))
} catch (error) {
  const isExpected =
    error instanceof UsageError ||
    error instanceof ConfigurationError ||
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`${isExpected ? (error as Error).message : inspect(error)}\n`)
  process.exitCode = 2
}
