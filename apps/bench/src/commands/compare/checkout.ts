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
import { outputOf, runCommand, type Place } from './run-command.ts'

/** Checks a revision out, builds it, passes it to `use`, and removes it. @throws when git has no such revision, or it does not build */
export async function withCheckout<T>(
  here: Place,
  revision: string,
  use: (checkout: { readonly root: string; readonly commit: string }) => Promise<T>,
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
  const name = `${revision}^{commit}`
  const { stdout, failure } = await runCommand(here, 'git', 'rev-parse', '--verify', '--quiet', name)
  if (!failure) return stdout.trim()
  throw new Error(`git has no revision "${revision}" here: name a commit, a branch or a tag.`)
}

async function build(here: Place, there: Place): Promise<void> {
  const lockOf = ({ root }: Place): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockOf(here) === lockOf(there)) {
    const [ours, theirs] = [here, there].map(({ root }) => join(root, 'node_modules'))
    linkEach(ours!, theirs!, '.cache')
    // Servers that were fetched for tests and bench.
    linkEach(join(ours!, CACHE), join(theirs!, CACHE), STAMP)
  } else {
    say('It has other packages: npm ci …')
    await outputOf(there, 'npm', 'ci', '--no-audit', '--no-fund')
  }
  say('Building it …')
  await outputOf(there, 'npm', 'run', '--silent', 'build:library')
}

const CACHE = '.cache/model-cache'
/** File of the build that says when the library beside it was built. */
const STAMP = 'benched'

/**
 * Gives a checkout what is in a folder of another one. Each package is a link, not the whole folder, and neither is a
 * scope: npm's links to the workspace's own packages must lead into the checkout.
 */
export function linkEach(from: string, to: string, except: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of existsSync(from) ? readdirSync(from) : []) {
    const [path, copy] = [join(from, name), join(to, name)]
    if (name === except) continue
    if (name.startsWith('@')) linkEach(path, copy, except)
    else symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, copy)
  }
}
