import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from './command.js'

export interface PrismaSchema {
  readonly text: string
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
  return { text: texts.join('\n'), client: clientIn(files, texts, folder) }
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
    const { href } = pathToFileURL(configReaderOf(folder))
    const { loadConfigFromFile } = (await import(href)) as ConfigReader
    return (await loadConfigFromFile({ configRoot: folder })).config ?? {}
  } catch {
    // The package is not installed, or the configuration needs an environment.
    return {}
  }
}

/** Finds the reader as the package `prisma` does, of which it is a dependency: pnpm hides it from the project. */
function configReaderOf(folder: string): string {
  const project = createRequire(join(folder, 'package.json'))
  try {
    return createRequire(project.resolve('prisma/package.json')).resolve('@prisma/config')
  } catch {
    return project.resolve('@prisma/config')
  }
}

function schemaFilesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.prisma'))
    .toSorted()
    .map((name) => join(folder, name))
}

/** Finds the generated client: the module of `prisma-client`, or the package or folder of `prisma-client-js`. */
function clientIn(files: readonly string[], texts: readonly string[], folder: string): string {
  const outputs = (provider: string): (readonly [file: string, output: string | undefined])[] =>
    texts.flatMap((text, i) => {
      const generator = new RegExp(
        String.raw`\bgenerator\s+\w+\s*\{[^}]*\bprovider\s*=\s*"${provider}"[^}]*\}`,
      )
      const found = generator.exec(text)?.[0]
      return found === undefined ? [] : [[files[i]!, /\boutput\s*=\s*"([^"]+)"/.exec(found)?.[1]] as const]
    })
  const moduleIn = (file: string, output: string, name: string): string => {
    const path = relative(folder, resolve(dirname(file), output, name))
      .split(sep)
      .join('/')
    return path.startsWith('.') ? path : `./${path}`
  }
  const [written] = outputs('prisma-client')
  if (written?.[1] !== undefined) return moduleIn(written[0], written[1], 'client.js')
  const [ofPackage] = outputs('prisma-client-js')
  if (written || !ofPackage) return './generated/prisma/client.js'
  const [file, output] = ofPackage
  return output === undefined ? '@prisma/client' : moduleIn(file, output, 'index.js')
}
