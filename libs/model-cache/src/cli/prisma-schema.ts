import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from './command.js'

export interface PrismaSchema {
  readonly text: string
  /** The file or folder that has it. */
  readonly path: string
  /** The specifier of the generated client, relative to the working directory. */
  readonly client: string
}

/**
 * Reads the Prisma schema of the project in a folder.
 *
 * @param given its file or folder. @default the one that Prisma's configuration names, `prisma/schema.prisma` or `schema.prisma`
 * @throws UsageError
 */
export async function readPrismaSchema(folder: string, given: string | undefined): Promise<PrismaSchema> {
  const path = given === undefined ? await findSchema(folder) : resolve(folder, given)
  if (!existsSync(path)) throw new UsageError(`There is no Prisma schema at ${path}.`)
  const files = statSync(path).isDirectory() ? schemaFilesIn(path) : [path]
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  return { text: texts.join('\n'), path, client: clientIn(files, texts, folder) }
}

async function findSchema(folder: string): Promise<string> {
  const configured = (await readPrismaConfig(folder)).schema
  const path = [configured, 'prisma/schema.prisma', 'schema.prisma']
    .map((name) => name && resolve(folder, name))
    .find((name) => name && existsSync(name))
  if (path) return path
  throw new UsageError(`There is no Prisma schema in ${folder}. Name its file or folder with --schema.`)
}

export interface PrismaConfig {
  /** The file or folder of the schema, from the folder of the project. */
  readonly schema?: string
  readonly datasource?: { readonly url?: string }
}

interface ConfigReader {
  loadConfigFromFile(options: { configRoot: string }): Promise<{ config?: PrismaConfig }>
}

/** Reads `prisma.config.ts` with Prisma's own reader, which comes with the package `prisma`; empty if that is not possible. */
export async function readPrismaConfig(folder: string): Promise<PrismaConfig> {
  try {
    const path = createRequire(join(folder, 'package.json')).resolve('@prisma/config')
    const { loadConfigFromFile } = (await import(pathToFileURL(path).href)) as ConfigReader
    return (await loadConfigFromFile({ configRoot: folder })).config ?? {}
  } catch {
    // The package is not installed, or the configuration needs an environment.
    return {}
  }
}

function schemaFilesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.prisma'))
    .toSorted()
    .map((name) => join(folder, name))
}

/** Finds where the generator `prisma-client` puts the client. */
function clientIn(files: readonly string[], texts: readonly string[], folder: string): string {
  for (const [i, text] of texts.entries()) {
    const generator = /\bgenerator\s+\w+\s*\{[^}]*\bprovider\s*=\s*"prisma-client"[^}]*\}/.exec(text)?.[0]
    const output = /\boutput\s*=\s*"([^"]+)"/.exec(generator ?? '')?.[1]
    if (output === undefined) continue
    const path = relative(folder, resolve(dirname(files[i]!), output, 'client.js'))
      .split(sep)
      .join('/')
    return path.startsWith('.') ? path : `./${path}`
  }
  return './generated/prisma/client.js'
}
