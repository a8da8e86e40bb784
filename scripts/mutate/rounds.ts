/** Which specs run for the mutants of a folder, in which order. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { packages } from '../packages.ts'
import { mayLoad } from './imports.ts'

export const SOURCES = 'libs/model-cache/src'

/** The sources of the other packages, by the names of their folders. */
export const OTHER_SOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  packages
    .filter(({ name }) => name !== 'model-cache')
    .map(({ folder }) => [folder.slice('libs/'.length), `${folder}/src`]),
)

/** The path of a folder of model-cache, or of the sources of another package; of model-cache itself for `''`. */
export function pathOfFolder(folder: string): string {
  return OTHER_SOURCES[folder] ?? join(SOURCES, folder)
}

/** Specs that reach the code of several folders; those of the folder itself come with them. */
const UNIT_SPECS = `${SOURCES}/{cache,definitions,nest,protocol,source,testing}/**/*.spec.ts`

const READS_AND_WRITES = [
  'test/integration/{consistency,reads,writes,lookups,reads-through-prisma}/**/*.spec.ts',
  'test/integration/{burst-counts,foreign-keys,l1-lost-messages,nest-module,nested-loads,only-reads,valkey-store}.spec.ts',
  'test/integration/differential/reads/forms.spec.ts',
]
const START = ['test/integration/{configuration/*,nest-module}.spec.ts']

/**
 * Specs with servers, and others that are slow: each round runs with what the rounds before have not noticed. Nearly every spec reaches the
 * store, so those that wait for failures come last.
 */
const LATER_ROUNDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  codec: [['test/wire/**/!(*.deep).spec.ts']],
  protocol: [
    ['test/integration/store/*.spec.ts', 'test/integration/piggybacked-requests.spec.ts'],
    READS_AND_WRITES,
    [
      'test/integration/{valkey-store,demoted-primary}.spec.ts',
      'test/integration/configuration/valkey-advice.spec.ts',
      'test/integration/doctor/valkey.spec.ts',
    ],
    START,
    [
      'test/integration/unavailable-valkey.spec.ts',
      'test/integration/cluster/*.spec.ts',
      'test/integration/restarts/*.spec.ts',
    ],
  ],
  definitions: [
    ['test/integration/{lookups,reads-through-prisma}/*.spec.ts', 'test/integration/reads/*.spec.ts'],
    START,
  ],
  follow: [
    ['test/integration/follow/{gaps,rivals,changed-tables,set-up,required,health,visibility}.spec.ts'],
    ['test/integration/follow/{statements,takeover}.spec.ts'],
    ['test/integration/follow/{altered-tables,mysql,own-writes,standby}.spec.ts'],
  ],
  'event-loop': [['test/integration/observe/*.spec.ts']],
  metrics: [['test/integration/observe/*.spec.ts', 'test/integration/burst-counts.spec.ts']],
  nest: [
    START,
    ['test/integration/{observe,reads-through-prisma}/*.spec.ts', 'test/integration/shutdown.spec.ts'],
  ],
  inspector: [['test/integration/inspector/*.spec.ts']],
  cli: [
    ['test/integration/doctor/*.spec.ts', 'test/integration/configuration/databases.spec.ts'],
    ['test/integration/warm-up.spec.ts'],
  ],
  /** The files of the root. */
  '': [START, READS_AND_WRITES],
  warm: [['test/integration/warm-up.spec.ts']],
  terminus: [['test/integration/observe/*.spec.ts', 'test/integration/follow/health.spec.ts', ...START]],
  testing: [START, ['test/integration/valkey-store.spec.ts']],
}

/** @returns the specs of each round that may load one of the files; those without servers first */
export function roundsOf(folder: string, files: readonly string[]): readonly (readonly string[])[] {
  const mutated = new Set(files)
  const first = [UNIT_SPECS, `${pathOfFolder(folder)}/**/*.spec.ts`]
  return [first, ...(LATER_ROUNDS[folder] ?? [READS_AND_WRITES])].map((patterns) =>
    [...new Set(globSync(patterns, { exclude: ['**/folder.spec.ts'] }))]
      .filter((spec) => mayLoad(spec, mutated))
      .toSorted(),
  )
}
