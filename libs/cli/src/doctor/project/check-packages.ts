import { fault, type Finding, ok } from '../finding.js'
import {
  installedManifest,
  isInRange,
  type Manifest,
  ownManifest,
  untestedCombination,
} from './installed-packages.js'

/**
 * The versions of Node, of Prisma, and of the other packages that this library needs.
 *
 * @param own the manifest of this library
 * @param schema the text of the Prisma schema. @default there is none
 */
export function checkPackages(
  folder: string,
  own: Manifest = ownManifest(),
  schema?: string,
): readonly Finding[] {
  return [
    ...checkNode(own),
    ...checkPeers(folder, own),
    ...checkCombination(folder, own),
    ...checkPrisma(folder),
    ...checkNestedTransactions(folder),
    ...checkEngine(folder, schema),
  ]
}

function checkNode({ engines }: Manifest): Finding[] {
  const range = engines?.node ?? '*'
  if (isInRange(process.version, range)) return [ok('project.node', `Node ${process.version} is supported.`)]
  return [
    fault(
      'error',
      'project.node',
      `Node ${process.version} is not supported, but ${range}.`,
      'The library uses features that older versions lack.',
      'Install Node 24 or later.',
    ),
  ]
}

function checkPeers(folder: string, { peerDependencies = {} }: Manifest): Finding[] {
  return Object.entries(peerDependencies).flatMap(([name, range]) => {
    const version = installedManifest(folder, name)?.version
    const id = name === '@prisma/client' ? 'project.prisma-version' : 'project.peer-version'
    if (version === undefined) return []
    if (isInRange(version, range))
      return id === 'project.prisma-version' ? [ok(id, `@prisma/client ${version} is supported.`)] : []
    return [
      fault(
        'error',
        id,
        `${name} ${version} is not in the range ${range}.`,
        id === 'project.prisma-version'
          ? 'extendPrisma relies on internals of Prisma that are checked for this range alone: writes may not be seen.'
          : 'The library is tested with this range alone.',
        `npm install ${name}@${range.split('||').at(-1)!.trim().replace('^', '')}`,
      ),
    ]
  })
}

function checkCombination(folder: string, { peerDependencies = {} }: Manifest): Finding[] {
  const found = untestedCombination((name) => {
    const version = installedManifest(folder, name)?.version
    return version !== undefined && isInRange(version, peerDependencies[name] ?? '') ? version : undefined
  })
  if (found === undefined) return []
  return [
    fault(
      'warning',
      'project.untested',
      `${found} were not tested together.`,
      'Each of them is supported. Nothing is known to fail.',
      'Compare with the table of docs/compatibility.md, and run your tests before you rely on it.',
    ),
  ]
}

function checkPrisma(folder: string): Finding[] {
  const client = installedManifest(folder, '@prisma/client')?.version
  const cli = installedManifest(folder, 'prisma')?.version
  if (client === undefined || cli === undefined || minorOf(client) === minorOf(cli)) return []
  const remedy = `npm install --save-dev prisma@${client} && npx prisma generate`
  if (majorOf(cli) >= 8 && majorOf(client) < 8) {
    return [
      fault(
        'error',
        'project.prisma-mismatch',
        `prisma ${cli} cannot generate the client of @prisma/client ${client}.`,
        'Prisma 8 has neither `generate` nor `migrate dev`. npm may install it where no version is named.',
        remedy,
      ),
    ]
  }
  return [
    fault(
      'warning',
      'project.prisma-mismatch',
      `prisma ${cli} generates the client of @prisma/client ${client}.`,
      'Prisma supports equal versions alone: a generated client may not fit its runtime.',
      remedy,
    ),
  ]
}

/** Extended clients copy these options, so only the project's other clients are concerned. */
function checkNestedTransactions(folder: string): Finding[] {
  const client = installedManifest(folder, '@prisma/client')?.version
  if (client === undefined || !isInRange(client, '^7.5.0') || isInRange(client, '>=7.10.1')) return []
  return [
    fault(
      'note',
      'project.prisma-nesting',
      `@prisma/client ${client} changes the options that a nested $transaction is given.`,
      'If another transaction gets the same object, it becomes a part of the first one: it may be rolled back with it.',
      'npm install @prisma/client@7 prisma@7, 7.10.1 or later; until then pass a new object to each $transaction.',
    ),
  ]
}

/** Prisma 6 runs its Rust engine unless the generator says otherwise; Prisma 7 has none. */
function checkEngine(folder: string, schema: string | undefined): Finding[] {
  const client = installedManifest(folder, '@prisma/client')?.version
  if (client === undefined || majorOf(client) !== 6 || schema === undefined) return []
  const generator = /\bgenerator\s+\w+\s*\{[^}]*\bprovider\s*=\s*"prisma-client(-js)?"[^}]*\}/.exec(
    schema,
  )?.[0]
  if (generator === undefined || /\bengineType\s*=\s*"client"/.test(generator)) return []
  return [
    fault(
      'error',
      'project.prisma-engine',
      `@prisma/client ${client} runs the Rust engine.`,
      'This engine has no driver adapter, where the library sees writes: extendPrisma refuses the client.',
      'Set engineType = "client" in the generator of the schema and use a driver adapter, or upgrade to Prisma 7.',
    ),
  ]
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}

/** `7.10` of `7.10.1` */
function minorOf(version: string): string {
  return version.split('.', 2).join('.')
}
