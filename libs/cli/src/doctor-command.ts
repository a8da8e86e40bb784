import { parseArgs } from 'node:util'
import { allChecks } from './doctor/all-checks.js'
import { diagnose } from './doctor/doctor.js'
import type { Command, Output } from './command.js'
import { addressIn, millisecondsIn, replicasIn, storeOptions, storeUsage } from './options.js'
import { printDiagnosis } from './print-diagnosis.js'
import { readJson } from './read-json.js'
import { readPrismaConfig, readPrismaSchema } from './prisma-schema.js'

export const doctorCommand: Command = {
  usage: `Usage: model-cache doctor [options]

Checks Valkey, the database and the project in this folder: says what it finds, what that means, and what mends it.
Changes nothing. Exits with 1 if there are errors. See docs/doctor.md.

${storeUsage}
  --database     the URL of PostgreSQL, MariaDB or MySQL; by default DATABASE_URL, or the one of prisma.config.ts
  --schema       the file or folder of the Prisma schema; by default the one of this project
  --follow       checks what following the database needs
  --slot         the durable replication slot, if there is one
  --publication  the publication; by default that of the namespace
  --fence-ms     consistency.fenceMs of the application; by default 10000
  --deadline-ms  valkey.deadlineMs of the application; by default 250
  --replicas     consistency.replicas of the application; by default 0
  --queries      a file with the answer of GET <inspector>/api/v1/queries, or -: checks whether results of queries pay`,

  async run(args, output) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...storeOptions,
        database: { type: 'string' },
        schema: { type: 'string' },
        follow: { type: 'boolean', default: false },
        slot: { type: 'string' },
        publication: { type: 'string' },
        'fence-ms': { type: 'string', default: '10000' },
        'deadline-ms': { type: 'string', default: '250' },
        replicas: { type: 'string', default: '0' },
        queries: { type: 'string' },
      },
    })
    const { follow, json, namespace, publication, queries, replicas, slot } = values
    const { checks, close } = allChecks({
      folder: output.folder,
      valkey: addressIn(values, output),
      database: values.database ?? (await databaseUrl(output)),
      namespace,
      schema: (await schemaIn(output, values.schema))?.text,
      isFollowed: follow,
      slot,
      publication,
      fenceMs: millisecondsIn('fence-ms', values['fence-ms']),
      deadlineMs: millisecondsIn('deadline-ms', values['deadline-ms']),
      replicas: replicasIn(replicas),
      queries: queries === undefined ? undefined : readJson(queries, output),
    })
    try {
      const diagnosis = await diagnose(checks)
      if (json) output.line(JSON.stringify({ version: 1, ...diagnosis }, null, 2))
      else printDiagnosis(diagnosis, output)
      return diagnosis.summary.error > 0 ? 1 : 0
    } finally {
      await close()
    }
  },
}

async function databaseUrl({ environment, folder }: Output): Promise<string | undefined> {
  return environment.DATABASE_URL || (await readPrismaConfig(folder)).datasource?.url || undefined
}

/** A project without a Prisma schema is no reason to stop, unless one was named. */
function schemaIn(
  { folder }: Output,
  given: string | undefined,
): ReturnType<typeof readPrismaSchema> | undefined {
  const found = readPrismaSchema(folder, given)
  return given === undefined ? (found.catch(() => undefined) as typeof found) : found
}
