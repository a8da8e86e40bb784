import { fault, type Finding } from '../finding.js'
import { behindTypes, closingOf, isAcknowledged, placeOf, type SourceCode } from './source-code.js'

/** Finds Prisma clients whose writes do not reach the caches, as far as the source shows. */
export function findUnextendedClients(files: readonly SourceCode[]): Finding[] {
  const classes = clientClasses(files)
  const extending = files.flatMap((file) => rangesOfExtending(file))
  const mentions = (name: string): boolean =>
    extending.some(({ text }) => new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(text))
  const isManual = files.some(({ text }) => /\bwrites:\s*'manual'/.test(text))
  const finding = (file: SourceCode, at: number, found: string): Finding[] =>
    isAcknowledged(file, at) ? [] : [findingOf(isManual, found, placeOf(file, at))]

  const created = files.flatMap((file) =>
    Array.from(file.code.matchAll(/\bnew\s+(?:\w+\.)*(\w+)/g)).flatMap(({ index, 1: name }) => {
      if (!classes.has(name!)) return []
      const isWithin = extending.some(
        (range) => range.file === file && index > range.from && index < range.to,
      )
      if (isWithin || namesOf(file.code, index).some(mentions)) return []
      return finding(file, index, `new ${name}() is not extended.`)
    }),
  )
  // Nest creates what it provides by itself.
  const declared = files.flatMap((file) =>
    Array.from(file.code.matchAll(/\bclass\s+(\w+)[^{]*?\bextends\s+(\w+)/g)).flatMap(
      ({ index, 1: name, 2: base }) =>
        classes.has(base!) && !mentions(name!) && !isCreated(files, name!)
          ? finding(file, index, `The client ${name} is not extended.`)
          : [],
    ),
  )
  return [...created, ...declared]
}

/** PrismaClient, and what extends it. */
function clientClasses(files: readonly SourceCode[]): ReadonlySet<string> {
  const classes = new Set(['PrismaClient'])
  for (let size = 0; size < classes.size;) {
    size = classes.size
    for (const { code } of files) {
      for (const [, name, base] of code.matchAll(/\bclass\s+(\w+)[^{]*?\bextends\s+(\w+)/g))
        if (classes.has(base!)) classes.add(name!)
    }
  }
  return classes
}

interface Range {
  readonly file: SourceCode
  readonly from: number
  readonly to: number
  /** Its code. */
  readonly text: string
}

/** The calls that extend a client. */
function rangesOfExtending(file: SourceCode): Range[] {
  const { code } = file
  return Array.from(code.matchAll(/\b(?:extendPrisma|provideExtendedPrisma)\b/g)).flatMap(
    ({ index, 0: name }) => {
      const from = behindTypes(code, index + name.length)
      if (code[from] !== '(') return []
      const to = closingOf(code, from)
      return [{ file, from, to, text: code.slice(from, to) }]
    },
  )
}

/** The names by which a client may be passed on: its variable, and the function that creates it. */
function namesOf(code: string, at: number): string[] {
  const before = code.slice(0, at)
  const assigned = /([\w$]+)(?:\s*:[^=;]+)?\s*\??=\s*(?:await\s+)?$/.exec(before)?.[1]
  const functions = [
    ...before.matchAll(/\bfunction\s+(\w+)|\b(?:const|let)\s+(\w+)[^=;]*=\s*(?:async\s*)?(?=[(<])/g),
  ]
  const last = functions.at(-1)
  return [assigned, last?.[1] ?? last?.[2]].filter((name) => name !== undefined)
}

function isCreated(files: readonly SourceCode[], name: string): boolean {
  return files.some(({ code }) => new RegExp(`\\bnew\\s+${name}\\b`).test(code))
}

function findingOf(isManual: boolean, found: string, place: string): Finding {
  return fault(
    isManual ? 'note' : 'warning',
    'source.unextended-client',
    found,
    'Rows that it writes stay stale in the caches until their ttl ends, unless `invalidate` is called.',
    'Provide it with provideExtendedPrisma(…), or wrap it: extendPrisma(client, writes). If it does not write, mark the line: // model-cache: reads',
    place,
  )
}
