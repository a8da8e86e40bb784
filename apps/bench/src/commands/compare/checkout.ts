import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { say } from '../../harness/progress.ts'
import { outputOf, type Place } from './run-command.ts'

/** Another revision of the repository, built in a folder of its own. */
export interface Checkout {
  readonly root: string
  readonly commit: string
}

/** Checks a revision out, builds it, passes it to `use`, and removes it. @throws when git has no such revision, or it does not build */
export async function withCheckout<T>(
  here: Place,
  revision: string,
  use: (checkout: Checkout) => Promise<T>,
): Promise<T> {
  const commit = await commitOf(here, revision)
  const root = mkdtempSync(join(tmpdir(), 'model-cache-base-'))
  try {
    await outputOf(here, 'git', 'worktree', 'add', '--detach', '--quiet', root, commit)
    if (!existsSync(join(root, 'apps/bench/src/main.ts'))) {
      throw new Error(`${revision} has no bench; name a later revision.`)
    }
    await build(here, { ...here, root })
    return await use({ root, commit })
  } finally {
    rmSync(root, { recursive: true, force: true })
    // Not interruptible: an interruption ends here as well.
    await outputOf({ root: here.root }, 'git', 'worktree', 'prune')
  }
}

async function commitOf(here: Place, revision: string): Promise<string> {
  try {
    return await outputOf(here, 'git', 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
  } catch (error) {
    here.signal?.throwIfAborted()
    throw new Error(`git has no revision "${revision}" here: name a commit, a branch or a tag.`, {
      cause: error,
    })
  }
}

async function build(here: Place, there: Place): Promise<void> {
  const lockOf = ({ root }: Place): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockOf(here) === lockOf(there)) linkModules(here.root, there.root)
  else {
    say('It has other packages: npm ci …')
    await outputOf(there, 'npm', 'ci', '--no-audit', '--no-fund')
  }
  say('Building it …')
  await outputOf(there, 'npm', 'run', '--silent', 'build:library')
}

/** File of the build that says when the library beside it was built. */
const STAMP = 'benched'

/**
 * Gives a checkout the installed packages of another one. Each package is a link, not the whole folder: npm's links to
 * the workspace's own packages must lead into the checkout.
 */
function linkModules(from: string, to: string): void {
  const [source, target] = [join(from, 'node_modules'), join(to, 'node_modules')]
  mkdirSync(target)
  for (const name of readdirSync(source)) {
    if (name === '.cache') continue
    const path = join(source, name)
    symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(target, name))
  }
  // Servers that were fetched for tests and bench.
  const [servers, linked] = [source, target].map((folder) => join(folder, '.cache/model-cache')) as [
    string,
    string,
  ]
  mkdirSync(linked, { recursive: true })
  for (const name of existsSync(servers) ? readdirSync(servers) : []) {
    if (name !== STAMP) symlinkSync(join(servers, name), join(linked, name))
  }
}
