import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An application that runs with the packed library, as `stack.json` in a folder beside this file describes it. */
export interface Stack {
  /** What it shows, for the table of docs/compatibility.md. */
  readonly title: string
  /** Another application, whose files it has as well. Its own replace them. */
  readonly base?: string
  /** Arguments of `npx` that generate an application in the folder `app`, such as those of `nest new`. */
  readonly generate?: string
  /** Generated files that it does not have. The other files of its folder are copied over those that are generated. */
  readonly removes?: readonly string[]
  /** The packed packages that it installs. @default all of them */
  readonly packages?: readonly string[]
  /** Versions by package. They are added to the package.json that is generated or copied; `model-cache` is always there. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Run once, after the installation. */
  readonly prepare?: readonly string[]
  /** Versions of the npm package `node` on which the commands run. `26` is the one that runs this. */
  readonly nodes: readonly string[]
  /** Run on each version of Node, in this order, with an empty Valkey and the tables of `prisma/tables.sql`. */
  readonly commands: readonly StackCommand[]
}

export interface StackCommand {
  /** A line for a shell in the folder of the application, whose `node_modules/.bin` is on PATH. */
  readonly run: string
  /** The lines that it has to print on stdout, and no others. Without this, only its exit code counts. */
  readonly prints?: readonly string[]
}

const FOLDER = import.meta.dirname
const DESCRIPTION = 'stack.json'

export function stackNames(): readonly string[] {
  return readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, DESCRIPTION)))
}

export function readStack(name: string): Stack {
  return JSON.parse(readFileSync(join(FOLDER, name, DESCRIPTION), 'utf8')) as Stack
}

/** The folder of its files. */
export function stackFolder(name: string): string {
  return join(FOLDER, name)
}
