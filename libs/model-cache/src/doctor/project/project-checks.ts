import type { Check } from '../doctor.js'
import { checkPackages } from './check-packages.js'
import type { SourceCode } from './source-code.js'
import { findUnextendedClients } from './unextended-clients.js'

/** The Prisma schema of a project. */
export interface ProjectSchema {
  readonly text: string
  /** The module of the generated client, from the folder of the project. */
  readonly client: string
}

export interface ProjectContext {
  readonly folder: string
  readonly source: readonly SourceCode[]
  /** Undefined if there is none. */
  readonly schema: ProjectSchema | undefined
}

/** The checks of what the project has installed, and of its source, as far as an application cannot tell when it starts. */
export function projectChecks({ folder, schema, source }: ProjectContext): readonly Check[] {
  return [
    { id: 'project.packages', run: () => checkPackages(folder, undefined, schema?.text) },
    { id: 'source.unextended-client', run: () => findUnextendedClients(source) },
  ]
}

/** Whether the source follows the log of the database, or hears of others that do. */
export function followsDatabase(source: readonly SourceCode[]): boolean {
  return source.some((file) => file.callsOf(['followPostgres', 'followMysql', 'followElsewhere']).length > 0)
}

/** Whether the source sets `statement_timeout` of its connections. */
export function setsStatementTimeout(source: readonly SourceCode[]): boolean {
  return source.some(({ text }) => /\bstatement_timeout\b/.test(text))
}
