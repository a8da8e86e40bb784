import { parseArgs } from 'node:util'
import { type Command, UsageError } from './command.js'
import { print } from './print.js'

export const printCommand: Command = {
  usage: `Usage: model-cache print <Model> [--schema <path>] [--client <specifier>]

Prints the definition of the cache of a Prisma model, with its ArkType schema, as a TypeScript module.

  --schema  the file or folder of the Prisma schema; by default the one of this project
  --client  how the module imports the generated client; by default where the schema's generator puts it`,

  async run(args, { folder, line }) {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: { schema: { type: 'string' }, client: { type: 'string' } },
      allowPositionals: true,
    })
    const [model, ...others] = positionals
    if (others.length > 0) throw new UsageError(printCommand.usage)
    line((await print(folder, { ...values, model })).trimEnd())
    return 0
  },
}
