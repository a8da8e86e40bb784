import { basename, dirname, join } from 'node:path'
import type { Tarballs } from '../../test/package/packed-packages.ts'
import { checkTypes, type Bound, installBound, runExample } from '../../test/package/stacks/bounds.ts'
import { installStack, runStack } from '../../test/package/stacks/run-stack.ts'
import { readStack, stackNames } from '../../test/package/stacks/stack.ts'
import { installNode } from '../../test/support/install-node.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** One combination of versions, and what has to work with it. */
export interface Leg {
  readonly name: string
  /** @param folder an empty folder outside the repository. @throws Error if something does not work */
  run(folder: string, tarballs: Tarballs): Promise<LegResult>
}

export interface LegResult {
  readonly versions: Readonly<Record<string, string>>
  /** For the table of docs/compatibility.md. */
  readonly ran: string
}

/** The versions that applications use most, and those that an upgrade brings. */
const prismaOf = (range: string) => ({
  '@prisma/adapter-pg': range,
  '@prisma/client': range,
  prisma: range,
  // The adapter recognizes pools of its own installation.
  pg: '^8.16.0',
})
const nestPackages = ['common', 'core', 'platform-express', 'testing']
const WRITES = 2_000
const READS = 1_000
const CHAOS_MINUTES = 2

export const legs: readonly Leg[] = [
  boundLeg('floor', '22.12'),
  boundLeg('ceiling', '26'),
  ...stackNames().map(stackLeg),
  testedLeg('nest-11-hooks', Object.fromEntries(nestPackages.map((name) => [`@nestjs/${name}`, '~11.1.0'])), [
    'test/integration/nest-hooks.spec.ts',
    'test/integration/nest-module.spec.ts',
    'test/integration/configuration/roots.spec.ts',
    'test/integration/configuration/start.spec.ts',
    'libs/event-loop/src/nest/event-loop.module.spec.ts',
    'libs/model-cache/src/nest/imported-event-loop.spec.ts',
  ]),
  comparedLeg('prisma-6', prismaOf('~6.19.0'), { hasChaos: true }),
  comparedLeg('ioredis-5', { ioredis: '~5.11.0', 'other-ioredis': 'npm:ioredis@^6.0.0' }, { hasChaos: true }),
]

/** Those of `npm run test:peers`: what is not released for most yet. */
export const nextLegs: readonly Leg[] = ['latest', 'next'].map((tag) =>
  comparedLeg(tag, prismaOf(tag), { hasChaos: false }),
)

function boundLeg(bound: Bound, node: string): Leg {
  return {
    name: bound,
    async run(folder, tarballs) {
      const app = await installBound(bound, tarballs, join(folder, 'app'))
      const compilers = await checkTypes(app, ['oldest-typescript', 'newest-typescript'])
      const bin = node === '26' ? dirname(process.execPath) : installNode(node)
      await runExample(app, join(bin, 'node'))
      const ran = `the ${bound} of all peers: types with TypeScript ${compilers.join(' and ')}; the example on Node ${node}`
      return { versions: app.versions, ran }
    },
  }
}

function stackLeg(name: string): Leg {
  return {
    name,
    async run(folder, tarballs) {
      const installed = await installStack(name, tarballs, folder)
      const { nodes, title } = readStack(name)
      for (const node of nodes) await runStack(installed, node)
      return { versions: installed.versions, ran: `${title}; on Node ${nodes.join(', ')}` }
    },
  }
}

/** Specs of this repository, in a copy of it with other versions. */
function testedLeg(name: string, versions: Readonly<Record<string, string>>, specs: readonly string[]): Leg {
  return {
    name,
    async run(folder) {
      const workspace = createWorkspace(folder, versions)
      workspace.run('npm', 'run', '--silent', 'generate')
      workspace.run('npm', 'test', '--ignore-scripts', '--', '--runTestsByPath', ...specs)
      const names = specs.map((spec) => `\`${basename(spec, '.spec.ts')}\``)
      return { versions: installedIn(workspace, versions), ran: `the specs ${names.join(', ')}` }
    },
  }
}

/** The suites that compare an extended client with a plain one, in a copy of the repository with other versions. */
function comparedLeg(
  name: string,
  versions: Readonly<Record<string, string>>,
  { hasChaos }: { readonly hasChaos: boolean },
): Leg {
  return {
    name,
    async run(folder) {
      const workspace = createWorkspace(folder, versions)
      workspace.run('npm', 'run', '--silent', 'build:library')
      workspace.run('node', 'scripts/stacks/verify-client.ts')
      workspace.run('node', 'scripts/fuzz.ts', 'writes', '--writes', String(WRITES))
      workspace.run('node', 'scripts/fuzz.ts', 'reads', '--reads', String(READS))
      const parts = [
        '`verifyExtension` and `verifyReads`',
        `${WRITES.toLocaleString('en')} writes and ${READS.toLocaleString('en')} reads as a plain client`,
      ]
      if (!hasChaos) {
        workspace.run('npm', 'run', '--silent', 'test:deep', '--', 'prisma-statements')
        parts.push('all forms of statements that Prisma sends for random writes are read')
      } else {
        const minutes = String(CHAOS_MINUTES)
        workspace.run('node', 'apps/bench/src/main.ts', 'chaos', '--minutes', minutes)
        parts.push(`${minutes} minutes of chaos: nothing stale, nothing lost`)
      }
      return { versions: installedIn(workspace, versions), ran: parts.join('; ') }
    },
  }
}

function installedIn(workspace: Workspace, names: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, workspace.versionOf(name)]))
}
