import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { NestFactory } from '@nestjs/core'
import { ImportError } from '#prisma/import/auction-rows.js'
import { readEnvironment } from './config/read-environment.js'
import { StartError } from './config/start-error.js'
import { describeImport } from './seed/describe-import.js'
import { SeedModule } from './seed/seed.module.js'
import { SeedService } from './seed/seed.service.js'

const USAGE = `Usage: npm run seed                 loads the demo auction
       npm run seed -- --from FILE  loads a gala file (.json) or a bids file (.csv)
Loads into DATABASE_URL, or into the embedded database.`

try {
  const from = readArguments()
  const config = readEnvironment(process.env)
  // Only a shared Valkey can hold rows that the seed makes stale, so none is started.
  const valkey = config.valkey === 'start' ? ('memory' as const) : config.valkey
  const app = await NestFactory.createApplicationContext(SeedModule.register({ ...config, valkey }), {
    logger: false,
    abortOnError: false,
  })
  process.stdout.write(`${await load(app.get(SeedService), from)}\n`)
  await app.close()
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ImportError
  process.stderr.write(`${isExpected ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}

function readArguments(): string | undefined {
  try {
    const { values } = parseArgs({ options: { from: { type: 'string' } } })
    return values.from
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${USAGE}`)
  }
}

async function load(seed: SeedService, from: string | undefined): Promise<string> {
  if (from === undefined) {
    await seed.loadDemo()
    return 'The demo auction is loaded.'
  }
  // npm runs scripts in the project root. INIT_CWD is the folder of the user.
  const path = resolve(process.env.INIT_CWD ?? '.', from)
  const result = await seed.loadFile(path)
  if (!result.rows) process.exitCode = 1
  return describeImport(path, result)
}
