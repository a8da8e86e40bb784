import type { Node } from 'typescript'
import { fault, type Finding } from '../finding.js'
import type { SourceCode } from './source-code.js'

/** Where a class of clients is declared, or a client created. */
interface Client {
  readonly file: SourceCode
  readonly node: Node
  /** The name of the class. */
  readonly name: string
}

/** Finds Prisma clients whose writes do not reach the caches, as far as the source shows. */
export function findUnextendedClients(files: readonly SourceCode[]): Finding[] {
  const classes = clientClasses(files)
  const created = createdClients(files, new Set(['PrismaClient', ...classes.map(({ name }) => name)]))
  // Nest creates what it provides by itself.
  const provided = classes.filter(({ name }) => !created.some((client) => client.name === name))
  const passed = passedNames(files)
  const unextended = [
    ...created
      .filter((client) => !isExtended(client, passed))
      .map((client) => [client, `new ${client.name}() is not extended.`] as const),
    ...provided
      .filter(({ name }) => !passed.has(name))
      .map((client) => [client, `The client ${client.name} is not extended.`] as const),
  ]
  const isManual = files.some(({ text }) => /\bwrites:\s*'manual'/.test(text))
  return unextended
    .filter(([{ file, node }]) => !file.isAcknowledged(node))
    .map(([{ file, node }, found]) => findingOf(isManual, found, file.placeOf(node)))
}

/** The classes that extend PrismaClient, or one of themselves. */
function clientClasses(files: readonly SourceCode[]): readonly Client[] {
  const declared = files.flatMap((file) =>
    file.nodes.filter(file.ts.isClassLike).flatMap((node) => {
      const clause = node.heritageClauses?.find(({ token }) => token === file.ts.SyntaxKind.ExtendsKeyword)
      const base = file.nameOf(clause?.types[0]?.expression)
      return node.name ? { file, node: node.name, name: node.name.text, base } : []
    }),
  )
  const bases = new Set<string | undefined>(['PrismaClient'])
  // A class may stand before the one that it extends.
  for (let size = 0; size < bases.size;) {
    size = bases.size
    for (const { base, name } of declared) if (bases.has(base)) bases.add(name)
  }
  return declared.filter(({ base }) => bases.has(base))
}

function createdClients(files: readonly SourceCode[], classes: ReadonlySet<string>): readonly Client[] {
  return files.flatMap((file) =>
    file.nodes.filter(file.ts.isNewExpression).flatMap((node) => {
      const name = file.nameOf(node.expression)
      return name !== undefined && classes.has(name) ? { file, node, name } : []
    }),
  )
}

const extending = ['extendPrisma', 'provideExtendedPrisma']

/** The names in the calls that extend a client: of clients, of their classes, of functions that create them. */
function passedNames(files: readonly SourceCode[]): ReadonlySet<string | undefined> {
  return new Set(
    files.flatMap((file) =>
      file
        .callsOf(extending)
        .flatMap((call) => [...call.arguments])
        .flatMap((argument) => file.within(argument))
        .map((node) => file.nameOf(node)),
    ),
  )
}

/** Whether a client is created within a call that extends it, or passed to one by the name of what it is created in. */
function isExtended({ file, node }: Client, passed: ReadonlySet<string | undefined>): boolean {
  const { ts } = file
  for (
    let around = node.parent;
    !ts.isSourceFile(around) && !ts.isClassLike(around);
    around = around.parent
  ) {
    if (file.isCallOf(around, extending)) return true
    const name = ts.isBinaryExpression(around) ? file.nameOf(around.left) : file.declaredName(around)
    if (name !== undefined && passed.has(name)) return true
  }
  return false
}

function findingOf(isManual: boolean, found: string, place: string): Finding {
  return fault(
    isManual ? 'note' : 'warning',
    'source.unextended-client',
    found,
    'Rows that it writes, also by raw SQL, stay stale in the caches until their ttl ends, unless `invalidate` is called.',
    'Provide it with provideExtendedPrisma(…), or wrap it: extendPrisma(client, writes). If it does not write, mark the line: // model-cache: reads',
    place,
  )
}
