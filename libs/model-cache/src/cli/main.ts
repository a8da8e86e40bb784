#!/usr/bin/env node
import { inspect } from 'node:util'
import { ConfigurationError, ModelCacheError } from '../errors.js'
import type { Command } from './command.js'
import { UsageError } from './usage-error.js'

/** Each is loaded when it is called: the doctor needs much that the others do not. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  doctor: async () => (await import('./doctor-command.js')).doctorCommand,
  caches: async () => (await import('./caches-command.js')).cachesCommand,
  explain: async () => (await import('./explain-command.js')).explainCommand,
  invalidate: async () => (await import('./invalidate-command.js')).invalidateCommand,
  'hand-over': async () => (await import('./hand-over-command.js')).handOverCommand,
  print: async () => (await import('./print-command.js')).printCommand,
}

const usage = `Usage: model-cache <command> [options]

  doctor                      checks Valkey, PostgreSQL and the project in this folder
  caches                      lists the caches of all processes
  explain <cache> <id>        says what the store has of a row
  invalidate <cache> <id...>  invalidates rows in the store, and in the memory of all processes
  hand-over                   lets another database use a namespace whose processes still run
  print <Model>               prints the definition of a cache as TypeScript

model-cache <command> --help describes its options.`

const line = (text: string): void => void process.stdout.write(`${text}\n`)

try {
  const [name = '', ...args] = process.argv.slice(2)
  const command = Object.hasOwn(commands, name) ? await commands[name]!() : undefined
  const wantsHelp = [name, ...args].some((arg) => arg === '--help' || arg === '-h')
  if (wantsHelp) line(command?.usage ?? usage)
  else if (!command) throw new UsageError(usage)
  else process.exitCode = await command.run(args, { line, folder: process.cwd(), environment: process.env })
} catch (error) {
  const { code } = error as { code?: string }
  const isUsage =
    error instanceof UsageError || error instanceof ConfigurationError || code?.startsWith('ERR_PARSE_ARGS')
  const isExpected = isUsage || error instanceof ModelCacheError
  process.stderr.write(`${isExpected ? (error as Error).message : inspect(error)}\n`)
  process.exitCode = isUsage || code === 'E_INVALID_ID' || !isExpected ? 2 : 1
}
