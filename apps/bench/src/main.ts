/** `npm run bench`: measures what this project claims, by suite, and renders the results. */
import { commands, usage } from './commands/commands.ts'
import { parseOptions } from './commands/options.ts'
import { measureSuite } from './commands/suite.ts'
import { suites } from './suites.ts'

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error(process.env.DEBUG ? error : (error as Error).message)
  process.exitCode = 1
}

async function run(args: readonly string[]): Promise<number> {
  const command = commands.find(({ name }) => name === args[0])
  if (command) return command.run(args.slice(1))
  const { suite: name, ...options } = parseOptions(args)
  if (name === undefined) {
    console.log(usage())
    return 0
  }
  const suite = suites.find((one) => one.name === name)
  if (!suite) throw new Error(`There is no suite or command "${name}".\n\n${usage()}`)
  return measureSuite(suite, options)
}
