import { inspect } from 'node:util'
import { ConfigurationError, ModelCacheError } from 'model-cache/internal'
import { type Command, type Output, UsageError } from './command.js'

/** Each is loaded when it is called: the doctor needs much that the others do not. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  doctor: async () => (await import('./doctor-command.js')).doctorCommand,
  caches: async () => (await import('./caches-command.js')).cachesCommand,
  explain: async () => (await import('./explain-command.js')).explainCommand,
  invalidate: async () => (await import('./invalidate-command.js')).invalidateCommand,
  warm: async () => (await import('./warm-command.js')).warmCommand,
  'hand-over': async () => (await import('./hand-over-command.js')).handOverCommand,
  print: async () => (await import('./print-command.js')).printCommand,
  suggest: async () => (await import('./suggest-command.js')).suggestCommand,
}

const usage = `Usage: model-cache <command> [options]

  doctor                      checks Valkey, the database and the project in this folder
  caches                      lists the caches of all processes
  explain <cache> <id>        says what the store has of a row
  invalidate <cache> <id...>  invalidates rows in the store, and in the memory of all processes
  warm --from <url|namespace> loads what is read often in another region or namespace
  hand-over                   lets another database use a namespace whose processes still run
  print <Model>               prints the definition of a cache as TypeScript
  suggest                     prints what to declare so that caches answer more queries

model-cache <command> --help describes its options.`

/** The streams that a command writes to. */
export interface Terminal extends Output {
  /** Writes a line to the standard error output. */
  errorLine(text: string): void
}

/**
 * Runs a command of `npx model-cache`. Errors become lines.
 *
 * @param args the name of the command, and its arguments
 * @returns the exit code: that of the command; 1 if it fails, and 2 if it was called in a way that cannot work
 */
export async function runCommandLine(
  [name = '', ...args]: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    const command = Object.hasOwn(commands, name) ? await commands[name]!() : undefined
    const wantsHelp = [name, ...args].some((arg) => arg === '--help' || arg === '-h')
    if (!wantsHelp && !command)
      throw new UsageError(name === '' ? usage : `There is no command "${name}".\n\n${usage}`)
    if (command && !wantsHelp) return await command.run(args, terminal)
    terminal.line(command?.usage ?? usage)
    return 0
  } catch (error) {
    // Some are numbers, as that of a signal.
    const code = String((error as { code?: unknown }).code)
    const isUsage =
      error instanceof UsageError || error instanceof ConfigurationError || code.startsWith('ERR_PARSE_ARGS')
    const isExpected = isUsage || error instanceof ModelCacheError
    terminal.errorLine(isExpected ? (error as Error).message : inspect(error))
    return isUsage || code === 'E_INVALID_ID' || !isExpected ? 2 : 1
  }
}
